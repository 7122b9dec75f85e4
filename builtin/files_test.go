package builtin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/builtin"
	"helve/tool"
	"helve/tooltest"
)

func TestTheFileToolsKeepTheirPromises(t *testing.T) {
	h := open(t, builtin.Options{State: t.TempDir()})
	h.put("a.txt", "one\ntwo\n")
	read := session(t, nil)
	for _, c := range []struct {
		tool tool.Tool
		args string
		in   *tool.Session
	}{
		{builtin.Read(h.ws), `{"file_path":"a.txt"}`, nil},
		{builtin.Write(h.ws), `{"file_path":"new/b.txt","contents":"x"}`, nil},
		{builtin.Edit(h.ws), `{"file_path":"a.txt","old_string":"one","new_string":"1"}`, read},
		{builtin.MultiEdit(h.ws), `{"file_path":"a.txt","edits":[{"old_string":"two","new_string":"2"},{"old_string":"2","new_string":"three"}]}`, session(t, nil)},
	} {
		t.Run(c.tool.Spec().Name, func(t *testing.T) {
			if c.in != nil {
				h.in(c.in, "read", args{"file_path": "a.txt"})
			}
			tooltest.Check(t, c.tool, &tool.Call{Args: json.RawMessage(c.args), Session: c.in})
		})
	}
}

// R4.6
func TestReadShowsNumberedLines(t *testing.T) {
	h := open(t, builtin.Options{})
	h.put("f", "one\r\ntwo\nthree")
	type readMeta struct {
		FilePath string `json:"file_path"`
		Total    int    `json:"total_lines"`
		Lines    int    `json:"lines_read"`
		Offset   int    `json:"offset"`
		More     bool   `json:"has_more"`
	}
	for _, c := range []struct {
		args args
		want string
		meta readMeta
	}{
		{args{"file_path": "f"}, "     1|one\n     2|two\n     3|three", readMeta{"f", 3, 3, 0, false}},
		{args{"file_path": "f", "offset": 1, "limit": 1}, "     2|two\n[lines 2-2 of 3; go on with start_line=3]", readMeta{"f", 3, 1, 1, true}},
		{args{"path": "f", "line_offset": 2}, "     3|three\n[lines 3-3 of 3]\n[repaired: offset: given as \"line_offset\"; file_path: given as \"path\"]", readMeta{"f", 3, 1, 2, false}},
		{args{"file_path": "f", "offset": 9}, "[no line 10: the file has 3 lines]", readMeta{"f", 3, 0, 9, false}},
	} {
		r := h.call("read", c.args)
		if got := meta[readMeta](t, r); r.Text() != c.want || got != c.meta {
			t.Errorf("%v: got %q %+v\nwant %q %+v", c.args, r.Text(), got, c.want, c.meta)
		}
	}
}

func TestReadRefusesWhatIsNoFile(t *testing.T) {
	h := open(t, builtin.Options{})
	if err := os.Mkdir(filepath.Join(h.dir, "d"), 0o755); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]struct {
		code tool.Code
		text string
	}{
		"gone":  {tool.Execution, "File not found: gone"},
		"d":     {tool.Validation, "Path is a directory, not a file: d"},
		"../up": {tool.Permission, "outside the workspace"},
	} {
		r := h.call("read", args{"file_path": path})
		if code(r) != want.code || !strings.Contains(r.Text(), want.text) {
			t.Errorf("%s: %s %q, want %s %q", path, code(r), r.Text(), want.code, want.text)
		}
	}
	for _, a := range []args{{}, {"file_path": ""}, {"file_path": "f", "offset": -1}, {"file_path": "f", "limit": 0}, {"file_path": "f", "limit": 10001}} {
		if r := h.call("read", a); code(r) != tool.Validation || !strings.HasPrefix(r.Text(), "Parameter validation failed: ") {
			t.Errorf("%v: %s %q", a, code(r), r.Text())
		}
	}
}

