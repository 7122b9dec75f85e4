package workspace_test

import (
	"os"
	"path/filepath"
	"testing"

	"helve/tool"
)

// Bash runs a script line by line and finds out later that it cannot read the rest. What a rule denies is not run that
// way, though bash is switched to allow.
func TestALineThatCannotBeReadRunsNothingThatARuleDenies(t *testing.T) {
	for _, rule := range []string{`{"deny": "bash:rm *"}`, `{"ask": "bash:rm *"}`} {
		p := newPlace(t).put("victim", "x").put(userConfig, `{"tools": {"bash": "allow"}, "rules": [`+rule+`]}`)
		w := p.open()
		for _, command := range []string{`rm victim\necho ((`, `rm victim\nif true`, `: \nrm victim; ${`} {
			r := ask(t, w, "bash", `{"command":"`+command+`"}`)
			if r.Err == nil || r.Err.Code != tool.Permission {
				t.Errorf("%s: %q: %s", rule, command, r.Text())
			}
			if _, err := os.Stat(filepath.Join(p.dir, "victim")); err != nil {
				t.Fatalf("%s: %q removed it", rule, command)
			}
		}
		if r := ask(t, w, "bash", `{"command":"echo hi > made && cat made"}`); r.Err != nil {
			t.Errorf("%s: what is read is allowed: %s", rule, r.Text())
		}
	}
}
