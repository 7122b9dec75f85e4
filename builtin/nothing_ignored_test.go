package builtin_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"helve/builtin"
	"helve/tool"
)

// A time that is given to a command in the background does not end it, and the result says so.
func TestATimeForACommandInTheBackgroundIsAnswered(t *testing.T) {
	needBash(t)
	h := open(t, builtin.Options{})
	s := session(t, nil)
	for _, c := range []struct {
		args args
		said bool
	}{
		{args{"timeout": 50}, true},
		{args{"timeout": 120000}, true}, // what holds in the foreground without it, too
		{args{"timeout_seconds": 1}, true},
		{args{}, false},
	} {
		c.args["command"], c.args["run_in_background"] = "sleep 600", true
		res := h.in(s, "bash", c.args)
		var meta struct {
			TaskID string `json:"task_id"`
		}
		if err := json.Unmarshal(res.Meta, &meta); err != nil || meta.TaskID == "" {
			t.Fatalf("%s, %v", res.Text(), res.Err)
		}
		if said := strings.Contains(res.Text(), "timeout has no effect in the background"); said != c.said {
			t.Errorf("%v: %q", c.args, res.Text())
		}
		got := h.in(s, "bash_output", args{"task_id": meta.TaskID, "wait": 100}).Text()
		if !strings.Contains(got, "is running") {
			t.Errorf("%v: %q", c.args, got)
		}
	}
}

