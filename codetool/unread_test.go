package codetool_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/codetool"
)

// TestAnswersNameTheFilesThatAreTooLargeToRead: a generated file of 50 MB may use what nothing else uses.
func TestAnswersNameTheFilesThatAreTooLargeToRead(t *testing.T) {
	h := open(t, map[string]string{
		"a.ts":   "export function one() { two() }\nexport function two() {}\n",
		"b.py":   "def three():\n    pass\n",
		"gen.ts": "",
	}, codetool.Options{})
	if err := os.Truncate(filepath.Join(h.dir, "gen.ts"), 50<<20); err != nil {
		t.Fatal(err)
	}
	const note = "not read: gen.ts, larger than 32 MB"
	for _, a := range []struct {
		name, args string
		says       bool
	}{
		{"used_by", `{"name":"one"}`, true},
		{"used_by", `{"name":"three"}`, false},
		{"uses", `{"name":"one"}`, true},
		{"impact", `{"name":"two"}`, true},
		{"explore", `{"name":"one"}`, true},
		{"path", `{"from_name":"two","to_name":"one"}`, true},
		{"find", `{"name":"four"}`, true},
		{"find", `{"name":"one"}`, false},
		{"get_dependents", `{"name":"one"}`, true},
		{"get_change_impact", `{"name":"one"}`, true},
		{"get_call_chain", `{"from_name":"two","to_name":"one"}`, true},
		{"outline", `{"file_path":"a.ts"}`, false},
	} {
		r := h.call(a.name, a.args)
		if got := strings.Count(r.Text(), note); got != 0 != a.says || got > 1 {
			t.Errorf("%s %s: %s", a.name, a.args, r.Text())
		}
		for _, want := range []string{`"complete":false,"why":"files were not read`, `"unread":"gen.ts, larger than 32 MB"`} {
			if r.Err == nil && strings.Contains(string(r.Data), want) != a.says {
				t.Errorf("%s %s: want %s in the data, %v: %s", a.name, a.args, want, a.says, r.Data)
			}
		}
	}
	for _, a := range [][2]string{{"outline", "[larger than 32 MB]"}, {"get_structure_summary", "[larger than 32 MB]"}} {
		if r := h.call(a[0], `{"file_path":"gen.ts"}`); !strings.Contains(r.Text(), a[1]) {
			t.Errorf("%s: %s", a[0], r.Text())
		}
	}
	if r := h.call("get_project_summary", `{}`); !strings.Contains(r.Text(), "gen.ts: larger than 32 MB") {
		t.Errorf("the project: %s", r.Text())
	}
}
