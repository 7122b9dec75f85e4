package sandbox

import (
	"os"
	"slices"
	"testing"
)

// openByDesign are the ways out that a mechanism is known to leave open; its gaps name them.
var openByDesign = map[Column][]string{
	{Landlock, WorkspaceWrite}: {"chmod-outside", "times-outside", "xattr-outside", "protected", "protected-absent", "protected-folder", "protected-rename", "secret-env"},
}

func TestEveryKnownWayOutIsBlocked(t *testing.T) {
	if testing.Short() {
		t.Skip("starts some two hundred sandboxes")
	}
	table, err := ProbeEscapes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + table.Markdown())
	for _, row := range table.Rows {
		for i, c := range table.Columns {
			got := row.Results[i]
			switch {
			case c.Level == Off:
			case got == Open && os.Geteuid() == 0 && c.Mechanism != Namespaces && row.Name == "processes":
			case got == Open && !slices.Contains(openByDesign[c], row.Name):
				t.Errorf("%s: open with %s at %s", row.Name, c.Mechanism, c.Level)
			}
		}
	}
}

// A probe that finds everything closed proves nothing.
func TestTheProbesGetOutWhereNothingHoldsThem(t *testing.T) {
	for _, p := range probes() {
		got, err := tryProbe(t.Context(), p, Column{None, Off})
		if err != nil {
			t.Errorf("%s: %v", p.name, err)
		}
		switch p.name {
		case "descriptors", "other-abi", "families", "disk", "sysctl", "ptrace", "processes", "kernel-calls":
			continue // depend on who runs the test, and on the kernel
		}
		if p.name == "remount" && os.Geteuid() != 0 {
			continue
		}
		if got != Open {
			t.Errorf("%s is %s without a sandbox", p.name, got)
		}
	}
}
