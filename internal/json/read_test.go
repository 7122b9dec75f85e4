package json

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

var readerSeeds = []string{
	`{}`, `{"a":1}`, `{"a":"x","b":[1,"2"]}`, `{"a":null,"b":"x"}`, `{"file_path":"a","limit":10,"edits":[{"old":"x"}]}`,
	`{"c":[{"c":[]},{"n":null}]}`, `{"a":["ab"],"b":1.0}`, `{"a":{"k":"é\u00e9"}}`, `{"a":1e2,"b":true,"c":"x"}`,
	`[1,-0.5e+7,"\ud83d\ude00"]`, `{"a":1,"a":2}`, `"\ud800"`, "\"\xff\"", `1e999`, `[01]`, ` true `, `[1,]`, `{"a":1,}`, `tru`,
}

// In five ways strict JSON is more than what encoding/json takes.
var stricter = []string{"duplicate key", "invalid escape", "UTF-8", "out of range", "digits", "nested"}

// A reader is encoding/json, but stricter where that is its rule. Skipping and building agree on each error.
func FuzzScannerAgreesWithEncodingJSON(f *testing.F) {
	for _, a := range readerSeeds {
		f.Add(a)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := Read([]byte(text), MaxDepth)
		skip := Scanner{Src: []byte(text), Max: MaxDepth}
		skipped := skip.Skip() && skip.End()
		if skipped != (err == nil) || err != nil && skip.err().Error() != err.Error() {
			t.Fatalf("%q: skipping says %v %v, building %v", text, skipped, skip.err(), err)
		}
		if err != nil {
			known := slices.ContainsFunc(stricter, func(w string) bool { return strings.Contains(err.Error(), w) })
			if json.Valid([]byte(text)) && !known {
				t.Fatalf("%q refused: %v", text, err)
			}
			return
		}
		want := mustDecode(t, []byte(text))
		for _, form := range [][]byte{n.AppendJSON(nil), n.AppendCompact(nil), n.AppendCanonical(nil, nil), Compact([]byte(text))} {
			if got := mustDecode(t, form); got != want {
				t.Fatalf("%q became %s", text, form)
			}
		}
		if !places([]byte(text), &n, false) {
			t.Fatalf("%q: a place is wrong in %+v", text, n)
		}
	})
}

// A loose reader takes what encoding/json takes and decodes it alike.
func FuzzLooseReaderAgreesWithEncodingJSON(f *testing.F) {
	for _, a := range readerSeeds {
		f.Add(a)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := Reader{Loose: true, Take: func(n int) []Node { return make([]Node, 0, n) }}
		n, err := r.Read([]byte(text))
		if valid := json.Valid([]byte(text)); valid != (err == nil) && strings.Count(text, "[")+strings.Count(text, "{") <= MaxDepth {
			t.Fatalf("%q: valid %v, read with %v", text, valid, err)
		}
		if err != nil {
			return
		}
		strict, err := Read([]byte(text), MaxDepth)
		if err == nil && !slices.EqualFunc([]Node{n}, []Node{strict}, same) {
			t.Fatalf("%q: loose %+v, strict %+v", text, n, strict)
		}
		if got, want := mustDecode(t, n.AppendCompact(nil)), mustDecode(t, []byte(text)); got != want {
			t.Fatalf("%q became %s, want %s", text, got, want)
		}
		if !places([]byte(text), &n, false) {
			t.Fatalf("%q: a place is wrong in %+v", text, n)
		}
		if !utf8.ValidString(contents(&n)) {
			t.Fatalf("%q: a decoded text is no UTF-8: %+v", text, n)
		}
		lazy := Reader{Loose: true, Lazy: true}
		later, err := lazy.Read([]byte(text))
		if err != nil || !sayTheSame(&later, &n) {
			t.Fatalf("%q: lazy %+v, %v, want %+v", text, later, err, n)
		}
	})
}

