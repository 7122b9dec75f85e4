package helve_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A direct dependency costs everybody who installs or audits the program: docs/decisions.md says of each why it is there.
func TestEveryDirectDependencyHasItsReason(t *testing.T) {
	reasons := section(t, "docs/decisions.md", "## Dependencies")
	seen := 0
	for line := range strings.Lines(read(t, "go.mod")) {
		fields := strings.Fields(line)
		if !strings.HasPrefix(line, "\t") || len(fields) != 2 { // those that others bring have a comment
			continue
		}
		seen++
		if !strings.Contains(reasons, fields[0]+" ") && !strings.Contains(reasons, fields[0]+",") {
			t.Errorf("docs/decisions.md says nothing of %s", fields[0])
		}
	}
	// A module has one line: of two, one is read and the other is mended.
	told := map[string]bool{}
	for line := range strings.Lines(reasons) {
		cell, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " |")
		if !strings.HasPrefix(line, "| ") || cell == "module" {
			continue
		}
		for _, module := range strings.Split(cell, ", ") {
			if name, _, _ := strings.Cut(module, " "); told[name] {
				t.Errorf("docs/decisions.md has two lines about %s", name)
			} else {
				told[name] = true
			}
		}
	}
	if seen < 10 {
		t.Errorf("go.mod has %d direct dependencies: it is read wrongly", seen)
	}
}

// What stands in the table of parts written by hand is there.
func TestPartsWrittenByHandAreThere(t *testing.T) {
	place := regexp.MustCompile("`([a-z]+/[a-z0-9_/*.]+)`")
	seen := 0
	for line := range strings.Lines(section(t, "docs/decisions.md", "## Written by hand")) {
		if cells := strings.Count(line, " |"); strings.HasPrefix(line, "| ") && cells != 4 {
			t.Errorf("%.60s: %d cells, want the part, its lines, the library and the reason", line, cells)
		}
		part, _, _ := strings.Cut(strings.TrimPrefix(line, "|"), "|")
		for _, m := range place.FindAllStringSubmatch(part, -1) {
			seen++
			if found, err := filepath.Glob(filepath.FromSlash(m[1])); err != nil || len(found) == 0 {
				t.Errorf("%s: nothing is there (%v)", m[1], err)
			}
		}
	}
	if seen < 10 {
		t.Errorf("%d places: the table is read wrongly", seen)
	}
}

func section(t *testing.T, file, heading string) string {
	t.Helper()
	_, rest, ok := strings.Cut(read(t, file), heading+"\n")
	if !ok {
		t.Fatalf("%s has no %q", file, heading)
	}
	text, _, _ := strings.Cut(rest, "\n## ")
	return text
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.FromSlash(file))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