// R4.7: the refusals are validation errors, in this order.
func TestEditRefusesInOrder(t *testing.T) {
	h := open(t, builtin.Options{})
	for _, c := range []struct {
		name         string
		file         string // "" is missing, "/" a directory
		session      bool
		read, change bool
		old, new     string
		want         string
	}{
		{name: "missing before identical", old: "a", new: "a", want: "Error: edit: File not found: f."},
		{name: "missing with empty old", old: "", new: "a", want: "Error: edit: File not found: f."},
		{name: "directory", file: "/", old: "a", new: "a", want: "Error: edit: f is a directory, not a file."},
		{name: "identical before unread", file: "x", session: true, old: "a", new: "a", want: "Error: edit: old_string and new_string are identical."},
		{name: "a NUL", file: "x", old: "x", new: "a\x00b", want: "Error: edit: new_string holds a NUL character: the file would count as binary from then on."},
		{name: "empty before unread", file: "x", session: true, old: "", new: "a", want: "Error: edit: old_string is empty."},
		{name: "unread before not found", file: "x", session: true, old: "a", new: "b", want: "Error: edit: f has not been read in this session."},
		{name: "stale before not found", file: "x", session: true, read: true, change: true, old: "a", new: "b", want: "Error: edit: f changed since it was read."},
		{name: "not found", file: "x", session: true, read: true, old: "a", new: "b", want: "Error: old_string not found in file. Make sure you have read the file first and the content is up to date."},
		{name: "several", file: "x x", old: "x", new: "b", want: "Error: Multiple matches (2) found for old_string. Either:\n1. Provide more context in old_string to make it unique\n2. Set replace_all=true to replace all occurrences"},
	} {
		p := filepath.Join(h.dir, "f")
		os.RemoveAll(p)
		switch c.file {
		case "":
		case "/":
			os.Mkdir(p, 0o755)
		default:
			h.put("f", c.file)
		}
		var s *tool.Session
		if c.session {
			s = session(t, nil)
		}
		if c.read {
			h.in(s, "read", args{"file_path": "f"})
		}
		if c.change {
			h.put("f", c.file+"y")
		}
		r := h.in(s, "edit", args{"file_path": "f", "old_string": c.old, "new_string": c.new})
		if code(r) != tool.Validation || r.Err.Error() != c.want {
			t.Errorf("%s: %s %q, want %q", c.name, code(r), r.Err, c.want)
		}
	}
}

// A model's – and a file's \u2013 are one character to the JSON that arguments are.
func TestEditMeetsEscapesAndCharactersAsOne(t *testing.T) {
	h := open(t, builtin.Options{})
	for _, c := range []struct{ content, old, new, want, note string }{
		{`name = "1 \u2013 2"`, "1 – 2", "1 – 3", `name = "1 \u2013 3"`, `old_string had – where the file has \u2013; applied at line 1`},
		{`name = "1 – 2"`, `1 \u2013 2`, `1 \u2013 3`, `name = "1 – 3"`, `old_string had \u2013 where the file has –; applied at line 1`},
	} {
		h.put("f.py", c.content)
		r := h.call("edit", args{"file_path": "f.py", "old_string": c.old, "new_string": c.new})
		if r.Err != nil || !strings.Contains(r.Text(), c.note) || h.get("f.py") != c.want {
			t.Errorf("%s: %q, file %q; want %q and a note %q", c.content, r.Text(), h.get("f.py"), c.want, c.note)
		}
	}
}

// R2.7: exact replacement, with a diff.
func TestEditSaysWhatItDid(t *testing.T) {
	h := open(t, builtin.Options{})
	long := strings.Repeat("é", 60)
	h.put("src/f.go", "a\n"+long+"\na\n")
	type editMeta struct {
		FilePath string `json:"file_path"`
		N        int    `json:"replacements"`
		Preview  string `json:"old_string_preview"`
	}
	r := h.call("edit", args{"file_path": "src/f.go", "old_string": long, "new_string": "$&"})
	if got, want := meta[editMeta](t, r), (editMeta{"src/f.go", 1, strings.Repeat("é", 50) + "..."}); r.Text() != "Successfully edited src/f.go (1 replacement)" || got != want {
		t.Errorf("%q %+v, want %+v", r.Text(), got, want)
	}
	r = h.call("edit", args{"file_path": "src/f.go", "old_string": "a", "new_string": "b", "replace_all": true})
	if r.Text() != "Successfully edited src/f.go (2 replacements)" || h.get("src/f.go") != "b\n$&\nb\n" {
		t.Errorf("%q, file %q", r.Text(), h.get("src/f.go"))
	}
	if r.Job.Signature != "src/f.go" || r.Job.Rule != "Edit:src/*" || r.Job.Effects[0] != (tool.Effect{Kind: tool.Write, Target: "src/f.go"}) {
		t.Errorf("signature %q, rule %q, effects %v", r.Job.Signature, r.Job.Rule, r.Job.Effects)
	}
	if d, ok := r.Display.(tool.Diff); !ok || d.Added != 2 || d.Removed != 2 || !strings.Contains(d.Unified, "-a\n+b\n") {
		t.Errorf("display %+v", r.Display)
	}
}

