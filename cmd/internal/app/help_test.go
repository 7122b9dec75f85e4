package app_test

import (
	"regexp"
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
	_, list, _ := strings.Cut(out, "\nUse the tools:\n")
	list, _, _ = strings.Cut(list, "\nFlags:\n")
	named := regexp.MustCompile(`(?m)^  ([a-z]+) `)
	commands := named.FindAllStringSubmatch(list, -1)
	if len(commands) < 20 {
		t.Errorf("%d commands in the help:\n%s", len(commands), out)
	}
	for _, found := range commands {
		name := found[1]
		if help, code := run(t, dir, name, "--help"); code != 0 || !strings.Contains(help, "Usage:") {
			t.Errorf("helve %s --help: exit status %d\n%s", name, code, help)
		}
	}
}

// The help is in groups, and no command is left over.
func TestTheHelpIsInGroups(t *testing.T) {
	out, _ := run(t, fixture(t), "--help")
	at := 0
	for _, title := range []string{
		"Use the tools:", "Give them to an agent:", "Bring tools from elsewhere:", "Say what is allowed:",
		"See and undo what happened:", "About helve:", "Flags:",
	} {
		next := strings.Index(out, "\n"+title+"\n")
		if next < at {
			t.Errorf("%q does not stand in its place:\n%s", title, out)
		}
		at = next
	}
	if strings.Contains(out, "Additional Commands") {
		t.Errorf("a command stands in no group:\n%s", out)
	}
}
