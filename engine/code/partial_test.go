package code

import (
	"slices"
	"testing"
)

// TestAPartOfANameFindsWhatItMatches: patterns, humps and words, the most used first; a whole name goes before all.
func TestAPartOfANameFindsWhatItMatches(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"a.py": "def get_store_line(): pass\ndef get_other(): pass\nclass Store:\n    def compact_all(self): pass\n    def compact(self): pass\n",
		"b.js": "export function getStoreLine() {}\nexport class HTTPServerPool { getAll() {} }\n",
		"c.py": "from a import get_other\ndef x(): get_other()\n",
		"d.py": "from a import get_other\ndef y(): get_other()\n",
	})
	for name, want := range map[string][]string{
		"get_*":       {"a.py#get_other", "a.py#get_store_line"},
		"GET*":        nil,
		"get*line":    {"b.js#getStoreLine", "a.py#get_store_line"},
		"gSL":         {"b.js#getStoreLine", "a.py#get_store_line"},
		"HTTPPool":    {"b.js#HTTPServerPool"},
		"HSP":         {"b.js#HTTPServerPool"},
		"store line":  {"b.js#getStoreLine", "a.py#get_store_line"},
		"compact*":    {"a.py#Store.compact", "a.py#Store.compact_all"},
		"Store.comp*": {"a.py#Store.compact", "a.py#Store.compact_all"},
		"Other.comp*": nil,
		"a.py#get_*":  {"a.py#get_other", "a.py#get_store_line"},
		"compact":     {"a.py#Store.compact"},
		"x*y*z":       nil,
		"*":           nil,
	} {
		m, err := s.Find(t.Context(), name, Page{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var got []string
		for _, f := range m.Matches {
			got = append(got, f.ID)
		}
		if !slices.Equal(got, want) || m.Partial != (len(want) > 0 && name != "compact") {
			t.Errorf("%s: partial %v, got %v, want %v", name, m.Partial, got, want)
		}
	}
}

// TestAFolderSaysWhatItsFilesDefine: folders by what is below them, files by their names.
func TestAFolderSaysWhatItsFilesDefine(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"src/a.py":       "class A:\n    def inside(self): pass\ndef _own(): pass\ndef f(): pass\n",
		"src/readme.txt": "text\n",
		"src/in/b.py":    "x = 1\n",
		"src/in/c.py":    "y = 1\n",
		"src/in.py":      "z = 1\n",
		"other/a.py":     "q = 1\n",
	})
	f, err := s.Folder(t.Context(), "src", Page{})
	if err != nil || len(f.Entries) != 4 {
		t.Fatalf("%v, %+v", err, f.Entries)
	}
	want := []FolderEntry{
		{Path: "src/a.py", Files: 1, Lines: 4, Names: []string{"A", "f"}},
		{Path: "src/in.py", Files: 1, Lines: 1, Names: []string{"z"}},
		{Path: "src/in/", Files: 2, Lines: 2},
		{Path: "src/readme.txt", Files: 1, Lines: 0},
	}
	for i, e := range f.Entries {
		w := want[i]
		if e.Path != w.Path || e.Files != w.Files || e.Lines != w.Lines || !slices.Equal(e.Names, w.Names) {
			t.Errorf("got %+v, want %+v", e, w)
		}
	}
	if f, err := s.Folder(t.Context(), "nowhere", Page{}); err != nil || f.Total != 0 {
		t.Errorf("no such folder: %+v, %v", f, err)
	}
}