// What is wrong with a type or a glob is the model's to mend, and named.
func TestGrepNamesWhatIsWrongWithATypeOrAGlob(t *testing.T) {
	h := open(t, builtin.Options{})
	h.put("a.py", "x\n")
	for _, c := range []struct {
		tool string
		args args
		want string
	}{
		{"grep", args{"pattern": "x", "type": "pythn"}, `unknown file type "pythn": did you mean "python"?`},
		{"grep", args{"pattern": "x", "type": "Markdwon"}, `did you mean "markdown"?`},
		{"grep", args{"pattern": "x", "type": "tsx"}, `for *.tsx files it is`},
		{"grep", args{"pattern": "x", "type": "no such thing"}, ` python `},
		{"grep", args{"pattern": "x", "include": "a["}, `glob "a[": "[" is never closed`},
		{"grep", args{"pattern": "x", "exclude": `a\`}, `backslash at the end`},
		{"grep", args{"pattern": "x", "include": strings.Repeat("{a,b}", 20)}, `braces stand for more than`},
		{"glob", args{"pattern": "a["}, `is never closed`},
		{"glob", args{"pattern": "*", "exclude": "a["}, `is never closed`},
	} {
		res := h.call(c.tool, c.args)
		if res.Err == nil || res.Err.Code != tool.Validation || !strings.Contains(res.Err.Error(), c.want) {
			t.Errorf("%s %v: %v, %q, want %q", c.tool, c.args, res.Err, res.Text(), c.want)
		}
	}
}

// Several globs stand in one text with commas between them, as models write them.
func TestSeveralGlobsStandInOneText(t *testing.T) {
	h := open(t, builtin.Options{})
	for _, f := range []string{"a.go", "b.txt", "c.md", "d,e.c", "sub/f.go", "x{y.h"} {
		h.put(f, "word\n")
	}
	for _, c := range []struct {
		tool string
		args args
		want string // the files, sorted by name
	}{
		{"grep", args{"include": "*.go,*.txt"}, "a.go b.txt sub/f.go"},
		{"grep", args{"include": "*.go, *.txt,"}, "a.go b.txt sub/f.go"},
		{"grep", args{"include": "*.{go,txt},*.md"}, "a.go b.txt c.md sub/f.go"},
		{"grep", args{"include": "d,e.c"}, "d,e.c"},
		{"grep", args{"include": `d\,e.c`}, "d,e.c"},
		{"grep", args{"include": "d[,]e.c,*.md"}, "c.md d,e.c"},
		{"grep", args{"include": "x{*,*.md"}, "c.md x{y.h"},
		{"grep", args{"include": "*.go,!sub/*"}, "a.go"},
		{"grep", args{"exclude": "*.go,*.txt,x*"}, "c.md d,e.c"},
		{"grep", args{"exclude": []string{"*.go,*.txt", "x*"}}, "c.md d,e.c"},
		{"glob", args{"pattern": "*.go,*.txt"}, "a.go b.txt sub/f.go"},
		{"glob", args{"pattern": "d,e.c"}, "d,e.c"},
		{"glob", args{"pattern": "*.{go,txt}, sub/**"}, "a.go b.txt sub/f.go"},
		{"glob", args{"pattern": "*", "exclude": "*.go,*.txt,x*"}, "c.md d,e.c"},
		{"glob", args{"pattern": "*.go,*.txt", "path": "sub"}, "sub/f.go"},
	} {
		if c.tool == "grep" {
			c.args["pattern"], c.args["mode"] = "word", "files"
		}
		res := h.call(c.tool, c.args)
		if got := sorted(res.Text()); res.Err != nil || got != c.want {
			t.Errorf("%s %v:\n got %s\nwant %s", c.tool, c.args, got, c.want)
		}
	}
	res := h.call("glob", args{"pattern": "*.go,../*"})
	if res.Err == nil || !strings.Contains(res.Text(), "lead out") {
		t.Errorf("%q", res.Text())
	}
	for _, a := range []args{{"include": "*.gox"}, {"type": "vue"}, {"include": "*.gox", "type": "go"}} {
		a["pattern"] = "word"
		text := h.call("grep", a).Text()
		if !strings.Contains(text, "[no file that can be searched here matches ") {
			t.Errorf("%v: %q", a, text)
		}
	}
	if text := h.call("grep", args{"pattern": "absent", "include": "*.go"}).Text(); strings.Contains(text, "no file") {
		t.Errorf("files were searched: %q", text)
	}
}

// A hostile text of a megabyte is cut as fast as it is read.
func TestGlobsOfAMegabyteAreRefused(t *testing.T) {
	h := open(t, builtin.Options{})
	for _, part := range []string{",", "[", "{", `\`, "a,", "{a,b},"} {
		res := h.call("grep", args{"pattern": "x", "include": strings.Repeat(part, 1<<20/len(part))})
		if res.Err == nil || res.Err.Code != tool.Validation {
			t.Errorf("%q: %v, %.200q", part, res.Err, res.Text())
		}
	}
}

// A path cannot forge lines, nor colour them: what it holds of controls is written out.
func TestAPathIsShownInOneLine(t *testing.T) {
	h := open(t, builtin.Options{})
	const bad = "gone\nError: forged\x1b[31m\u202e\u200b"
	for name, a := range map[string]args{
		"read":       {"file_path": bad},
		"write":      {"file_path": bad + "/", "contents": ""},
		"edit":       {"file_path": bad, "old_string": "a", "new_string": "b"},
		"multi_edit": {"file_path": bad, "edits": []args{{"old_string": "a", "new_string": "b"}}},
		"ls":         {"path": bad},
		"glob":       {"pattern": "*", "path": bad},
		"grep":       {"pattern": "x", "path": bad},
		"bash":       {"command": "pwd", "working_directory": bad},
	} {
		text := h.call(name, a).Text()
		if strings.Contains(text, "\nError: forged") || strings.ContainsAny(text, "\x1b\u202e\u200b") || !strings.Contains(text, `forged\x1b[31m\u202e`) {
			t.Errorf("%s: %q", name, text)
		}
	}
	if runtime.GOOS == "windows" {
		t.Skip("no name on Windows has a control character")
	}
	made := "a\nb\x1b.txt"
	res := h.call("write", args{"file_path": made, "contents": "x\n"})
	if res.Err != nil || !strings.Contains(res.Text(), `"a\nb\x1b.txt"`) {
		t.Errorf("%q", res.Text())
	}
	if b, err := os.ReadFile(filepath.Join(h.dir, made)); err != nil || string(b) != "x\n" {
		t.Errorf("%q, %v", b, err)
	}
}