func TestMultiEditIsAllOrNothing(t *testing.T) {
	h := open(t, builtin.Options{})
	h.put("f", "a\nb\n")
	edits := []args{{"old_string": "a", "new_string": "long"}, {"old_string": "long\nb", "new_string": "c"}, {"old_string": "nowhere", "new_string": "d"}}
	r := h.call("multi_edit", args{"file_path": "f", "edits": edits})
	if code(r) != tool.Validation || !strings.HasPrefix(r.Text(), "Error: edits[2]: old_string not found in file.") || h.get("f") != "a\nb\n" {
		t.Errorf("%q, file %q", r.Text(), h.get("f"))
	}
	r = h.call("multi_edit", args{"file_path": "f", "edits": edits[:2]})
	if r.Text() != "Successfully edited f (2 replacements)" || h.get("f") != "c\n" {
		t.Errorf("%q, file %q", r.Text(), h.get("f"))
	}
}

// R4.8, ⚑10
// R2.6: directories are made, the final newline is right, the diff is shown.
func TestWriteSaysWhatItDid(t *testing.T) {
	type writeMeta struct {
		Over    bool   `json:"is_overwrite"`
		Lines   int    `json:"line_count"`
		Bytes   int    `json:"byte_count"`
		Newline string `json:"final_newline"`
	}
	for _, c := range []struct {
		name, before, contents, after, text string
		meta                                writeMeta
	}{
		{"new", "", "a\nb", "a\nb\n", "Successfully created d/f (2 lines)", writeMeta{false, 2, 4, "added"}},
		{"new with its newline", "", "a\n", "a\n", "Successfully created d/f (1 lines)", writeMeta{false, 1, 2, "kept"}},
		{"new and empty", "", "", "", "Successfully created d/f (0 lines)", writeMeta{false, 0, 0, "none"}},
		{"over", "x\n", "a", "a\n", "Successfully overwrote d/f (1 lines)", writeMeta{true, 1, 2, "added"}},
		{"over a file that had none", "x", "a", "a", "Successfully overwrote d/f (1 lines)", writeMeta{true, 1, 1, "none"}},
		{"emptied", "x", "", "", "Successfully overwrote d/f (0 lines)", writeMeta{true, 0, 0, "none"}},
		{"CRLF stays", "x\r\ny\r\n", "a\nb", "a\r\nb\r\n", "Successfully overwrote d/f (2 lines)\nNote: the file's line ends were kept (CRLF)", writeMeta{true, 2, 6, "added"}},
		{"mixed ends stay", "x\r\ny\nz\r\n", "x\nnew\ny\nz\n", "x\r\nnew\r\ny\nz\r\n", "Successfully overwrote d/f (4 lines)\nNote: the file's line ends were kept (mixed)", writeMeta{true, 4, 13, "kept"}},
		{"own ends win", "x\r\n", "a\r\nb\n", "a\r\nb\n", "Successfully overwrote d/f (2 lines)", writeMeta{true, 2, 5, "kept"}},
		{"a mark stays", "\xef\xbb\xbfx\n", "é\n", "\xef\xbb\xbfé\n", "Successfully overwrote d/f (1 lines)\nNote: the file's encoding was kept (UTF-8 with BOM)", writeMeta{true, 1, 6, "kept"}},
	} {
		h := open(t, builtin.Options{})
		if c.before != "" {
			h.put("d/f", c.before)
		}
		r := h.call("write", args{"file_path": "d/f", "contents": c.contents})
		if got := meta[writeMeta](t, r); r.Text() != c.text || h.get("d/f") != c.after || got != c.meta {
			t.Errorf("%s: %q %+v, file %q\nwant %q %+v, file %q", c.name, r.Text(), got, h.get("d/f"), c.text, c.meta, c.after)
		}
	}
}

func TestWriteRefusesAFileThatWasNotRead(t *testing.T) {
	h := open(t, builtin.Options{})
	h.put("f", "x\n")
	s := session(t, nil)
	if r := h.in(s, "write", args{"file_path": "f", "contents": "y"}); code(r) != tool.Validation || h.get("f") != "x\n" {
		t.Errorf("unread: %q", r.Text())
	}
	h.in(s, "read", args{"file_path": "f"})
	if r := h.in(s, "write", args{"file_path": "f", "contents": "y"}); r.Err != nil {
		t.Errorf("read: %q", r.Text())
	}
	if r := h.in(s, "edit", args{"file_path": "f", "old_string": "y", "new_string": "z"}); r.Err != nil {
		t.Errorf("what the session wrote it knows: %q", r.Text())
	}
	h.put("f", "other\n")
	if r := h.in(s, "write", args{"file_path": "f", "contents": "y"}); code(r) != tool.Validation || h.get("f") != "other\n" {
		t.Errorf("stale: %q", r.Text())
	}
}

