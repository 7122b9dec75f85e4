package workspace_test

import (
	"os"
	"path/filepath"
	"testing"

	"helve/tool"
)

// What a line runs that stands nowhere in it may be what a rule denies or asks about: it is asked about, though bash is
// allowed by its switch, by a rule, or by the mode.
func TestALineThatRunsWhatItReadsRunsNothingThatARuleDenies(t *testing.T) {
	for _, conf := range []string{
		`{"tools": {"bash": "allow"}, "rules": [{"deny": "bash:rm *"}]}`,
		`{"tools": {"bash": "allow"}, "rules": [{"ask": "bash:rm *"}]}`,
		`{"rules": [{"allow": "bash"}, {"deny": "bash:rm *"}]}`,
		`{"mode": "auto", "rules": [{"deny": "bash:rm *"}]}`,
		`{"rules": [{"allow": "bash:cat *"}, {"allow": "bash:sh"}, {"deny": "bash:rm *"}]}`,
	} {
		p := newPlace(t).put("victim", "x").put("f", "rm victim\n").put(userConfig, conf)
		w := p.open()
		for _, command := range []string{
			`cat f | sh`, `sh < f`, `bash <(cat f)`, `eval \"$(cat f)\"`, `sh -c \"$(cat f)\"`, `cat f | xargs -I{} sh -c {}`,
			`cat f | xargs env`, `. /dev/stdin < f`,
		} {
			r := ask(t, w, "bash", `{"command":"`+command+`"}`)
			if r.Err == nil || r.Err.Code != tool.Permission {
				t.Errorf("%s: %q: %s", conf, command, r.Text())
			}
			if _, err := os.Stat(filepath.Join(p.dir, "victim")); err != nil {
				t.Fatalf("%s: %q removed it", conf, command)
			}
		}
	}
	p := newPlace(t).put("f", "echo hi\n").put(userConfig, `{"tools": {"bash": "allow"}}`)
	if r := ask(t, p.open(), "bash", `{"command":"cat f | sh"}`); r.Err != nil {
		t.Errorf("without a stricter rule it is allowed: %s", r.Text())
	}
	p = newPlace(t).put(userConfig, `{"tools": {"bash": "allow"}, "rules": [{"deny": "bash:rm *"}]}`)
	if r := ask(t, p.open(), "bash", `{"command":"echo 'echo hi' | sh"}`); r.Err != nil {
		t.Errorf("what is read is allowed: %s", r.Text())
	}
}
