package scip

import (
	stdbytes "bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"helve/engine/exact/internal/scip/sciptest"
)

func always() error { return nil }

func read(t *testing.T, docs ...sciptest.Doc) *Index {
	t.Helper()
	x, err := Read(stdbytes.NewReader(sciptest.Index(docs...)), always)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

const (
	kindle = "scip-python python lamps 1 `lamp`/Lamp#kindle()."
	text   = "class Lamp:\n    def kindle(self): pass\n"
	uses   = "def go(a):\n    a.kindle()\n"
)

var lampDoc = sciptest.Doc{Path: "lamp.py", Names: []sciptest.Name{
	{Line: 1, Start: 8, End: 14, Symbol: kindle, Defines: true},
	{Line: 1, Start: 15, End: 19, Symbol: "local 0", Defines: true},
}}

func useDoc(units int) sciptest.Doc {
	return sciptest.Doc{Path: "use.py", Units: units, Names: []sciptest.Name{
		{Line: 1, Start: 6, End: 12, Symbol: kindle, New: true},
		{Line: 0, Start: 7, End: 8, Symbol: "local 0", Defines: true},
		{Line: 1, Start: 4, End: 5, Symbol: "local 0"},
	}}
}

func TestANameLeadsToWhereItIsDefined(t *testing.T) {
	x := read(t, lampDoc, useDoc(0))
	for _, c := range []struct {
		line, column int
		want         string
	}{
		{1, 6, "lamp.py:1:8"},
		{1, 4, "use.py:0:7"}, // local 0 of this file, not of the other
		{1, 5, "not known"},
		{1, 7, "not known"},
		{0, 4, "not known"},
		{9, 0, "not known"},
		{-1, 0, "not known"},
		{1, -1, "not known"},
	} {
		if got := lead(x, "use.py", uses, c.line, c.column); got != c.want {
			t.Errorf("%d:%d leads to %s, want %s", c.line, c.column, got, c.want)
		}
	}
}

// lead is where the name at a place is defined.
func lead(x *Index, path, src string, line, column int) string {
	at, ok := x.Doc(path).At([]byte(src), line, column)
	if !ok {
		return "not known"
	}
	var out []string
	for _, p := range at {
		in := text
		if p.Doc.Path == path {
			in = src
		}
		l, c, ok := p.Position([]byte(in))
		out = append(out, fmt.Sprintf("%s:%d:%d", p.Doc.Path, l, c))
		if !ok {
			out = append(out, "which is not there")
		}
	}
	return strings.Join(out, ", ")
}

// TestColumnsCountWhatTheIndexSays: é is two bytes and one unit of UTF-16, 𝒳 is four bytes and two.
func TestColumnsCountWhatTheIndexSays(t *testing.T) {
	src := "a = \"é𝒳\"; kindle()\n"
	for units, column := range map[int]int{1: 14, 2: 11, 3: 10} {
		d := sciptest.Doc{Path: "use.py", Units: units, Names: []sciptest.Name{{Start: column, End: column + 6, Symbol: kindle}}}
		x := read(t, lampDoc, d)
		if got := lead(x, "use.py", src, 0, 11); got != "lamp.py:1:8" || !x.Doc("use.py").Agrees([]byte(src)) {
			t.Errorf("units %d: %s", units, got)
		}
		d.Units = 0
		x = read(t, lampDoc, d)
		if got := lead(x, "use.py", src, 0, 11); got != "not known" {
			t.Errorf("without units: %s", got)
		}
	}
}

func TestAFileThatIsAnotherDoesNotAgree(t *testing.T) {
	x := read(t, lampDoc, useDoc(2))
	for _, c := range []struct {
		path, text string
		want       bool
	}{
		{"lamp.py", text, true},
		{"lamp.py", text + "# more\n", true},
		{"lamp.py", "# more\n" + text, false},
		{"lamp.py", "", false},
		{"lamp.py", strings.Replace(text, "kindle", "candle", 1), false},
		{"lamp.py", strings.Replace(text, "kindle", "kindled", 1), false},
		{"use.py", uses, true},
		{"use.py", strings.Replace(uses, "a.", "b.", 1), false},
		{"use.py", strings.Replace(uses, "go", "gone", 1), false},
		{"use.py", strings.Replace(uses, "kindle", "kind", 1), false},
	} {
		if got := x.Doc(c.path).Agrees([]byte(c.text)); got != c.want {
			t.Errorf("%s agrees with %q: %v", c.path, c.text, got)
		}
	}
}

// TestWhatNoFileDefinesIsNotKnown: it may be in a part of the project that was not indexed. The language's own library is
// in none.
func TestWhatNoFileDefinesIsNotKnown(t *testing.T) {
	for symbol, want := range map[string]string{
		kindle: "not known",
		"scip-python python python-stdlib 3.11 builtins/list#kindle().": "",
		"scip-python python":                    "not known",
		"local 9":                               "not known",
		"scip-typescript npm other 1 `a.ts`/x.": "not known",
	} {
		x := read(t, sciptest.Doc{Path: "use.py", Names: []sciptest.Name{{Line: 1, Start: 6, End: 12, Symbol: symbol}}})
		if got := lead(x, "use.py", uses, 1, 6); got != want {
			t.Errorf("%s: %q, want %q", symbol, got, want)
		}
	}
}

func TestTheNameOfASymbolIsItsLastPart(t *testing.T) {
	for symbol, want := range map[string]string{
		kindle:                         "kindle",
		"s m p 1 a/Lamp#":              "Lamp",
		"s m p 1 a/Lamp#wick.":         "wick",
		"s m p 1 a/LAMP!":              "LAMP",
		"s m p 1 a/f(+1).":             "f",
		"s m p 1 a/`größe`().":         "größe",
		"s m p 1 a/`<constructor>`().": "",
		"s m p 1 a/wick0:":             "",
		"s m p 1 a/f().(x)":            "",
		"s m p 1 a/Lamp#[T]":           "",
		"s m p 1 a/":                   "",
		").":                           "",
		"`.":                           "",
		".":                            "",
		"":                             "",
	} {
		if got := nameOf(symbol); got != want {
			t.Errorf("%q has the name %q, want %q", symbol, got, want)
		}
	}
}

func TestUsesAreTheFilesThatDefineWhatAFileNames(t *testing.T) {
	x := read(t, lampDoc, useDoc(0))
	got := x.Doc("use.py").Uses()
	if len(got) != 1 || got[0].Path != "lamp.py" || len(x.Doc("lamp.py").Uses()) != 0 {
		t.Errorf("use.py uses %v", got)
	}
}

func TestWhatIsNoIndexIsRefused(t *testing.T) {
	whole := sciptest.Index(lampDoc, useDoc(0))
	for name, data := range map[string][]byte{
		"nothing":          nil,
		"words":            []byte("no index at all"),
		"cut short":        whole[:len(whole)-3],
		"a part of 1 TB":   append([]byte{0x12}, 0xff, 0xff, 0xff, 0xff, 0xff, 0x1f),
		"a part of 60 MB":  append([]byte{0x12}, 0x80, 0x80, 0x80, 0x1c),
		"no files":         sciptest.Index(),
		"a file twice":     sciptest.Index(lampDoc, lampDoc),
		"files elsewhere":  sciptest.Index(sciptest.Doc{Path: "../lamp.py"}, sciptest.Doc{Path: "/lamp.py"}, sciptest.Doc{Path: "a/../.."}),
		"a broken file":    sciptest.Bytes(nil, 2, []byte{0x0a, 0x05, 'a'}),
		"a broken name":    sciptest.Bytes(nil, 2, sciptest.Bytes(sciptest.Bytes(nil, 1, []byte("a")), 2, []byte{0x0a})),
		"a broken range":   sciptest.Bytes(nil, 2, sciptest.Bytes(nil, 2, sciptest.Bytes(nil, 1, []byte{0xff}))),
		"an unknown field": {0x0b},
	} {
		if x, err := Read(stdbytes.NewReader(data), always); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v, %v", name, x, err)
		}
	}
}