// mustDecode is what encoding/json understands, in its own spelling.
func mustDecode(t *testing.T, text []byte) string {
	t.Helper()
	var v any
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func same(x, y Node) bool {
	return x.Kind == y.Kind && x.At == y.At && x.Name == y.Name && x.Text == y.Text && x.Raw == y.Raw && slices.EqualFunc(x.Kids, y.Kids, same)
}

// sayTheSame compares the contents, and how both are written where no spelling counts.
func sayTheSame(x, y *Node) bool {
	if x.Content() != y.Content() || string(x.AppendCanonical(nil, nil)) != string(y.AppendCanonical(nil, nil)) {
		return false
	}
	return slices.EqualFunc(x.Kids, y.Kids, func(x, y Node) bool { return sayTheSame(&x, &y) })
}

// places says whether a value, or the name of a member, begins where its node says.
func places(text []byte, n *Node, member bool) bool {
	at := text[n.At:]
	if member {
		name := Scanner{Src: at, Loose: true}
		raw, escaped, ok := name.Key()
		if !ok || decoded(raw, escaped) != n.Name {
			return false
		}
		name.Space()
		at = at[name.Pos:]
	}
	if !bytes.HasPrefix(at, []byte(n.Raw)) {
		return false
	}
	return !slices.ContainsFunc(n.Kids, func(k Node) bool { return !places(text, &k, n.Kind == KindObject) })
}

func contents(n *Node) string {
	all := n.Name + n.Text
	for i := range n.Kids {
		all += contents(&n.Kids[i])
	}
	return all
}

func TestErrorsSayWhatIsWrongAndWhere(t *testing.T) {
	for text, want := range map[string]string{
		``:                              "byte 0: it ends where a value should follow",
		`{"a":1} {`:                     "byte 8: a second value follows the first: send one object",
		`{"a":1}x`:                      "byte 7: want the end, got 'x'",
		`{"a":01}`:                      "byte 6: want ',' or '}', got '1'",
		`[1,]`:                          "byte 3: want another element after ',', got ']'",
		`{"a" 1}`:                       "byte 5: want ':' after a property name, got '1'",
		`{a:1}`:                         "byte 1: want a property name in double quotes, got 'a'",
		`{"a":1,"\u0061":2}`:            `byte 7: duplicate key "\\u0061"`,
		`["\x"]`:                        `byte 2: invalid escape "\\x\"]": write a backslash as \\`,
		`["\udc00"]`:                    `byte 2: invalid escape "\\udc00": write a backslash as \\`,
		"[\"a\nb\"]":                    `byte 3: raw control character '\n' in a string: write it as an escape`,
		"[\"\xff\"]":                    "byte 2: text that is not valid UTF-8",
		`["a`:                           "byte 1: a string is not closed",
		strings.Repeat("[", 600):        "byte 512: nested more than 512 deep",
		`[` + strings.Repeat("1", 2000): "byte 1: a number of 2000 digits: at most 1000 are taken",
		`[-1E+401]`:                     `byte 1: number "-1E+401" is out of range`,
		`[nulL]`:                        "byte 1: want a value, got 'n'",
	} {
		if _, err := Read([]byte(text), MaxDepth); err == nil || err.Error() != want {
			t.Errorf("%.40q: %v, want %s", text, err, want)
		}
	}
}

func TestATreeKeepsSpellingOrderAndPlaces(t *testing.T) {
	text := "{ \"b\" : [1.50, true],\n\"a\":\"\\u00e9\\n\" }"
	n, err := Read([]byte(text), MaxDepth)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(n.AppendJSON(nil)); got != text {
		t.Errorf("as it was: %s", got)
	}
	if got, want := n.String(), `{"b":[1.50,true],"a":"\u00e9\n"}`; got != want {
		t.Errorf("compact: %s, want %s", got, want)
	}
	if got, want := string(n.AppendCanonical(nil, nil)), `{"a":"é\n","b":[1.50,true]}`; got != want {
		t.Errorf("canonical: %s, want %s", got, want)
	}
	a := n.Get("a")
	lines := LinesOf([]byte(text))
	if line, column := lines.Place(int(a.At)); a.Text != "é\n" || line != 2 || column != 1 {
		t.Errorf("a is %q in line %d, column %d", a.Text, line, column)
	}
	if line, column := lines.Place(int(n.Get("b").At)); line != 1 || column != 3 {
		t.Errorf("b is in line %d, column %d", line, column)
	}
	n.Set("a", Node{Kind: KindNull, Text: "null"})
	n.Set("c", Node{Kind: KindString, Text: "x\"y"})
	if got, want := string(n.AppendJSON(nil)), `{"b":[1.50, true],"a":null,"c":"x\"y"}`; got != want {
		t.Errorf("changed: %s, want %s", got, want)
	}
}

// Whatever a model writes: mending never panics, and what it makes is strict JSON.
func FuzzMend(f *testing.F) {
	for _, a := range append(readerSeeds, "```json\n{'a': True,}\n```", `{a:"x`, `{"a":1}}`, "\ufeff[NaN]", `{"a":-Infinity}`, `{"a":"\d"`, `[1`) {
		f.Add(a)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, m, err := Mend([]byte(text))
		if err != nil {
			return
		}
		if _, strict := Read([]byte(text), MaxDepth); (strict == nil) != (len(m.Said) == 0) {
			t.Fatalf("%q: said %q, strict reading says %v", text, m.Said, strict)
		}
		again, err := Read(n.AppendJSON(nil), MaxDepth)
		if err != nil || string(again.AppendCanonical(nil, nil)) != string(n.AppendCanonical(nil, nil)) {
			t.Fatalf("%q became %s: %v", text, n.AppendJSON(nil), err)
		}
	})
}
