package app

import (
	"testing"

	"helve/cmd/internal/command"
)

// A command is found by the name that it is listed by, and made alone it is what it is beside the others.
func TestACommandMadeAloneIsTheSame(t *testing.T) {
	all := rootCommand(&command.Line{})
	made := 0
	for _, group := range commandGroups() {
		for _, named := range group.commands {
			made++
			if only := onlyOf([]string{named.name, "--help"}); only != named.name && named.name != "man" {
				t.Errorf("%s: %q is made", named.name, only)
			}
			alone := rootCommand(&command.Line{Only: named.name})
			want, _, err := all.Find([]string{named.name})
			got, _, err2 := alone.Find([]string{named.name})
			if err != nil || err2 != nil || got.Name() != named.name {
				t.Errorf("%s: %v, %v, found %s", named.name, err, err2, got.Name())
				continue
			}
			if got.UsageString() != want.UsageString() {
				t.Errorf("%s alone:\n%s\nwant\n%s", named.name, got.UsageString(), want.UsageString())
			}
		}
	}
	for _, line := range [][]string{nil, {"man"}, {"help", "list"}, {"-C", "list", "grep"}, {"lisst"}, {"__complete", "l"}, {"completion", "bash"}} {
		if only := onlyOf(line); only != "" {
			t.Errorf("%q: only %s is made", line, only)
		}
	}
	if made < 30 {
		t.Errorf("%d commands", made)
	}
}
