//go:build unix

package builtin_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"helve/builtin"
	"helve/tool"
	"helve/tooltest"
)

// withData are the tools whose text is made of their data.
func withData(w *builtin.Toolbox) map[string]tool.Tool {
	out := map[string]tool.Tool{}
	for _, t := range append(builtin.All(w), builtin.Past(w)...) {
		if _, ok := t.(tool.Renderer); ok {
			out[t.Spec().Name] = t
		}
	}
	return out
}

// What tooltest checks of each call: the text is that of the data, the data satisfies its schema, and a program gets all of it.
func TestTextsAreMadeOfData(t *testing.T) {
	h := open(t, builtin.Options{State: t.TempDir()})
	h.put(".gitignore", "hidden.txt\n")
	h.put("hidden.txt", "nowhere else\n")
	h.put("a.go", "package a\n\nfunc One() {}\n\nfunc Two() {\n\tOne()\n\tOne()\n}\n// last\n")
	h.put("edit.go", "package a\n\nfunc One() {}\n\nfunc Two() {\n\tOne()\n\tOne()\n}\n// last\n")
	h.put("sub/b.go", "func One() {}\nx\ny\nfunc Three() {}\n")
	h.put("long.txt", "first\n"+strings.Repeat("é", 1500)+" needle\nlast\r\n")
	h.put("latin.txt", "caf\xe9 needle\n")
	h.put("bin.dat", "a\x00needle\n")
	h.put("many.txt", strings.Repeat("x y\n", 300))
	h.put("odd\nname.txt", "needle\n")
	h.put("empty.txt", "")
	h.put("deep/1/2/3/4/5.txt", "x")
	for i := range 1200 {
		h.put(fmt.Sprintf("wide/%04d", i), "")
	}
	if err := os.MkdirAll(filepath.Join(h.dir, "none"), 0o755); err != nil {
		t.Fatal(err)
	}
	h.put("huge.txt", strings.Repeat(strings.Repeat("0123456789", 10)+"\n", 5000))
	h.put("large.bin", strings.Repeat("\x00\x01", 5000))
	h.put("pixel.png", pixel(t))
	h.put("book.ipynb", `{"cells":[{"cell_type":"markdown","source":["# Head\n","text"]},{"cell_type":"code","source":"1+1","outputs":[{"output_type":"stream","text":"2"}]}],"nbformat":4,"metadata":{"language_info":{"name":"python"}}}`)
	tools := withData(h.ws)
	for _, c := range []struct{ name, args string }{
		{"grep", `{"pattern":"One"}`},
		{"grep", `{"pattern":"One","context":1}`},
		{"grep", `{"pattern":"func","before":2,"after":3}`},
		{"grep", `{"pattern":"One","context":20,"head_limit":2}`},
		{"grep", `{"pattern":"One|x","after":2,"path":"sub"}`},
		{"grep", `{"pattern":"needle"}`},
		{"grep", `{"pattern":"needle","context":1}`},
		{"grep", `{"pattern":"x"}`},
		{"grep", `{"pattern":"x","offset":299}`},
		{"grep", `{"pattern":"x","offset":900}`},
		{"grep", `{"pattern":"One","mode":"count"}`},
		{"grep", `{"pattern":"One","mode":"files","before":2}`},
		{"grep", `{"pattern":"One","path":"a.go","include":"*.go","mode":"files","after":1}`},
		{"grep", `{"pattern":"nowhere else"}`},
		{"grep", `{"pattern":"One","include":"*.py","type":"py"}`},
		{"grep", `{"pattern":"One\\(\\)\\n\\tOne","multiline":true}`},
		{"glob", `{"pattern":"*.go"}`},
		{"glob", `{"pattern":"*.nothing"}`},
		{"glob", `{"pattern":"*name*"}`},
		{"glob", `{"pattern":"hidden*"}`},
		{"read", `{"file_path":"a.go"}`},
		{"read", `{"file_path":"a.go","start_line":3,"end_line":5}`},
		{"read", `{"file_path":"a.go","offset":2,"limit":3}`},
		{"read", `{"file_path":"a.go","start_line":900}`},
		{"read", `{"file_path":"many.txt","limit":300}`},
		{"read", `{"file_path":"huge.txt"}`},
		{"read", `{"file_path":"long.txt"}`},
		{"read", `{"file_path":"latin.txt"}`},
		{"read", `{"file_path":"empty.txt"}`},
		{"read", `{"file_path":"bin.dat","start_line":2}`},
		{"read", `{"file_path":"large.bin"}`},
		{"read", `{"file_path":"pixel.png","offset":1}`},
		{"read", `{"file_path":"book.ipynb"}`},
		{"read", `{"file_path":"\"odd\\nname.txt\""}`},
		{"edit", `{"file_path":"edit.go","old_string":"// last","new_string":"// the end"}`},
		{"edit", `{"file_path":"edit.go","old_string":"One","new_string":"Uno","replace_all":true,"dry_run":true}`},
		{"edit", `{"file_path":"edit.go","old_string":"func Two() {","new_string":"func Two() {{"}`},
		{"multi_edit", `{"file_path":"edit.go","edits":[{"old_string":"package a","new_string":"package b"},{"old_string":"One()","new_string":"Uno()","replace_all":true}]}`},
		{"write", `{"file_path":"new/new.txt","contents":"one\ntwo"}`},
		{"write", `{"file_path":"long.txt","contents":"more","append":true}`},
		{"write", `{"file_path":"empty.txt","contents":"x","dry_run":true}`},
		{"ls", `{}`},
		{"ls", `{"path":"deep","depth":1}`},
		{"ls", `{"path":"wide"}`},
		{"ls", `{"path":"none"}`},
		{"bash", `{"command":"echo out; echo err >&2"}`},
		{"bash", `{"command":"true"}`},
		{"bash", `{"command":"seq 20000; seq 20000 >&2"}`},
		{"bash", `{"command":"printf '  a\\xff\\n\\n'; echo x > made.txt; rm -f many.txt"}`},
		{"bash", `{"command":"sleep 0.1","run_in_background":true,"timeout":1000}`},
		{"todo_write", `{"todos":[{"content":"a"},{"content":"b","status":"in_progress"},{"content":"c","status":"in_progress"}]}`},
		{"todo_write", `{"todos":[]}`},
		{"todo_read", `{}`},
		{"read", `{"file_paths":["a.go","pixel.png","long.txt","bin.dat","empty.txt"]}`},
	} {
		t.Run(c.name+" "+c.args, func(t *testing.T) {
			tl := tools[c.name]
			if tl == nil {
				t.Fatalf("%s does not say how its text is made", c.name)
			}
			s := &tool.Session{ID: "check"} // which tooltest closes
			h.in(s, "read", args{"file_paths": []string{"edit.go", "empty.txt"}})
			tooltest.Check(t, tl, &tool.Call{Args: json.RawMessage(c.args), Session: s, Dir: h.dir})
		})
	}
}

