package app_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
)

// An editCase is one of the cases in which agents lose work: what the file is, what the model asks, and what must be there afterwards. An
// empty want refuses: the file stays as it is, and says tells why.
type editCase struct {
	Name    string `json:"name"`
	Content []byte `json:"content"`
	Old     string `json:"old"`
	New     string `json:"new"`
	All     bool   `json:"all,omitempty"`
	Want    []byte `json:"want,omitempty"`
	Refuse  bool   `json:"refuse,omitempty"`
	Says    string `json:"says,omitempty"`
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
	}
}

// editArgs are the arguments of edit as a model writes them.
func editArgs(c editCase, file string) string {
	b, _ := json.Marshal(map[string]any{"file_path": file, "old_string": c.Old, "new_string": c.New, "replace_all": c.All})
	return string(b)
}

// Every edit case, through the command line, bytes compared: applied rightly or refused with the reason, never in a wrong place, and no
// byte changed elsewhere.
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
		t.Run(c.Name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "ws")
			file := filepath.Join(dir, "f.txt")
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, c.Content, 0o640); err != nil {
				t.Fatal(err)
			}
			out, status := run(t, dir, "call", "edit", editArgs(c, "f.txt"), "--yes")
			want, wantStatus := c.Want, 0
			if c.Refuse {
				want, wantStatus = c.Content, 1
			}
			got, err := os.ReadFile(file)
			if err != nil || string(got) != string(want) || status != wantStatus || !strings.Contains(out, c.Says) {
				t.Errorf("status %d, want %d; %v\n%.500s\ngot  %.200q\nwant %.200q", status, wantStatus, err, out, got, want)
			}
			if st, err := os.Stat(file); err != nil || st.Mode().Perm() != 0o640 {
				t.Errorf("mode %v, %v", st.Mode(), err)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, ".helve-*")); len(left) > 0 {
				t.Errorf("left: %q", left)
			}
		})
	}
}
