package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
)

// An editCase is one of the cases in which agents lose work: what the file is, what the model asks, and what must be there afterwards.
// Refuse says that the file stays as it is; Says is what the answer has in it.
type editCase struct {
	Name    string `json:"name"`
	Content []byte `json:"content"`
	Old     string `json:"old"`
	New     string `json:"new"`
	All     bool   `json:"all,omitempty"`
	Want    []byte `json:"want,omitempty"`
	Refuse  bool   `json:"refuse,omitempty"`
	Says    string `json:"says,omitempty"`

	Fill     int       `json:"fill,omitempty"`      // bytes of code before the content, and as many after it
	Link     string    `json:"link,omitempty"`      // the edited name is a "symbolic" or a "hard" link to the file
	ReadOnly string    `json:"read_only,omitempty"` // the "directory" or the "file"
	More     []oneEdit `json:"more,omitempty"`      // multi_edit: what follows the first
	Dry      bool      `json:"dry,omitempty"`       // dry_run
	Session  string    `json:"session,omitempty"`   // the session has "read" the file, has "unread" it, or it is "stale": read and changed since
}

type oneEdit struct {
	Old string `json:"old_string"`
	New string `json:"new_string"`
	All bool   `json:"replace_all"`
}

const goFile = "package a\n\nfunc DeleteUserV1(id int) error {\n\treturn db.Delete(id)\n}\n\nfunc CreateUser(id int) error {\n\treturn db.Create(id)\n}\n"

func gbk(s string) []byte {
	b, _ := simplifiedchinese.GBK.NewEncoder().Bytes([]byte(s))
	return b
}

func utf16(s string) []byte {
	b, _ := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().Bytes([]byte(s))
	return b
}

const chinese = "// 这个函数删除一个用户并返回结果\r\nname = \"旧的\"\r\n"