// data is the data of a call that must succeed, by name.
func dataOf[T any](t *testing.T, h *fixture, name, args string, whole int) (out T) {
	t.Helper()
	res, err := h.kit.Call(t.Context(), &tool.Call{Name: name, Args: json.RawMessage(args), Dir: h.dir, Whole: whole})
	if err != nil || res.Err != nil {
		t.Fatalf("%s %s: %v, %v", name, args, res, err)
	}
	if err := json.Unmarshal(res.Data, &out); err != nil {
		t.Fatalf("%s: %v", res.Data, err)
	}
	return out
}

type found struct {
	Matches []struct {
		Path          string
		Line, Column  int
		Text          string
		Cut           bool
		Before, After []string
	}
	Files []struct {
		Path     string
		Count    int
		Size     int64
		Modified time.Time
	}
	Count    int
	Complete bool
	Why      string
}

func TestGrepTellsAProgramWhatItsTextCuts(t *testing.T) {
	h := open(t, builtin.Options{})
	long := strings.Repeat("x", 2000) + "needle"
	h.put("a.txt", "one\n"+long+"\nthree\n")
	h.put("many.txt", strings.Repeat("hay\n", 250))
	page := dataOf[found](t, h, "grep", `{"pattern":"needle","context":1}`, 0)
	if len(page.Matches) != 1 || !page.Matches[0].Cut || page.Complete || page.Why != "1 lines are cut at 500 bytes" || len(page.Matches[0].Text) != 500 {
		t.Errorf("%+v", page)
	}
	all := dataOf[found](t, h, "grep", `{"pattern":"needle","context":1}`, tool.MaxWhole)
	m := all.Matches[0]
	if !all.Complete || m.Cut || m.Text != long || m.Column != 2001 || m.Line != 2 || m.Before[0] != "one" || m.After[0] != "three" {
		t.Errorf("%+v", all)
	}
	if page, all := dataOf[found](t, h, "grep", `{"pattern":"hay"}`, 0), dataOf[found](t, h, "grep", `{"pattern":"hay"}`, tool.MaxWhole); len(page.Matches) != 100 || page.Complete || len(all.Matches) != 250 || !all.Complete {
		t.Errorf("%d matches of a page, %d of all", len(page.Matches), len(all.Matches))
	}
	res, err := h.kit.Call(t.Context(), &tool.Call{Name: "grep", Args: json.RawMessage(`{"pattern":"hay"}`), Session: &tool.Session{}, Dir: h.dir, Whole: 4000})
	if err != nil || res.Err == nil || res.Data != nil || !strings.Contains(res.Text(), "larger than the 4000 bytes that a program may have at once") {
		t.Errorf("%q, %v", res.Text(), err)
	}
}

