package app_test

import (
	"strings"
	"testing"
)

// Every command explains itself; flags that clash would panic here.
func TestEveryCommandHasHelp(t *testing.T) {
	dir := fixture(t)
	out, code := run(t, dir, "--help")
	if code != 0 {
		t.Fatalf("exit status %d\n%s", code, out)
	}
	_, list, _ := strings.Cut(out, "Available Commands:\n")
	list, _, _ = strings.Cut(list, "\n\n")
	for line := range strings.Lines(list) {
		name := strings.Fields(line)[0]
		if help, code := run(t, dir, name, "--help"); code != 0 || !strings.Contains(help, "Usage:") {
			t.Errorf("helve %s --help: exit status %d\n%s", name, code, help)
		}
	}
}
