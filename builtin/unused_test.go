package builtin_test

import (
	"strings"
	"testing"

	"helve/builtin"
	"helve/tool"
)

// What is asked for and means nothing beside the rest of a call is told, and an answer is not to another question.
func TestWhatMeansNothingInACallIsTold(t *testing.T) {
	h := open(t, builtin.Options{})
	h.put("a.txt", "hello\nhello\n")
	h.put("b.go", "hello\n")
	h.put("bin", "\x00\x01\xff")
	h.put("img.png", string(pictures(t)["image/png"]))
	for _, c := range []struct {
		tool string
		in   args
		want string
	}{
		{"grep", args{"pattern": "hello", "path": "a.txt", "include": "*.go"}, "[ignored: include, exclude and type choose files"},
		{"grep", args{"pattern": "hello", "path": "a.txt", "type": "go"}, "[ignored: include, exclude and type choose files"},
		{"grep", args{"pattern": "hello", "path": "a.txt", "exclude": "a.*"}, "[ignored: include, exclude and type choose files"},
		{"grep", args{"pattern": "hello", "mode": "files", "context": 2}, "[ignored: before, after and context show lines"},
		{"grep", args{"pattern": "hello", "mode": "count", "-A": 2}, "[ignored: before, after and context show lines"},
		{"grep", args{"pattern": "hello", "offset": 9}, "[behind the first 9: offset passes them over]"},
		{"grep", args{"pattern": "hello", "-n": false}, "-n: false left out: every line has its number"},
		{"grep", args{"pattern": "hello", "-n": "false"}, "left out: every line has its number"},
		{"grep", args{"pattern": "hello", "-r": false}, "-r: false left out"},
		{"grep", args{"pattern": "hello", "-h": true, "-P": true}, "-P: true left out: the pattern is read as RE2"},
		{"grep", args{"pattern": "hello", "-c": true}, "a.txt:2"},
		{"grep", args{"pattern": "hello", "-g": "*.go", "-t": "go", "-m": 1}, `include: given as "-g"`},
		{"glob", args{"pattern": "*.go", "recursive": false}, "recursive: false left out"},
		{"read", args{"file_path": "bin", "start_line": 2}, "[ignored: start_line, end_line and offset choose lines"},
		{"read", args{"file_path": "img.png", "offset": 2}, "[ignored: start_line, end_line and offset choose lines"},
	} {
		r := h.call(c.tool, c.in)
		if r.Err != nil || !strings.Contains(r.Text(), c.want) {
			t.Errorf("%s %v: %q, want %q", c.tool, c.in, r.Text(), c.want)
		}
	}
	for _, in := range []args{{"pattern": "hello"}, {"pattern": "hello", "path": "a.txt", "-n": true}, {"pattern": "hello", "path": ".", "include": "*.go"},
		{"pattern": "hello", "context": 1}} {
		if r := h.call("grep", in); strings.Contains(r.Text(), "ignored") || strings.Contains(r.Text(), "left out") {
			t.Errorf("%v: %q", in, r.Text())
		}
	}
	for _, in := range []args{{"pattern": "x", "-c": true, "-l": true}, {"pattern": "x", "-e": "y"}, {"pattern": "x", "-L": true}, {"pattern": "x", "-x": true}} {
		if r := h.call("grep", in); code(r) != tool.Validation || strings.Contains(r.Text(), "JSON") {
			t.Errorf("%v: %q, want a refusal in words", in, r.Text())
		}
	}
}
