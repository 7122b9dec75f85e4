package json

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// Plain takes what hujson takes, and makes the same of it.
func FuzzPlainAgreesWithHuJSON(f *testing.F) {
	for _, s := range []string{
		"{ // a\n\"b\": 1, /* c\n */ }", "[1,]", "[,]", "{,}", "[1,,]", `["// no /* comment, ]"]`, "/", "/*", "/**/1", "1//", "{\"a\":,}", "[1 /*,*/ ]",
		"\"\\\"//\"", "[1,//\n]", "/*/1*/2", "",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if !utf8.Valid(src) { // whoever reads the result says so
			return
		}
		src = append(src, '\n') // hujson wants a line end behind each //
		before := bytes.Clone(src)
		plain, err := Plain(src)
		if !bytes.Equal(before, src) {
			t.Fatalf("%q was changed", before)
		}
		got := err == nil && Valid(plain)
		std, err := hujson.Standardize(bytes.Clone(src))
		if want := err == nil && Valid(std); got != want {
			t.Fatalf("%q: %v, hujson: %v %v", src, got, want, err)
		}
		if !got {
			return
		}
		if len(plain) != len(src) || !bytes.Equal(Compact(plain), Compact(std)) {
			t.Fatalf("%q: got %q, want %q", src, plain, std)
		}
	})
}

func TestPatchesKeepWhatIsNotTheirs(t *testing.T) {
	for _, c := range []struct{ before, key, value, set, unset string }{
		{before: "{}", key: "a", value: "1", set: "{\n  \"a\": 1\n}", unset: "{}"},
		{before: "", key: "a.b", value: "1", set: "{\n  \"a\": {\"b\": 1}\n}\n", unset: "{\n}\n"},
		{before: "{ // c\n}", key: "a", value: "1", set: "{ // c\n  \"a\": 1\n}", unset: "{ // c\n}"},
		{before: "{ /* c */ }", key: "a", value: "1", set: "{ /* c */\n  \"a\": 1\n}", unset: "{ /* c */ }"},
		{before: "{\"b\": 2 /* c */}", key: "a", value: "1", set: "{\"b\": 2, \"a\": 1 /* c */}", unset: "{\"b\": 2 /* c */}"},
		{before: "{\n\t\"b\": 2, // c\n}\n", key: "a", value: "[1, 2]", set: "{\n\t\"b\": 2, // c\n\t\"a\": [1, 2],\n}\n", unset: "{\n\t\"b\": 2, // c\n}\n"},
		{before: "// x\n{\"a\": 1e3, \"b\": \"\\u0041\"} // y", key: "a", value: "2", set: "// x\n{\"a\": 2, \"b\": \"\\u0041\"} // y", unset: "// x\n{ \"b\": \"\\u0041\"} // y"},
		{
			before: "{\n  // about a\n  \"a\": 1, // behind a\n  // about b\n  \"b\": 2 // behind b\n}", key: "b", value: "{}",
			set: "{\n  // about a\n  \"a\": 1, // behind a\n  // about b\n  \"b\": {} // behind b\n}", unset: "{\n  // about a\n  \"a\": 1 // behind a\n}",
		},
		{before: "{\"a/*\": {\"x\": \"// }\"}}", key: "a/*.y", value: "null", set: "{\"a/*\": {\"x\": \"// }\", \"y\": null}}", unset: "{\"a/*\": {\"x\": \"// }\"}}"},
	} {
		keys := strings.Split(c.key, ".")
		got, err := patch(t, c.before).Set(keys, node(t, c.value))
		if err != nil || string(got) != c.set {
			t.Errorf("%q with %s = %s:\n got %q %v\nwant %q", c.before, c.key, c.value, got, err, c.set)
		}
		want := c.unset
		if c.before == "" {
			want = "{\n}\n"
		}
		if got := patch(t, c.before).Unset(keys); string(got) != want {
			t.Errorf("%q without %s:\n got %q\nwant %q", c.before, c.key, got, want)
		}
	}
	_, err := patch(t, `{"a":[1]}`).Set([]string{"a", "b"}, Node{Kind: KindNull, Text: "null"})
	if err == nil || err.Error() != "a is not an object" {
		t.Errorf("got %v", err)
	}
}

