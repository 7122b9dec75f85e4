package toolsearch

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helve/internal/packed"
)

var some = []Doc{
	{Name: "list_notes", Source: "notes", Short: "List the notes of a folder."},
	{Name: "delete_note", Source: "notes", Short: "Delete a note for good."},
	{Name: "createNote", Source: "notes", Short: "Create a note.", Long: "Do not use this for tickets."},
	{Name: "open-ticket", Source: "desk", Short: "Create a ticket.", Params: []string{"severity how bad it is low high"}},
	{Name: "old_ticket", Source: "desk", Short: "Create a ticket. DEPRECATED: use open-ticket."},
	{Name: "查天气", Source: "sky", Short: "查询指定城市的天气"},
	{Name: "authentication", Source: "desk", Short: "Prove who one is."},
}

func first(t *testing.T, query string) string {
	t.Helper()
	hits := New(some).Search(query, 1, nil)
	if len(hits) == 0 {
		t.Fatalf("%q finds nothing", query)
	}
	return some[hits[0].Doc].Name
}

func TestAWishFindsItsTool(t *testing.T) {
	for _, c := range []struct{ query, want string }{
		{"get rid of a memo", "delete_note"},
		{"jot down a memo", "createNote"},
		{"which memos are there", "list_notes"},
		{"raise an issue", "open-ticket"},
		{"something of high severity", "open-ticket"},
		{"will I need an umbrella", "查天气"},
		{"今天冷不冷", "查天气"},
		{"删掉一条笔记", "delete_note"},
		{"auth", "authentication"},
		{"CREATE_NOTE", "createNote"},
	} {
		if got := first(t, c.query); got != c.want {
			t.Errorf("%q: got %s, want %s", c.query, got, c.want)
		}
	}
}

func TestWhoAsksToSeeIsNotOfferedToDelete(t *testing.T) {
	for _, q := range []string{"show note", "read a note", "看笔记"} {
		if got := first(t, q); got == "delete_note" {
			t.Errorf("%q: got %s", q, got)
		}
	}
}

func TestSearchKeepsToItsLimitAndOrder(t *testing.T) {
	x := New(some)
	for _, limit := range []int{0, 1, 2, 100} {
		hits := x.Search("note ticket", limit, nil)
		if len(hits) > limit {
			t.Errorf("limit %d: %d hits", limit, len(hits))
		}
		if !slices.IsSortedFunc(hits, func(a, b Hit) int { return int(max(-1, min(1, (b.Score-a.Score)*1e9))) }) {
			t.Errorf("limit %d: %v is not in order", limit, hits)
		}
	}
	for _, h := range x.Search("note ticket", 100, func(doc int) bool { return some[doc].Source == "desk" }) {
		if some[h.Doc].Source != "desk" {
			t.Errorf("%s was to be left out", some[h.Doc].Name)
		}
	}
	if hits := New(nil).Search("note", 5, nil); len(hits) != 0 {
		t.Errorf("no documents: %v", hits)
	}
}

func TestEqualDocumentsStayInTheirOrder(t *testing.T) {
	docs := slices.Repeat([]Doc{{Name: "same", Source: "s", Short: "The same note."}}, 9)
	for i, h := range New(docs).Search("note", 5, nil) {
		if h.Doc != i {
			t.Errorf("place %d: document %d", i, h.Doc)
		}
	}
}

// maxTables is what the words may weigh in the program, in bytes.
const maxTables = 50_000

var update = flag.Bool("update", false, "write words.zst")

func TestWhatIsPackedAreTheFilesOfWords(t *testing.T) {
	var files []string
	for _, name := range wordFiles {
		b, err := os.ReadFile(filepath.Join("words", name))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, string(b))
	}
	packed.Check(t, "words.zst", packed.Join(files...), *update)
}

func TestTheTablesAreSmallAndWhole(t *testing.T) {
	if len(wordsPacked) > maxTables {
		t.Errorf("%d bytes of words, want at most %d", len(wordsPacked), maxTables)
	}
	words := packed.Texts(wordsPacked)
	tables := load()
	if tables.classes[stem("erase")] != grave {
		t.Error("deleting is not the first kind")
	}
	for key, means := range tables.means {
		for _, m := range means {
			if slices.Contains(m.terms, "") || strings.TrimSpace(key) != key {
				t.Errorf("%q means %q", key, m.terms)
			}
		}
	}
	for line := range strings.Lines(words[said]) {
		if strings.Count(line, " < ") != 1 {
			t.Errorf("line %q", line)
		}
	}
	for line := range strings.Lines(words[chinese]) {
		if english, han, ok := strings.Cut(line, "="); !ok || !ascii(english) || strings.TrimSpace(han) == "" {
			t.Errorf("line %q", line)
		}
	}
}

func FuzzSearch(f *testing.F) {
	for _, s := range []string{"get rid of a memo", "删掉 note 一条", "HTTPServer2 \xff\x00 ééé", strings.Repeat("pull request ", 300)} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, query, text string) {
		x := New(append([]Doc{{Name: text, Short: text, Long: text, Params: []string{text}}}, some...))
		hits := x.Search(query, 3, nil)
		again := x.Search(query, 3, nil)
		if len(hits) > 3 || !slices.Equal(hits, again) {
			t.Fatalf("%q in %q: %v, then %v", query, text, hits, again)
		}
		for i, h := range hits {
			if !(h.Score > 0) || i > 0 && h.Score > hits[i-1].Score {
				t.Fatalf("%q in %q: %v", query, text, hits)
			}
		}
	})
}
