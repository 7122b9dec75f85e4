package toml

import (
	"fmt"
	"strings"
	"testing"

	gotoml "github.com/pelletier/go-toml/v2"
)

const sample = "# first\ntop = 1 # note\r\n\n[a]\nb.\"c d\" = \"x # y\"\nlist = [\n  1,\n]\n[[a.many]]\nd = {e = 1}\n[a.b.f] # end\ng = '''\nlong\n'''"

func TestStatementsStandWhereTheyAre(t *testing.T) {
	for _, before := range []string{"", string(mark)} {
		text := before + sample
		all, err := Statements([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i, s := range all {
			lines := text[s.Start:s.End]
			if s.Value < 0 {
				got = append(got, fmt.Sprintf("%d %d %s: %q", i, s.Table, strings.Join(s.Keys, "."), lines))
				continue
			}
			value := text[s.Value:s.ValueEnd]
			got = append(got, fmt.Sprintf("%d %d %s = %s: %q", i, s.Table, strings.Join(s.Keys, "."), value, lines))
		}
		want := []string{
			`0 -1 top = 1: "top = 1 # note\r\n"`,
			`1 1 a: "[a]\n"`,
			`2 1 a.b.c d = "x # y": "b.\"c d\" = \"x # y\"\n"`,
			"3 1 a.list = [\n  1,\n]: \"list = [\\n  1,\\n]\\n\"",
			`4 4 a.many: "[[a.many]]\n"`,
			`5 4 a.many.d = {e = 1}: "d = {e = 1}\n"`,
			`6 6 a.b.f: "[a.b.f] # end\n"`,
			"7 6 a.b.f.g = '''\nlong\n''': \"g = '''\\nlong\\n'''\"",
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// Whatever the parser takes, each statement is whole lines, in order, and its value is a value.
func FuzzStatementsAreWholeLines(f *testing.F) {
	f.Add(sample)
	f.Add(string(mark) + "a=1")
	f.Add("a.b=[1,\n2]\n[c]")
	f.Fuzz(func(t *testing.T, text string) {
		var all map[string]any
		if gotoml.Unmarshal([]byte(strings.TrimPrefix(text, string(mark))), &all) != nil {
			return
		}
		list, err := Statements([]byte(text))
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		end := 0
		for _, s := range list {
			if s.Start < end || s.End <= s.Start || s.End < len(text) && text[s.End-1] != '\n' {
				t.Fatalf("%q: %+v begins before %d or is no whole lines", text, s, end)
			}
			end = s.End
			if s.Value < 0 {
				continue
			}
			var one map[string]any
			if err := gotoml.Unmarshal([]byte("x = "+text[s.Value:s.ValueEnd]), &one); err != nil {
				t.Fatalf("%q: the value %q: %v", text, text[s.Value:s.ValueEnd], err)
			}
		}
	})
}