func editCases() []editCase {
	s := func(x string) []byte { return []byte(x) }
	long := strings.Repeat("item,", 1<<20)
	return []editCase{
		{Name: "LF", Content: s("a\nb\nc\n"), Old: "b", New: "B", Want: s("a\nB\nc\n")},
		{Name: "CRLF", Content: s("a\r\nb\r\nc\r\n"), Old: "a\nb", New: "a\nnew\nb", Want: s("a\r\nnew\r\nb\r\nc\r\n")},
		{Name: "mixed endings", Content: s("a\r\nb\nc\r\nd\n"), Old: "b\nc\nd", New: "b\nX\nc\nd", Want: s("a\r\nb\nX\nc\r\nd\n")},
		{Name: "BOM", Content: s("\xef\xbb\xbfone\ntwo\n"), Old: "one", New: "1", Want: s("\xef\xbb\xbf1\ntwo\n")},
		{Name: "no final newline", Content: s("a\nb"), Old: "b", New: "c", Want: s("a\nc")},
		{Name: "tabs for spaces", Content: s("func f() {\n\tif x {\n\t\treturn alpha\n\t}\n}\n"), Old: "    if x {\n        return alpha\n    }", New: "    if y {\n        return beta\n    }",
			Want: s("func f() {\n\tif y {\n\t\treturn beta\n\t}\n}\n")},
		{Name: "wrong base indent", Content: s("class A:\n    def f(self):\n        return compute(1)\n"), Old: "def f(self):\n    return compute(1)\n", New: "def f(self):\n    return compute(2)\n",
			Want: s("class A:\n    def f(self):\n        return compute(2)\n")},
		{Name: "trailing blanks", Content: s("first line  \nsecond line\n"), Old: "first line\nsecond line", New: "first line\nthird line", Want: s("first line  \nthird line\n")},
		{Name: "NBSP", Content: s("the price:\u00a0100 francs\n"), Old: "the price: 100 francs", New: "the price: 200 francs", Want: s("the price: 200 francs\n")},
		{Name: "smart quotes", Content: s("say “hello world” – now\n"), Old: "say \"hello world\" - now", New: "x", Refuse: true, Says: "typographic"},
		{Name: "NFC and NFD", Content: s("the cafe\u0301 is open\n"), Old: "the café is open", New: "x", Refuse: true, Says: "NFD"},
		{Name: "Latin-1", Content: s("caf\xe9 d\xe9j\xe0 vu\nname = 1\n"), Old: "name = 1", New: "name = é", Want: s("caf\xe9 d\xe9j\xe0 vu\nname = \xe9\n")},
		{Name: "GBK", Content: gbk(chinese), Old: "旧的", New: "新的", Want: gbk(strings.Replace(chinese, "旧的", "新的", 1))},
		{Name: "a character that the encoding has not", Content: []byte("caf\xe9 d\xe9j\xe0 vu\nname = 1\n"), Old: "name = 1", New: "name = 中", Refuse: true, Says: "ISO-8859-1"},
		{Name: "UTF-16", Content: utf16(chinese), Old: "旧的", New: "新的", Want: utf16(strings.Replace(chinese, "旧的", "新的", 1))},
		{Name: "dollars are letters", Content: s("x = old\n"), Old: "old", New: "$& $1 \\1 \\n $$", Want: s("x = $& $1 \\1 \\n $$\n")},
		{Name: "over-escaped break", Content: s("one\ntwo\n"), Old: `one\ntwo`, New: "x", Refuse: true, Says: "escaped once too often"},
		{Name: "over-escaped quote", Content: s("say(\"hi\")\n"), Old: `say(\"hi\")`, New: "x", Refuse: true, Says: "escaped once too often"},
		{Name: "old twice", Content: s("a = 1\nb\na = 1\n"), Old: "a = 1", New: "c", Refuse: true, Says: "lines 1, 3"},
		{Name: "every place", Content: s("a = 1\r\nb\na = 1"), Old: "a = 1", New: "c", All: true, Want: s("c\r\nb\nc")},
		{Name: "overlapping", Content: s("aaa\n"), Old: "aa", New: "b", Refuse: true, Says: "Multiple matches"},
		{Name: "two fuzzy candidates", Content: s("call(x,  y)\ncall(x,   y)\n"), Old: "call(x, y)\n", New: "z\n", Refuse: true, Says: "lines 1, 2"},
		{Name: "exact here, fuzzy elsewhere", Content: s("call( a,  b )\ncall( a, b )\n"), Old: "call( a, b )", New: "call(c)", Want: s("call( a,  b )\ncall(c)\n")},
		{Name: "a similar function", Content: s(goFile), Old: "func DeleteUserV2(id int) error {\n\treturn db.Delete(id)\n}\n\n", New: "", Refuse: true, Says: "nearest place is line 2"},
		{Name: "a copy in a comment", Content: s("// total := sum(items)\nx\n"), Old: "total  := sum(items);", New: "y", Refuse: true},
		{Name: "words joined", Content: s("foo(a,b)\n"), Old: "foo(a, b)", New: "foo(c)", Refuse: true, Says: "white space stands between words"},
		{Name: "short and fuzzy", Content: s("\t}\nx\n"), Old: "  }\n", New: "  ]\n", Refuse: true},
		{Name: "placeholder", Content: s(goFile), Old: "func CreateUser(id int) error {\n\treturn db.Create(id)\n}", New: "func CreateUser(id int) error {\n\t// ... rest of code\n}", Refuse: true, Says: "left out"},
		{Name: "line numbers", Content: s("a\nb\n"), Old: "     1|a\n     2|b", New: "c", Refuse: true, Says: "line number"},
		{Name: "old is new", Content: s("a\n"), Old: "a", New: "a", Refuse: true, Says: "identical"},
		{Name: "already applied", Content: s("value = compute(2)\n"), Old: "value = compute(1)", New: "value = compute(2)", Refuse: true, Says: "made before"},
		{Name: "deleting a line", Content: s("a\nb\nc\n"), Old: "b\n", New: "", Want: s("a\nc\n")},
		{Name: "empty old", Content: s("a\n"), Old: "", New: "b", Refuse: true, Says: "old_string is empty"},
		{Name: "indent differs between lines", Content: s("\tone = 1\n\t\ttwo = 2\n"), Old: "one = 1\ntwo = 2\n", New: "one = 1\nthree = 3\n", Refuse: true, Says: "indented"},
		{Name: "one line of 5 MB", Content: s(long + "needle," + long), Old: "needle,", New: "pin,", Want: s(long + "pin," + long)},
		{Name: "invalid bytes elsewhere", Content: s("\xfd\xff é ü ö ä words of text\nname = 1\n"), Old: "name = 1", New: "name = 2", Want: s("\xfd\xff é ü ö ä words of text\nname = 2\n")},
		{Name: "no text at all", Content: s("\x7fELF\x00\x01\x02name\x00"), Old: "name", New: "x", Refuse: true, Says: "not a text file"},
		{Name: "dashes", Content: s("the range 1–2 — all of it — counts\n"), Old: "the range 1-2 - all of it - counts", New: "x", Refuse: true, Says: "typographic"},
		{Name: "a euro in what may be Latin-1", Content: s("caf\xe9 d\xe9j\xe0 vu\nprice = 1\n"), Old: "price = 1", New: "price = 1 €", Refuse: true, Says: "ISO-8859-1"},
		{Name: "windows-1252", Content: s("\x93caf\xe9\x94\nprice = 1\n"), Old: "price = 1", New: "price = 1 €", Want: s("\x93caf\xe9\x94\nprice = 1 \x80\n")},
		{Name: "carriage returns alone", Content: s("a\rb\rc\r"), Old: "a\nb", New: "a\nnew\nb", Want: s("a\rnew\rb\rc\r")},
		{Name: "50 MB", Content: s("here = 1\n"), Old: "here = 1", New: "here = 2", Want: s("here = 2\n"), Fill: 25 << 20},
		{Name: "symbolic link", Content: s("a = 1\n"), Old: "1", New: "2", Want: s("a = 2\n"), Link: "symbolic"},
		{Name: "hard link", Content: s("a = 1\n"), Old: "1", New: "2", Refuse: true, Says: "hard link", Link: "hard"},
		{Name: "read-only file", Content: s("a = 1\n"), Old: "1", New: "2", Refuse: true, Says: "read-only", ReadOnly: "file"},
		{Name: "read-only directory", Content: s("a = 1\n"), Old: "1", New: "2", Refuse: true, Says: "read-only", ReadOnly: "directory"},
		{Name: "edit 2 touches what edit 1 made", Content: s("a\r\nb\r\nc\r\n"), Old: "a", New: "long name", More: []oneEdit{{Old: "name\nb", New: "text\nb"}}, Want: s("long text\r\nb\r\nc\r\n")},
		{Name: "edit 2 wants what edit 1 took", Content: s("alpha\nbeta\n"), Old: "alpha", New: "gamma", More: []oneEdit{{Old: "alpha\nbeta", New: "x"}}, Refuse: true, Says: "edits[1]"},
		{Name: "edit 1 makes edit 2 ambiguous", Content: s("alpha\nbeta\n"), Old: "alpha", New: "beta", More: []oneEdit{{Old: "beta", New: "x"}}, Refuse: true, Says: "Error: edits[1]: Multiple matches"},
		{Name: "all edits or none", Content: s("a\nb\nc\n"), Old: "a", New: "1", More: []oneEdit{{Old: "b", New: "2"}, {Old: "nowhere", New: "3"}}, Refuse: true, Says: "edits[2]"},
		{Name: "dry run", Content: s("a\nb\n"), Old: "b", New: "B", Want: s("a\nb\n"), Says: "-b\n+B", Dry: true},
		{Name: "read in the session", Content: s("a\nb\n"), Old: "b", New: "B", Want: s("a\nB\n"), Session: "read"},
		{Name: "never read in the session", Content: s("a\nb\n"), Old: "b", New: "B", Refuse: true, Says: "has not been read in this session", Session: "unread"},
		{Name: "stale", Content: s("a\nb\n"), Old: "b", New: "B", Refuse: true, Says: "changed since it was read", Session: "stale"},
	}
}