// A member that is set is there, the others are as they were, and no comment is lost but the member's own.
func FuzzPatch(f *testing.F) {
	for _, s := range []string{"{ // a\n}", "{\"a\": 1/* b */,}", "{\"x\":{},\n\"y\": [1, /* c */ 2] // d\n}", "/**/{\"k\":1}//", "{\"a\":1/*\n*/\n,\n\"b\":2}"} {
		f.Add(s, "k", `{"v": "w"}`)
	}
	f.Fuzz(func(t *testing.T, text, key, value string) {
		v, err := Read([]byte(value), MaxDepth)
		p, bad := NewPatch([]byte(text))
		if err != nil || bad != nil || p.root.Kind != KindObject || twice(&p.root) || key != valid(key) {
			return
		}
		out, err := p.Set([]string{key}, v)
		if err != nil {
			t.Fatal(err)
		}
		now := patch(t, string(out))
		want := p.root.Clone()
		want.Set(key, v)
		if now.root.String() != want.String() {
			t.Fatalf("%q with %q: %q", text, key, out)
		}
		if lost := comments(p) - comments(now); lost != 0 {
			t.Fatalf("%q with %q: %q: %d comments lost", text, key, out, lost)
		}
		out = now.Unset([]string{key})
		want.Remove(key)
		if got := patch(t, string(out)); got.root.String() != want.String() {
			t.Fatalf("%q without %q: %q", now.text, key, out)
		}
	})
}

func patch(t *testing.T, text string) *Patch {
	t.Helper()
	p, err := NewPatch([]byte(text))
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return p
}

func node(t *testing.T, text string) Node {
	t.Helper()
	n, err := Read([]byte(text), MaxDepth)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// twice tells of an object with a key that stands twice.
func twice(n *Node) bool {
	names := make([]string, len(n.Kids))
	for i := range n.Kids {
		names[i] = n.Kids[i].Name
	}
	slices.Sort(names)
	return len(slices.Compact(names)) < len(n.Kids)
}

// comments counts the comments of a text outside the value that is set, which has none.
func comments(p *Patch) int {
	n := 0
	for i := 0; i < len(p.text); i++ {
		if p.text[i] == '"' {
			i = behindString(p.text, i) - 1
			continue
		}
		if behind := behindComment(p.text, i); behind > i {
			n++
			i = behind - 1
		}
	}
	return n
}

// A text from Windows stays one: what is added ends its lines as the others do.
func TestAPatchEndsLinesAsTheTextDoes(t *testing.T) {
	for _, text := range []string{"{\r\n  \"a\": 1\r\n}\r\n", "{\r\n  \"a\": 1, // one\r\n}\r\n", "{\r\n}\r\n", "{\r\n  \"a\": {}\r\n}\r\n"} {
		p, err := NewPatch([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		long := Node{Kind: KindString, Text: strings.Repeat("x", 2*oneLine)}
		out, err := p.Set([]string{"a2", "b"}, long)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Count(out, []byte("\n")) != bytes.Count(out, []byte("\r\n")) {
			t.Errorf("%q became %q", text, out)
		}
	}
}

func TestAnItemIsAppendedAndTheOthersStay(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "{\n  \"a\": {\"b\": [1]}\n}\n",
		`{"a":{"b":[]}}`:                     "{\"a\":{\"b\":[1]}}",
		"{\"a\":{\"b\":[ 7 /* seven */, ]}}": "{\"a\":{\"b\":[ 7,\n      1 /* seven */, ]}}",
		`{"a":{"b":[{"x": 1}]}, "c": 2}`:     "{\"a\":{\"b\":[{\"x\": 1},\n      1]}, \"c\": 2}",
	} {
		got, err := patch(t, text).Append([]string{"a", "b"}, node(t, "1"))
		if err != nil || string(got) != want {
			t.Errorf("%q: %q (%v), want %q", text, got, err, want)
		}
	}
	for _, text := range []string{`{"a": 1}`, `{"a": {"b": {}}}`} {
		if got, err := patch(t, text).Append([]string{"a", "b"}, node(t, "1")); err == nil {
			t.Errorf("%q became %q", text, got)
		}
	}
}
