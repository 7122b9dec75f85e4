package json

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestObjectsSplitIntoTheirMembersAsTheyStand(t *testing.T) {
	in := ` { "a" : {"x":[1, 2 ]} , "b\n":"\u00e4", "c":-1.5e+3,"d":null }`
	got, err := Object([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	want := []Member{{"a", json.RawMessage(`{"x":[1, 2 ]}`)}, {"b\n", json.RawMessage(`"\u00e4"`)}, {"c", json.RawMessage(`-1.5e+3`)}, {"d", json.RawMessage(`null`)}}
	if len(got) != len(want) {
		t.Fatalf("%q", got)
	}
	for i := range want {
		if got[i].Key != want[i].Key || string(got[i].Value) != string(want[i].Value) {
			t.Errorf("member %d: %q, want %q", i, got[i], want[i])
		}
	}
}

func TestWhatIsNoObjectIsRefused(t *testing.T) {
	for _, in := range []string{``, `[]`, `{`, `{"a"}`, `{"a":1,}`, `{"a":1}x`, `{"a":tru}`, `{"a":01}`, `{"a":"` + "\x01" + `"}`, `{"a":1,"a":2}`, `{"a":"\x"}`,
		`{"a":` + strings.Repeat("[", 100_000)} {
		if got, err := Object([]byte(in)); err == nil {
			t.Errorf("Object(%.40q) = %q, want an error", in, got)
		}
	}
}

func TestSetReplacesAddsAndRemoves(t *testing.T) {
	for _, c := range []struct{ in, key, v, want string }{
		{`{"a":1,"b":2}`, "a", `3`, `{"a":3,"b":2}`},
		{`{"a":1}`, "b", `"x"`, `{"a":1,"b":"x"}`},
		{`{"a":1,"b":2}`, "a", ``, `{"b":2}`},
		{``, "a", `1`, `{"a":1}`},
	} {
		var v json.RawMessage
		if c.v != "" {
			v = json.RawMessage(c.v)
		}
		if got := string(Set([]byte(c.in), c.key, v)); got != c.want {
			t.Errorf("Set(%s, %s, %s) = %s, want %s", c.in, c.key, c.v, got, c.want)
		}
	}
}

func TestHiddenCharactersGoAndTheRestStays(t *testing.T) {
	for _, c := range []struct {
		in, want string
		n        int
	}{
		{"plain\ttext\n", "plain\ttext\n", 0},
		{"a\u200bb", "ab", 1},
		{"x\U000E0041\U000E0042y", "xy", 2},
		{"\u202eevil", "evil", 1},
		{"\x1b[31mred\x1b[0m", "red", 2},
		{"\x1b]0;title\atext", "text", 1},
		{"👩\u200d💻", "👩💻", 0},
		{"nul\x00", "nul", 1},
		{"broken\xff", "broken", 1},
	} {
		if got, n := Visible(c.in); got != c.want || n != c.n {
			t.Errorf("Visible(%q) = %q, %d, want %q, %d", c.in, got, n, c.want, c.n)
		}
	}
}

func TestTameLeavesWhatFilesHaveAUseFor(t *testing.T) {
	in := "\ufeffa\u200db\u00ad\U000E0041\x1b[2J\x00 \u202e"
	if got, n := Tame(in); got != "\ufeffa\u200db\u00ad \u202e" || n != 3 {
		t.Errorf("Tame(%q) = %q, %d", in, got, n)
	}
}

func TestCleanChangesNothingButTheStringsConcerned(t *testing.T) {
	in := `{"a": "caf\u00e9","b":"x\u200By", "c":[1.50, "ä"]}`
	got, n := Clean([]byte(in), Visible)
	if want := `{"a": "caf\u00e9","b":"xy", "c":[1.50, "ä"]}`; string(got) != want || n != 1 {
		t.Errorf("%s, %d, want %s", got, n, want)
	}
}

// The oracle is encoding/json.
func FuzzValidAgreesWithTheStandardLibrary(f *testing.F) {
	for _, s := range []string{`{}`, `[1,2,{"a":"b"}]`, `"\ud800"`, `"a\n\"\\/\u00e4\t"`, `-0.0e1`, `{"a":1,"a":2}`, ` null `, `[[]`, `"` + "\x7f" + `"`,
		"\"\xff\xe2\x82\"", `"\udc00\ud83d\ude00\ud83d"`, `"\ud83d\u0041"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if want := json.Valid(b); Valid(b) != want {
			t.Errorf("Valid(%q) = %v, want %v", b, !want, want)
		}
		if !json.Valid(b) {
			return
		}
		var want string
		if json.Unmarshal(b, &want) == nil && b[0] == '"' && b[len(b)-1] == '"' {
			if got, ok := String(b); !ok || got != want {
				t.Errorf("String(%q) = %q, %v, want %q", b, got, ok, want)
			}
		}
		if c, _ := Clean(b, Visible); !json.Valid(c) {
			t.Errorf("Clean(%q) = %q", b, c)
		}
		if members, err := Object(b); err == nil && !json.Valid(Join(members)) {
			t.Errorf("Join(Object(%q)) = %q", b, Join(members))
		}
	})
}

func BenchmarkObjectOf96KB(b *testing.B) {
	in := []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + strings.Repeat("lorem ipsum dolor\\n", 5300) + `"}]}}`)
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Object(in); err != nil {
			b.Fatal(err)
		}
	}
}

func TestPickFindsWhatObjectFinds(t *testing.T) {
	keys := []string{"a", "b\n", "none"}
	for _, in := range []string{`{}`, ` {"a":1}`, `{"x":[{}],"b\n":"y","a":{"a":2}}`, `{"\u0061":3}`, `{"a":1,"a":2}`, `{"x":1,"x":2}`, `{"a":}`, `{"a":1} x`, `[]`, `{"a" 1}`, ``} {
		got := make([]json.RawMessage, len(keys))
		err := Pick([]byte(in), keys, got)
		members, want := Object([]byte(in))
		if want == ErrTwice && !strings.Contains(in, `"a"`) {
			want = nil // a key that nobody asked for
		}
		if err != want {
			t.Errorf("%s: %v, want %v", in, err, want)
		}
		for i, k := range keys {
			for _, m := range members {
				if m.Key == k && err == nil && string(m.Value) != string(got[i]) {
					t.Errorf("%s: %q is %s, want %s", in, k, got[i], m.Value)
				}
			}
		}
	}
}

// What every message of a session costs: its envelope, then the call's name, arguments and meta data.
func BenchmarkSplitACall(b *testing.B) {
	in := []byte(`{"jsonrpc":"2.0","id":17,"method":"tools/call","params":{"name":"read","arguments":{"file_path":"/a/b/c.go","limit":10,` +
		`"edits":[{"old":"x\ny","replace_all":true}]},"_meta":{"progressToken":"t","io.modelcontextprotocol/protocolVersion":"2026-06-30"}}}`)
	keys := []string{"jsonrpc", "id", "method", "params", "result", "error"}
	b.ReportAllocs()
	for b.Loop() {
		var out [6]json.RawMessage
		if err := Pick(in, keys, out[:]); err != nil {
			b.Fatal(err)
		}
		if _, err := Object(out[3]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkStringAndBack(b *testing.B) {
	in := []byte(`"some text with a line end\nand \"quotes\", an umlaut ä and \u00e9"`)
	b.ReportAllocs()
	for b.Loop() {
		s, ok := String(in)
		if !ok || len(Quote(s)) == 0 {
			b.Fatal(s)
		}
	}
}

func BenchmarkObjectOf24Members(b *testing.B) {
	var w strings.Builder
	for i := range 24 {
		w.WriteString(`,"property_` + strings.Repeat("x", i%5) + string(rune('a'+i)) + `":{"type":"string"}`)
	}
	in := []byte("{" + w.String()[1:] + "}")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Object(in); err != nil {
			b.Fatal(err)
		}
	}
}