func TestReadingEndsWhenNobodyWaitsForIt(t *testing.T) {
	_, err := Read(stdbytes.NewReader(sciptest.Index(lampDoc)), func() error { return io.ErrClosedPipe })
	if !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
}

// TestNamesThatStandNowhereAreLeftOut: on several lines, on none, with too many numbers.
func TestNamesThatStandNowhereAreLeftOut(t *testing.T) {
	packed := func(v ...byte) []byte {
		return sciptest.Bytes(sciptest.Bytes(nil, 1, v), 2, []byte(kindle))
	}
	doc := sciptest.Bytes(nil, 1, []byte("use.py"))
	for _, name := range [][]byte{packed(1, 6, 2, 12), packed(1, 6, 6), packed(1, 6), packed(1, 6, 1, 12, 1), packed(),
		sciptest.Bytes(nil, 1, []byte{1, 6, 12})} {
		doc = sciptest.Bytes(doc, 2, name)
	}
	x, err := Read(stdbytes.NewReader(sciptest.Bytes(nil, 2, doc)), always)
	if err != nil || len(x.Doc("use.py").names) != 0 {
		t.Errorf("%v, %v", x.Doc("use.py").names, err)
	}
	doc = sciptest.Bytes(doc, 2, packed(1, 6, 1, 12))
	x, err = Read(stdbytes.NewReader(sciptest.Bytes(nil, 2, doc)), always)
	if err != nil || len(x.Doc("use.py").names) != 1 {
		t.Errorf("%v, %v", x.Doc("use.py").names, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(sciptest.Index(lampDoc, useDoc(1)), uses)
	f.Add(sciptest.Index(useDoc(0)), "é\n𝒳.kindle()\n")
	f.Fuzz(func(t *testing.T, data []byte, src string) {
		x, err := Read(stdbytes.NewReader(data), always)
		if err != nil {
			return
		}
		for path := range x.Docs {
			d := x.Doc(path)
			d.Agrees([]byte(src))
			for line := range 3 {
				at, _ := d.At([]byte(src), line, 6)
				for _, p := range at {
					p.Position([]byte(src))
				}
			}
			for _, o := range d.Uses() {
				if x.Doc(o.Path) != o {
					t.Errorf("%q is used and not there", o.Path)
				}
			}
		}
	})
}