func TestWriteMakesNothingOnTheWayToARefusal(t *testing.T) {
	h := open(t, builtin.Options{})
	r := h.call("write", args{"file_path": ".GIT/config", "contents": "x"})
	if code(r) != tool.Permission {
		t.Errorf("%s %q", code(r), r.Text())
	}
	if _, err := os.Lstat(filepath.Join(h.dir, ".GIT")); err == nil {
		t.Error("the directory was made")
	}
}

func TestASessionRemembersAcrossProcesses(t *testing.T) {
	h := open(t, builtin.Options{})
	h.put("f", "one two\n")
	store := tool.DirStore(t.TempDir())
	h.in(session(t, store), "read", args{"file_path": "f"})
	if r := h.in(session(t, store), "edit", args{"file_path": "f", "old_string": "one", "new_string": "1"}); r.Err != nil {
		t.Errorf("the second process: %q", r.Text())
	}
	first, second := session(t, store), session(t, store)
	h.in(first, "read", args{"file_path": "f"})
	if r := h.in(second, "edit", args{"file_path": "f", "old_string": "two", "new_string": "2"}); r.Err != nil {
		t.Errorf("the third process: %q", r.Text())
	}
	if r := h.in(first, "edit", args{"file_path": "f", "old_string": "1 2", "new_string": "done"}); r.Err != nil {
		t.Errorf("a process that is behind: %q", r.Text())
	}
}

// asking is a kit that asks about everything and does what f says between the question and the yes.
func (h *fixture) asking(f func(tool.Display)) *tool.Kit {
	reg := &tool.Registry{}
	if err := reg.Add(builtin.All(h.ws)...); err != nil {
		h.t.Fatal(err)
	}
	return reg.Kit(tool.KitOptions{Ask: func(_ context.Context, q *tool.Question) (tool.Answer, error) {
		f(q.Preview)
		return tool.Answer{Yes: true}, nil
	}})
}

func TestEditRunsWhatWasApproved(t *testing.T) {
	const before = "head\nvalue = 1\ntail\n"
	for name, c := range map[string]struct{ meanwhile, after string }{
		"nothing happens":              {before, "head\nvalue = 2\ntail\n"},
		"an edit elsewhere":            {"new\nhead\nvalue = 1\ntail!\n", "new\nhead\nvalue = 2\ntail!\n"},
		"the line itself is another":   {"head\nvalue = 1 // why\ntail\n", ""},
		"the text occurs twice now":    {"value = 1\n" + before, ""},
		"the text is gone":             {"head\ntail\n", ""},
		"the text fits but for blanks": {"head\nvalue  = 1\ntail\n", ""},
	} {
		h := open(t, builtin.Options{})
		h.put("f", before)
		kit := h.asking(func(d tool.Display) {
			if !strings.Contains(d.String(), "-value = 1\n+value = 2\n") {
				t.Errorf("%s: shown %q", name, d)
			}
			h.put("f", c.meanwhile)
		})
		r, err := kit.Call(t.Context(), &tool.Call{Name: "edit", Args: json.RawMessage(`{"file_path":"f","old_string":"value = 1","new_string":"value = 2"}`)})
		if err != nil {
			t.Fatal(err)
		}
		want := c.after
		if want == "" {
			want = c.meanwhile
		}
		if (r.Err == nil) != (c.after != "") || h.get("f") != want {
			t.Errorf("%s: %q, file %q", name, r.Text(), h.get("f"))
		}
	}
}

func TestWriteRunsWhatWasApproved(t *testing.T) {
	h := open(t, builtin.Options{})
	h.put("f", "old\n")
	for i, meanwhile := range []string{"old\n", "other\n"} {
		kit := h.asking(func(tool.Display) { h.put("f", meanwhile) })
		r, err := kit.Call(t.Context(), &tool.Call{Name: "write", Args: json.RawMessage(`{"file_path":"f","contents":"new\n"}`)})
		if err != nil || (r.Err == nil) != (i == 0) {
			t.Errorf("%q: %v, %v", meanwhile, r.Text(), err)
		}
	}
	if got := h.get("f"); got != "other\n" {
		t.Errorf("what nobody had seen was replaced: %q", got)
	}
}

