package builtin_test

import (
	"slices"
	"strings"
	"testing"

	"helve/builtin"
	"helve/tool"
)

// Lines are named as every result names them: from 1, both ends included.
func TestReadTakesTheLinesThatResultsName(t *testing.T) {
	h := open(t, builtin.Options{})
	h.put("f", "one\ntwo\nthree\nfour\n")
	for _, c := range []struct {
		in   args
		want string
	}{
		{args{"start_line": 2, "end_line": 3}, "     2|two\n     3|three\n[lines 2-3 of 4; go on with start_line=4]"},
		{args{"start_line": 3}, "     3|three\n     4|four\n[lines 3-4 of 4]"},
		{args{"end_line": 1}, "     1|one\n[lines 1-1 of 4; go on with start_line=2]"},
		{args{"start_line": 2, "limit": 1}, "     2|two\n[lines 2-2 of 4; go on with start_line=3]"},
		{args{"offset": 2, "end_line": 3}, "     3|three\n[lines 3-3 of 4; go on with start_line=4]"},
		{args{"offset": 1, "start_line": 2, "limit": 1}, "     2|two\n[lines 2-2 of 4; go on with start_line=3]"},
		{args{"start_line": 9}, "[no line 9: the file has 4 lines]"},
	} {
		c.in["file_path"] = "f"
		if r := h.call("read", c.in); r.Text() != c.want {
			t.Errorf("%v: got %q, want %q", c.in, r.Text(), c.want)
		}
	}
	for _, bad := range []args{{"start_line": 3, "end_line": 2}, {"start_line": 3, "offset": 1}, {"offset": 3, "end_line": 2}, {"start_line": 0}} {
		bad["file_path"] = "f"
		if r := h.call("read", bad); code(r) != tool.Validation {
			t.Errorf("%v: %q, want a refusal", bad, r.Text())
		}
	}
}

func TestSearchesLeaveOutWhatExcludeNames(t *testing.T) {
	h := open(t, builtin.Options{})
	for _, name := range []string{"a.go", "a_test.go", "vendor/v.go", "sub/b.go"} {
		h.put(name, "func x\n")
	}
	for _, c := range []struct {
		exclude any
		want    string
	}{
		{"*_test.go", "a.go sub/b.go vendor/v.go"},
		{[]string{"*_test.go", "vendor/**"}, "a.go sub/b.go"},
		{"vendor", "a.go a_test.go sub/b.go"},
		{[]string{}, "a.go a_test.go sub/b.go vendor/v.go"},
	} {
		for name, in := range map[string]args{
			"grep": {"pattern": "func", "include": "*.go", "mode": "files", "exclude": c.exclude},
			"glob": {"pattern": "*.go", "exclude": c.exclude},
		} {
			r := h.call(name, in)
			if got := sorted(r.Text()); got != c.want {
				t.Errorf("%s exclude %v: got %q, want %q", name, c.exclude, got, c.want)
			}
			if len(r.Repairs) > 0 {
				t.Errorf("%s exclude %v: either form is as it should be, and %q", name, c.exclude, r.Repairs)
			}
		}
	}
	for _, name := range []string{"grep", "glob"} {
		if r := h.call(name, args{"pattern": "*.go", "exclude": "!a.go"}); code(r) != tool.Validation {
			t.Errorf("%s: %q", name, r.Text())
		}
	}
	if r := h.call("glob", args{"pattern": "*.go", "limit": 2}); strings.Count(r.Text(), ".go") != 2 || !strings.Contains(r.Text(), "raise limit") {
		t.Errorf("limit: %q", r.Text())
	}
}

func TestWriteAddsToTheEndAndSparesWhatExists(t *testing.T) {
	h := open(t, builtin.Options{})
	h.put("log.txt", "old\n")
	r := h.call("write", args{"file_path": "log.txt", "contents": "new\n", "append": true})
	if got := h.get("log.txt"); got != "old\nnew\n" || r.Text() != "Successfully added 1 line to log.txt (2 lines)" {
		t.Errorf("%q, %q", got, r.Text())
	}
	h.put("open.txt", "old")
	r = h.call("write", args{"file_path": "open.txt", "contents": "new\n", "append": true})
	if got := h.get("open.txt"); got != "old\nnew\n" || !strings.Contains(r.Text(), "the last line had no end") {
		t.Errorf("%q, %q", got, r.Text())
	}
	h.put("dos.txt", "a\r\nb\r\n")
	if h.call("write", args{"file_path": "dos.txt", "contents": "c\n", "append": true}); h.get("dos.txt") != "a\r\nb\r\nc\r\n" {
		t.Errorf("%q", h.get("dos.txt"))
	}
	if h.call("write", args{"file_path": "fresh.txt", "contents": "c\n", "append": true}); h.get("fresh.txt") != "c\n" {
		t.Errorf("%q", h.get("fresh.txt"))
	}
	r = h.call("write", args{"file_path": "log.txt", "contents": "lost?", "create_only": true})
	if code(r) != tool.Validation || h.get("log.txt") != "old\nnew\n" || !strings.Contains(r.Text(), "exists already") {
		t.Errorf("%q, %q", h.get("log.txt"), r.Text())
	}
	if r = h.call("write", args{"file_path": "made.txt", "contents": "x\n", "create_only": true}); r.Err != nil || h.get("made.txt") != "x\n" {
		t.Errorf("%q", r.Text())
	}
	if r = h.call("write", args{"file_path": "both.txt", "contents": "x", "append": true, "create_only": true}); code(r) != tool.Validation {
		t.Errorf("%q", r.Text())
	}
	h.put("bin", "\x00\x01\x02\xff\xfe\x00")
	if r = h.call("write", args{"file_path": "bin", "contents": "x", "append": true}); code(r) != tool.Validation || h.get("bin") != "\x00\x01\x02\xff\xfe\x00" {
		t.Errorf("%q", r.Text())
	}
}

// sorted are the lines of a result in one order, parted by blanks.
func sorted(text string) string {
	lines := strings.Fields(text)
	slices.Sort(lines)
	return strings.Join(lines, " ")
}