func TestGlobTellsAProgramSizesAndTimes(t *testing.T) {
	h := open(t, builtin.Options{})
	p := h.put("a.txt", "12345")
	when := time.Date(2026, 2, 3, 4, 5, 6, 789, time.UTC)
	if err := os.Chtimes(p, when, when); err != nil {
		t.Fatal(err)
	}
	got := dataOf[found](t, h, "glob", `{"pattern":"*.txt"}`, 0)
	if len(got.Files) != 1 || got.Files[0].Path != "a.txt" || got.Files[0].Size != 5 || !got.Complete || !got.Files[0].Modified.Truncate(time.Second).Equal(when.Truncate(time.Second)) {
		t.Errorf("%+v", got)
	}
}

// pixel is a picture of one point.
func pixel(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

type readFound struct {
	Path        string
	Lines       []string
	From, Total int64
	Cut         []struct{ Line, Bytes int64 }
	Bytes       []byte
	Size        int64
	Width       int
	Files       []readFound
	Error       string
	Complete    bool
	Why         string
}

func TestReadTellsAProgramWhatItsTextCuts(t *testing.T) {
	h := open(t, builtin.Options{})
	long := strings.Repeat("y", 9000)
	h.put("a.txt", long+"\n"+strings.Repeat("x\n", 2500))
	page := dataOf[readFound](t, h, "read", `{"file_path":"a.txt"}`, 0)
	if len(page.Lines) != 2000 || page.Complete || page.Why != "there are more lines; 1 line cut at the end" || len(page.Lines[0]) != 2000 || page.Cut[0].Line != 1 || page.Cut[0].Bytes != 7000 || page.Total != 2501 {
		t.Errorf("%d lines, %v, %q, %v of %d", len(page.Lines), page.Complete, page.Why, page.Cut, page.Total)
	}
	all := dataOf[readFound](t, h, "read", `{"file_path":"a.txt"}`, tool.MaxWhole)
	if len(all.Lines) != 2501 || !all.Complete || all.Lines[0] != long || all.Cut != nil {
		t.Errorf("%d lines, %v, %q", len(all.Lines), all.Complete, all.Why)
	}
	if part := dataOf[readFound](t, h, "read", `{"file_path":"a.txt","start_line":2,"end_line":3}`, 0); !part.Complete || len(part.Lines) != 2 || part.From != 2 {
		t.Errorf("what was asked for is not all: %+v", part)
	}
	bin := strings.Repeat("\x00\x01\xff", 1000)
	h.put("b.bin", bin)
	if got := dataOf[readFound](t, h, "read", `{"file_path":"b.bin"}`, tool.MaxWhole); string(got.Bytes) != bin || !got.Complete {
		t.Errorf("%d bytes, %+v", len(got.Bytes), got.Why)
	}
	two := dataOf[readFound](t, h, "read", `{"file_paths":["b.bin","nothing"]}`, 0)
	if len(two.Files) != 2 || two.Files[1].Error == "" || two.Complete || len(two.Files[0].Bytes) != 128 {
		t.Errorf("%+v", two)
	}
	res := h.call("read", args{"file_paths": []string{"b.bin", "nothing", "a.txt"}})
	if text, err := withData(h.ws)["read"].(tool.Renderer).TextOf(res.Data); err != nil || text != res.Text() {
		t.Errorf("%q is not the text of the data, %q (%v)", res.Text(), text, err)
	}
	for _, args := range []string{`{"file_path":"a.txt"}`, `{"file_path":"b.bin"}`, `{"file_paths":["c.txt","c.txt","c.txt"]}`} {
		h.put("c.txt", strings.Repeat("z", 900))
		res, err := h.kit.Call(t.Context(), &tool.Call{Name: "read", Args: json.RawMessage(args), Session: &tool.Session{}, Dir: h.dir, Whole: 2000})
		if err != nil || res.Err == nil || res.Data != nil || !strings.Contains(res.Text(), "2000 bytes that a program may have") {
			t.Errorf("%s: %.200q, %v", args, res.Text(), err)
		}
	}
}

func TestAChangeTellsWhatItWasMadeOf(t *testing.T) {
	h := open(t, builtin.Options{})
	h.put("a.txt", "one\ntwo\n")
	type changed struct {
		Path, Diff, Before, After string
		Added, Removed            int
		Replacements              int
		Overwrote, Complete       bool
		Changes                   []struct{ Path, Change string }
	}
	got := dataOf[changed](t, h, "edit", `{"file_path":"a.txt","old_string":"two","new_string":"three"}`, 0)
	sum := func(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s))) }
	want := "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n"
	if got.Diff != want || got.Before != sum("one\ntwo\n") || got.After != sum("one\nthree\n") || got.Replacements != 1 || !got.Complete || got.Added != 1 {
		t.Errorf("%+v", got)
	}
	long := strings.Repeat("x\n", 5000)
	page := dataOf[changed](t, h, "write", `{"file_path":"b.txt","contents":`+quoted(long)+`}`, 0)
	if page.Complete || page.Before != "" || page.After != sum(long) || page.Added != 5000 || strings.Count(page.Diff, "\n+x") > 2000 {
		t.Errorf("%.300s… %v %d", page.Diff, page.Complete, page.Added)
	}
	all := dataOf[changed](t, h, "write", `{"file_path":"c.txt","contents":`+quoted(long)+`}`, tool.MaxWhole)
	if !all.Complete || strings.Count(all.Diff, "\n+x") != 5000 {
		t.Errorf("%d lines, %v", strings.Count(all.Diff, "\n+x"), all.Complete)
	}
}