// filler is code that stands around a case's content.
func filler(n int) []byte {
	const line = "\tstatic int func(struct device *dev, unsigned long flags);\n"
	return bytes.Repeat([]byte(line), n/len(line))
}

// filled is a content with its code around it.
func (c editCase) filled(content []byte) []byte {
	return bytes.Join([][]byte{filler(c.Fill), content, filler(c.Fill)}, nil)
}

// call is the tool and its arguments, as a model writes them.
func (c editCase) call(file string) (name, arguments string) {
	first := oneEdit{c.Old, c.New, c.All}
	args := map[string]any{"file_path": file, "dry_run": c.Dry, "edits": append([]oneEdit{first}, c.More...)}
	name = "multi_edit"
	if c.More == nil {
		name = "edit"
		delete(args, "edits")
		args["old_string"], args["new_string"], args["replace_all"] = c.Old, c.New, c.All
	}
	b, _ := json.Marshal(args)
	return name, string(b)
}

// Every edit case, through the command line, bytes compared: applied rightly or refused with the reason, never in a wrong place, and no
// byte changed elsewhere; mode, owner, extended attributes and links stay.
func TestEditCasesThroughTheCommandLine(t *testing.T) {
	if path := os.Getenv("HELVE_EDIT_CASES"); path != "" { // for scripts/bench-files, which runs them against other tools
		b, err := json.Marshal(editCases())
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range editCases() {
		t.Run(c.Name, func(t *testing.T) { newEditYard(t, c).drive(t) })
	}
}

// An editYard is a workspace with the file of one case.
type editYard struct {
	editCase
	dir, real, name string // the workspace, the file, and the name by which it is edited
	before          []byte
	attributes      bool
}

func newEditYard(t *testing.T, c editCase) *editYard {
	t.Helper()
	y := &editYard{editCase: c, dir: filepath.Join(t.TempDir(), "ws"), name: "d/f.txt", before: c.filled(c.Content)}
	y.real = filepath.Join(y.dir, "d", "f.txt")
	must(t, os.MkdirAll(filepath.Dir(y.real), 0o755))
	must(t, os.WriteFile(y.real, y.before, 0o640))
	y.attributes = setAttribute(y.real)
	other := filepath.Join(y.dir, "other")
	switch c.Link {
	case "symbolic":
		must(t, os.Symlink("d/f.txt", other))
		y.name = "other"
	case "hard":
		must(t, os.Link(y.real, other))
		y.name = "other"
	}
	switch c.ReadOnly {
	case "file":
		must(t, os.Chmod(y.real, 0o440))
	case "directory":
		must(t, os.Chmod(filepath.Dir(y.real), 0o555))
		t.Cleanup(func() { os.Chmod(filepath.Dir(y.real), 0o755) })
	}
	return y
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// drive makes the call and compares everything with what it must be.
func (y *editYard) drive(t *testing.T) {
	flags := []string{"--yes"}
	if y.Session != "" {
		flags = append(flags, "--session", "s")
	}
	if y.Session == "read" || y.Session == "stale" {
		run(t, y.dir, append([]string{"call", "read", "file_path=" + y.name}, flags...)...)
	}
	if y.Session == "stale" {
		y.before = append(y.before, "changed by another\n"...)
		must(t, os.WriteFile(y.real, y.before, 0o640))
	}
	was, err := os.Stat(y.real)
	must(t, err)
	name, arguments := y.call(y.name)
	out, status := run(t, y.dir, append([]string{"call", name, arguments}, flags...)...)
	want, wantStatus := y.filled(y.Want), 0
	if y.Refuse {
		want, wantStatus = y.before, 1
	}
	got, err := os.ReadFile(y.real)
	if err != nil || !bytes.Equal(got, want) || status != wantStatus || !strings.Contains(out, y.Says) {
		t.Errorf("status %d, want %d; %v\n%.500s\ngot  %.200q\nwant %.200q", status, wantStatus, err, out, got, want)
	}
	y.untouched(t, was)
}

// untouched looks at what no edit changes.
func (y *editYard) untouched(t *testing.T, was os.FileInfo) {
	t.Helper()
	st, err := os.Stat(y.real)
	must(t, err)
	if st.Mode() != was.Mode() || owner(st) != owner(was) {
		t.Errorf("mode %v, owner %s; were %v, %s", st.Mode(), owner(st), was.Mode(), owner(was))
	}
	if y.attributes && !hasAttribute(y.real) {
		t.Error("the extended attribute is gone")
	}
	other, err := os.Lstat(filepath.Join(y.dir, "other"))
	switch y.Link {
	case "symbolic":
		if err != nil || other.Mode()&os.ModeSymlink == 0 {
			t.Errorf("the link is %v, %v", other, err)
		}
	case "hard":
		if err != nil || !os.SameFile(other, st) {
			t.Errorf("the names are two files: %v", err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(y.dir, "*", ".helve-*")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// Edits of one file by many processes at once are all there.
func TestParallelCallsEditOneFile(t *testing.T) {
	const callers, edits = 16, 6
	dir := filepath.Join(t.TempDir(), "ws")
	must(t, os.Mkdir(dir, 0o755))
	var b strings.Builder
	for i := range callers * edits {
		fmt.Fprintf(&b, "line %d is old\r\n", i)
	}
	must(t, os.WriteFile(filepath.Join(dir, "f"), []byte(b.String()), 0o644))
	var wg sync.WaitGroup
	for c := range callers {
		wg.Go(func() {
			for e := range edits {
				n := c*edits + e
				if out, status := run(t, dir, "call", "edit", fmt.Sprintf(`{"file_path":"f","old_string":"line %d is old","new_string":"line %d is new"}`, n, n), "--yes"); status != 0 {
					t.Error(out)
				}
			}
		})
	}
	wg.Wait()
	got, err := os.ReadFile(filepath.Join(dir, "f"))
	if err != nil || string(got) != strings.ReplaceAll(b.String(), "old", "new") {
		t.Errorf("edits were lost: %v", err)
	}
}
