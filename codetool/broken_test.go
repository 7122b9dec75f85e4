package codetool_test

import (
	"slices"
	"strings"
	"testing"

	"helve/codetool"
)

// Who changes a file through a tool is told what that broke, once the index is at work: a question was asked before.
func TestAChangeIsToldWhatItBroke(t *testing.T) {
	h := open(t, project, codetool.Options{})
	if h.index.Broken(t.Context(), "store/s.go") != nil {
		t.Error("an index is built for an edit")
	}
	if r := h.call("explore", `{"name":"Store.Get"}`); r.Err != nil {
		t.Fatal(r.Text())
	}
	for _, c := range []struct {
		path, text string
		want       []string
	}{
		{"store/s.go", "package store\n\ntype Store struct{ m map[string]string }\n\nfunc Open() *Store { return &Store{} }\n",
			[]string{"main.go:8: Get is not defined any more", "store/s_test.go:5: Get is not defined any more"}},
		{"store/s.go", project["store/s.go"], nil},
		{"store/s.go", "package store\n\ntype Store struct{ m map[string]string }\n\nfunc Open(dir string) *Store { return &Store{} }\n\nfunc (s *Store) Get(k string) string { return s.m[k] }\n",
			[]string{"main.go:8: Open is called with 0 arguments and takes 1", "store/s_test.go:5: Open is called with 0 arguments and takes 1"}},
	} {
		write(t, h.dir, map[string]string{"store/s.go": project["store/s.go"]})
		after := h.index.Broken(t.Context(), c.path)
		write(t, h.dir, map[string]string{c.path: c.text})
		got, why := after(t.Context())
		if why != "" {
			t.Errorf("%q: not checked: %s", c.text, why)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

// Where both names of a question about the way between them mean several things, both say so.
func TestAWaySaysWhatElseItsEndsMayMean(t *testing.T) {
	h := open(t, map[string]string{
		"a.py": "from b import middle\n\ndef start():\n    middle()\n",
		"b.py": "from c import finish\n\ndef middle():\n    finish()\n",
		"c.py": "def finish():\n    pass\n",
		"d.py": "def start():\n    pass\n",
		"e.py": "def finish():\n    pass\n",
	}, codetool.Options{})
	for _, name := range []string{"path", "get_call_chain"} {
		r := h.call(name, `{"from_name":"start","to_name":"finish"}`)
		for _, want := range []string{"a.py#start", "d.py#start", "c.py#finish", "e.py#finish"} {
			if r.Err != nil || !strings.Contains(r.Text(), want) {
				t.Errorf("%s: %s is not named in\n%s", name, want, r.Text())
			}
		}
	}
}