func quoted(s string) string {
	b, _ := json.Marshal(s) // a text has a JSON form
	return string(b)
}

type ran struct {
	Stdout, Stderr string
	ExitCode       int  `json:"exit_code"`
	TimedOut       bool `json:"timed_out"`
	Failed         string
	Complete       bool
	StdoutCut      *struct {
		At    int
		Bytes int
	} `json:"stdout_cut"`
	Changes []struct{ Path, Change string }
}

func TestBashTellsAProgramWhatItChanged(t *testing.T) {
	h := open(t, builtin.Options{})
	needLayer(t, h)
	all := dataOf[ran](t, h, "bash", `{"command":"echo x > new.txt"}`, tool.MaxWhole)
	if len(all.Changes) != 1 || all.Changes[0].Path != "new.txt" || !all.Complete {
		t.Errorf("%+v", all.Changes)
	}
}

func TestBashTellsAProgramWhatItsTextCuts(t *testing.T) {
	h := open(t, builtin.Options{})
	all := dataOf[ran](t, h, "bash", `{"command":"seq 20000; echo e >&2; echo x > new.txt"}`, tool.MaxWhole)
	lines := strings.Split(all.Stdout, "\n")
	if len(lines) != 20000 || lines[19999] != "20000" || all.Stderr != "e" || !all.Complete || all.StdoutCut != nil {
		t.Errorf("%d lines, %.300s", len(lines), all.Stderr)
	}
	page := dataOf[ran](t, h, "bash", `{"command":"seq 20000"}`, 0)
	if page.Complete || page.StdoutCut == nil || len(page.Stdout)+page.StdoutCut.Bytes < 108_000 || len(page.Stdout) > 20_000 {
		t.Errorf("%d bytes, %+v", len(page.Stdout), page.StdoutCut)
	}
	for _, c := range []struct {
		args string
		want ran
	}{
		{`{"command":"echo out; echo err >&2; exit 3"}`, ran{Stdout: "out", Stderr: "err", ExitCode: 3, Failed: "Command failed with exit code 3:"}},
		{`{"command":"echo out; sleep 20","timeout":4000}`, ran{Stdout: "out", ExitCode: -1, TimedOut: true, Failed: "Command timed out after 4000ms: echo out; sleep 20"}},
		{`{"command":"kill -9 $$"}`, ran{ExitCode: -1, Failed: "Command ended by signal SIGKILL:"}},
	} {
		res, err := h.kit.Call(t.Context(), &tool.Call{Name: "bash", Args: json.RawMessage(c.args), Dir: h.dir})
		if err != nil || res.Err == nil {
			t.Fatalf("%s: %v, %v", c.args, res, err)
		}
		var got ran
		if err := json.Unmarshal(res.Data, &got); err != nil {
			t.Fatal(err)
		}
		got.Complete = false
		if got.Stdout != c.want.Stdout || got.Stderr != c.want.Stderr || got.TimedOut != c.want.TimedOut || got.Failed != c.want.Failed || c.want.ExitCode > 0 && got.ExitCode != c.want.ExitCode {
			t.Errorf("%s\ngot  %+v\nwant %+v", c.args, got, c.want)
		}
		text, err := withData(h.ws)["bash"].(tool.Renderer).TextOf(res.Data)
		if err != nil || text != res.Text() {
			t.Errorf("%q is not the text of the data, %q (%v)", res.Text(), text, err)
		}
	}
	res, err := h.kit.Call(t.Context(), &tool.Call{Name: "bash", Args: json.RawMessage(`{"command":"seq 20000"}`), Dir: h.dir, Whole: 50_000})
	if err != nil || res.Err == nil || res.Data != nil || !strings.Contains(res.Text(), "The call was carried out") {
		t.Errorf("%.300q, %v", res.Text(), err)
	}
}