func TestADryRunShowsTheDiffAndWritesNothing(t *testing.T) {
	h := open(t, builtin.Options{})
	h.put("f", "one\n")
	for name, a := range map[string]args{
		"edit":       {"file_path": "f", "old_string": "one", "new_string": "two", "dry_run": true},
		"multi_edit": {"file_path": "f", "edits": []args{{"old_string": "one", "new_string": "two"}}, "dry_run": true},
		"write":      {"file_path": "f", "contents": "two\n", "dry_run": true},
	} {
		r := h.call(name, a)
		if r.Err != nil || !strings.Contains(r.Text(), "-one\n+two\n") || h.get("f") != "one\n" {
			t.Errorf("%s: %q, file %q", name, r.Text(), h.get("f"))
		}
		if e := r.Job.Effects; len(e) != 1 || e[0].Kind != tool.Read {
			t.Errorf("%s: effects %v", name, e)
		}
	}
	if r := h.call("write", args{"file_path": "new/f", "contents": "x", "dry_run": true}); r.Err != nil {
		t.Errorf("%q", r.Text())
	}
	if _, err := os.Stat(filepath.Join(h.dir, "new")); err == nil {
		t.Error("a dry run made a directory")
	}
}

func TestAMissingFileIsAnsweredWithTheOneThatMayBeMeant(t *testing.T) {
	h := open(t, builtin.Options{})
	h.put("src/config.go", "x")
	if r := h.call("read", args{"file_path": "src/confg.go"}); r.Text() != "File not found: src/confg.go\nDid you mean src/config.go?" {
		t.Errorf("%q", r.Text())
	}
}

func TestSeveralFilesAreReadInOneCall(t *testing.T) {
	h := open(t, builtin.Options{})
	h.put("a", "1\n")
	h.put("b", "2\n")
	r := h.call("read", args{"file_paths": []string{"a", "gone", "b"}})
	want := "==> a <==\n     1|1\n==> gone <==\nFile not found: gone\n==> b <==\n     1|2"
	if r.Err != nil || r.Text() != want {
		t.Errorf("%q, want %q", r.Text(), want)
	}
	if r := h.call("read", args{"file_paths": []string{"gone", "lost"}}); code(r) != tool.Execution {
		t.Errorf("none can be read: %q", r.Text())
	}
}

func TestALongReadSaysHowToGoOn(t *testing.T) {
	h := open(t, builtin.Options{})
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	h.put("f", b.String())
	r := h.call("read", args{"file_path": "f"})
	if !strings.HasSuffix(r.Text(), "  2000|line 1999\n[lines 1-2000 of 5000; go on with start_line=2001]") {
		t.Errorf("…%q", r.Text()[len(r.Text())-200:])
	}
	h.put("wide", strings.Repeat("é", 3000)+"\n"+strings.Repeat("x", 30_000)+"\n")
	r = h.call("read", args{"file_path": "wide"})
	want := "     1|" + strings.Repeat("é", 2000) + " [… 2000 bytes more in this line]\n     2|" + strings.Repeat("x", 2000) + " [… 28000 bytes more in this line]"
	if r.Text() != want {
		t.Errorf("%q", r.Text())
	}
}

func TestAChangeThatBreaksTheSyntaxSaysSo(t *testing.T) {
	h := open(t, builtin.Options{})
	h.put("a.sh", "if true; then\n\techo yes\nfi\n")
	h.put("broken.sh", "echo $(one\n")
	h.put("a.toml", "a = 1\nb = 2\n")
	h.put("a.json", "{\n  \"a\": 1\n}\n")
	for _, c := range []struct{ file, old, new, want string }{
		{"a.sh", "\nfi\n", "\n", "Note: the file does not parse now: a.sh:1:1:"},
		{"broken.sh", "one", "two", ""},
		{"a.toml", "b = 2", "b = = 2", "Note: the file does not parse now: a.toml:2:5:"},
		{"a.json", "1\n", "1,\n", "Note: the file does not parse now: a.json:3:1: invalid character"},
		{"a.json", "1,\n", "2\n", ""},
	} {
		r := h.call("edit", args{"file_path": c.file, "old_string": c.old, "new_string": c.new})
		if _, note, _ := strings.Cut(r.Text(), "\n"); r.Err != nil || !strings.HasPrefix(note, c.want) || c.want == "" && note != "" {
			t.Errorf("%s: %q, want %q", c.file, r.Text(), c.want)
		}
	}
	if r := h.call("write", args{"file_path": "new.json", "contents": "{"}); !strings.Contains(r.Text(), "new.json:2:0: unexpected end") {
		t.Errorf("%q", r.Text())
	}
}
