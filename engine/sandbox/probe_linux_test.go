package sandbox

import (
	"os"
	"slices"
	"strings"
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
	compareCells(t, table)
	for _, row := range table.Rows {
		for i, c := range table.Columns {
			got := row.Results[i]
			switch {
			case c.Level == Off:
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
		if p.name == "remount" && (os.Geteuid() != 0 || !ownsMachine()) {
			continue
		}
		if got != Open {
			t.Errorf("%s is %s without a sandbox", p.name, got)
		}
	}
}

// Services behind Unix sockets are reached where that is granted, and nowhere else.
func TestSocketsAreReachedWhereTheyAreGranted(t *testing.T) {
	g, done, err := newGround()
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	for _, granted := range []bool{false, true} {
		o := Options{Level: WorkspaceWrite, Roots: []string{g.Root}, Home: g.Home, Sockets: granted}
		if _, err := Reach(t.Context(), o); err != nil {
			t.Skip(err)
		}
		open, err := runProbe(t.Context(), o, g, "workspace-socket")
		if err != nil || open != granted {
			t.Errorf("granted %v: open %v, %v", granted, open, err)
		}
	}
}

// ownsMachine tells whether these are the machine's own users, not those of a user namespace.
func ownsMachine() bool {
	text, err := os.ReadFile("/proc/self/uid_map")
	return err == nil && slices.Equal(strings.Fields(string(text)), []string{"0", "0", "4294967295"})
}

// documented reads the table of docs/security.md: its head, and the cells of each row.
func documented(t *testing.T) (head []string, rows [][]string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(text), "| way out |")
	if !ok {
		t.Fatal("docs/security.md has no table of ways out")
	}
	for i, line := range strings.Split("| way out |"+table, "\n") {
		if !strings.HasPrefix(line, "|") {
			break
		}
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		switch i {
		case 0:
			head = cells
		case 1:
		default:
			rows = append(rows, cells)
		}
	}
	return head, rows
}

// The table in the documentation has the ways out that are tried, and no others. Written by helve doctor --probe.
func TestTheDocumentedWaysOutAreThoseThatAreTried(t *testing.T) {
	empty := Table{Columns: columns()}
	head, rows := documented(t)
	line, _, _ := strings.Cut(empty.Markdown(), "\n")
	if got := "| " + strings.Join(head, " | ") + " |"; got != line {
		t.Errorf("columns\n%s\nwant\n%s", got, line)
	}
	var got, want []string
	for _, r := range rows {
		got = append(got, r[0])
	}
	for _, p := range probes() {
		want = append(want, p.what)
	}
	if !slices.Equal(got, want) {
		t.Errorf("rows\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// compareCells holds the documentation to what was found. The document was written as root; an unprivileged user
// finds more closed.
func compareCells(t *testing.T, table Table) {
	t.Helper()
	if os.Geteuid() != 0 || !boundedByNamespace() || !ownsMachine() {
		t.Log("the documented cells are those of root on Linux 6.14 and later: only rows and columns are compared")
		return
	}
	_, rows := documented(t)
	for i, row := range table.Rows {
		for k, c := range table.Columns {
			if got := row.Results[k]; got != Untried && i < len(rows) && k+1 < len(rows[i]) && rows[i][k+1] != string(got) {
				t.Errorf("%s with %s at %s: docs/security.md says %s, and it is %s: write it anew by helve doctor --probe", row.What, c.Mechanism, c.Level, rows[i][k+1], got)
			}
		}
	}
}