func TestLsTellsAProgramEverything(t *testing.T) {
	h := open(t, builtin.Options{})
	h.put("a/b/c/d/e.txt", "12345")
	h.put("odd\nname", "")
	for i := range 1500 {
		h.put(fmt.Sprintf("wide/%04d", i), "")
	}
	if err := os.Mkdir(filepath.Join(h.dir, "links"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../a", filepath.Join(h.dir, "links", "to-a")); err != nil {
		t.Fatal(err)
	}
	type listed struct {
		Entries []struct {
			Path, Name, Type string
			Level            int
			Size             int64
			Files            int
		}
		Files    int
		Complete bool
		Why      string
	}
	page := dataOf[listed](t, h, "ls", `{}`, 0)
	if page.Complete || page.Why != "stopped at the limit; deeper levels are only counted" || len(page.Entries) != 1000 {
		t.Errorf("%v %q %d", page.Complete, page.Why, len(page.Entries))
	}
	all := dataOf[listed](t, h, "ls", `{}`, tool.MaxWhole)
	seen := map[string]string{}
	for _, e := range all.Entries {
		seen[e.Path] = fmt.Sprintf("%s %d %d", e.Type, e.Level, e.Size)
	}
	for path, want := range map[string]string{"a/b/c/d/e.txt": "file 5 5", "a/b": "directory 2 0", "links/to-a": "link 2 0", `"odd\nname"`: "file 1 0", "wide/1499": "file 2 0"} {
		if seen[path] != want {
			t.Errorf("%s: %q, want %q", path, seen[path], want)
		}
	}
	if !all.Complete || len(all.Entries) != 1500+5+2+1+1 || all.Files != 1502 {
		t.Errorf("%v, %d entries, %d files", all.Complete, len(all.Entries), all.Files)
	}
}

// What a command in the background printed is data, too; what was read once is not read again, so a call brings only what surely fits.
func TestTasksTellAProgramWhatTheyPrinted(t *testing.T) {
	h := open(t, builtin.Options{})
	s := &tool.Session{ID: "tasks"}
	defer s.Close()
	tools := withData(h.ws)
	call := func(name string, whole int, a args) (data struct {
		TaskID         string `json:"task_id"`
		Running        bool
		Stdout, Stderr struct {
			Text       string
			Lost, Rest int64
		}
		Over     bool
		Complete bool
	}) {
		t.Helper()
		b, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		res, err := h.kit.Call(t.Context(), &tool.Call{Name: name, Args: b, Session: s, Dir: h.dir, Whole: whole})
		if err != nil || res.Err != nil {
			t.Fatalf("%s: %v, %v", name, res, err)
		}
		text, err := tools[name].(tool.Renderer).TextOf(res.Data)
		if err != nil || text != res.Text() {
			t.Errorf("%q is not the text of the data, %q (%v)", res.Text(), text, err)
		}
		if _, err := tools[name].Spec().Output.Check(res.Data); err != nil {
			t.Errorf("%s: %v", res.Data, err)
		}
		if err := json.Unmarshal(res.Data, &data); err != nil {
			t.Fatal(err)
		}
		return data
	}
	start := args{"command": "echo e >&2; seq 300; sleep 30", "run_in_background": true}
	started := h.in(s, "bash", start)
	text, err := tools["bash"].(tool.Renderer).TextOf(started.Data)
	if err != nil || text != started.Text() {
		t.Errorf("%q is not the text of the data, %q (%v)", started.Text(), text, err)
	}
	const id = "task-1"
	var out, errs string
	for range 200 {
		got := call("bash_output", 4000, args{"task_id": id, "wait": 100})
		out, errs = out+got.Stdout.Text, errs+got.Stderr.Text
		if !got.Running || len(got.Stdout.Text) > 4000/16 {
			t.Fatalf("%+v", got)
		}
		if strings.HasSuffix(out, "300\n") && errs != "" {
			break
		}
	}
	if strings.Count(out, "\n") != 300 || errs != "e\n" {
		t.Errorf("%d lines, %q", strings.Count(out, "\n"), errs)
	}
	if got := call("bash_kill", 0, args{"task_id": id}); got.Running || !got.Complete || got.Over {
		t.Errorf("%+v", got)
	}
	if got := call("bash_kill", 0, args{"task_id": id}); !got.Over {
		t.Errorf("%+v", got)
	}
}

// A program is told of every call, every line and every file, where a model reads the first of them.
func TestThePastTellsAProgramWhatItsTextCuts(t *testing.T) {
	h, past := withPast(t, writing())
	type told struct {
		Calls       json.RawMessage
		Diff        string
		Done        int
		Added       int
		Left        []struct{ Path, Why, Versions string }
		Changes     []struct{ Path string }
		MoreChanges int `json:"more_changes"`
		Complete    bool
		Why         string
	}
	long := strings.Repeat("line\n", 3000)
	var calls []args
	for i := range 130 {
		calls = append(calls, args{"file_path": fmt.Sprintf("f%03d.txt", i), "contents": long[:100+i*5]})
	}
	parent := h.made(calls...)
	h.must("write", args{"file_path": "long.txt", "contents": long})
	count := func(d told) int {
		var list []any
		if err := json.Unmarshal(d.Calls, &list); err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	page := dataOf[told](t, past, "history", `{}`, 0)
	all := dataOf[told](t, past, "history", `{}`, tool.MaxWhole)
	if count(page) != 20 || page.Complete || count(all) != 131 || !all.Complete {
		t.Errorf("history: %d of a page, %d of all; complete %v, %v", count(page), count(all), page.Complete, all.Complete)
	}
	for _, whole := range []int{0, tool.MaxWhole} {
		name, lines := "diff", 3000
		var last []struct{ ID string }
		if err := json.Unmarshal(page.Calls, &last); err != nil {
			t.Fatal(err)
		}
		d := dataOf[told](t, past, name, `{"calls":`+quoted(last[0].ID)+`}`, whole)
		dry := dataOf[told](t, past, "undo", `{"call":`+quoted(last[0].ID)+`,"dry_run":true}`, whole)
		for what, d := range map[string]told{"diff": d, "undo": dry} {
			n := strings.Count(d.Diff, "\n+line") + strings.Count(d.Diff, "\n-line")
			if d.Complete != (whole > 0) || (n == lines) != (whole > 0) {
				t.Errorf("%s for %d bytes: %d lines, complete %v: %s", what, whole, n, d.Complete, d.Why)
			}
		}
	}
	h.put("f007.txt", "somebody's")
	undone := func(name, args string, whole int) (d told) {
		t.Helper()
		res, err := past.kit.Call(t.Context(), &tool.Call{Name: name, Args: json.RawMessage(args), Dir: h.dir, Whole: whole})
		if err != nil {
			t.Fatal(err)
		}
		past.agrees(name, res)
		if err := json.Unmarshal(res.Data, &d); err != nil {
			t.Fatalf("%s: %v", res.Text(), err)
		}
		return d
	}
	whole := undone("undo", `{"call":`+quoted(parent)+`}`, tool.MaxWhole)
	if whole.Done != 129 || len(whole.Changes) != 129 || !whole.Complete || len(whole.Left) != 1 || !strings.Contains(whole.Left[0].Versions, "+somebody's") {
		t.Errorf("done %d, %d changes, left %+v, complete %v: %s", whole.Done, len(whole.Changes), whole.Left, whole.Complete, whole.Why)
	}
	part := undone("redo", `{}`, 0)
	if part.Done != 129 || len(part.Changes) != 100 || part.MoreChanges != 29 || part.Complete {
		t.Errorf("done %d, %d changes, %d more, complete %v", part.Done, len(part.Changes), part.MoreChanges, part.Complete)
	}
}
