package shell

import (
	"strings"
	"testing"

	"helve/internal/testing/corpus"
)

// What a developer, and an agent, looks at all day. Asking about any of these is a failure as well.
func TestEverydayLookingIsNotAskedAbout(t *testing.T) {
	for _, src := range corpus.Commands("everyday") {
		if a := Analyze(src, workspace); a.Verdict != ReadOnly {
			t.Errorf("%q: %s: %s", src, a.Verdict, a.Reason)
		}
	}
}

// A program that stands twice in a section is read once, and a person who reviews it may read the other line.
func TestTheTableSaysEverythingOnce(t *testing.T) {
	seen := map[string]bool{}
	section := ""
	for _, line := range logicalLines(programsText) {
		if strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") {
			section = line
			if seen[section] {
				t.Errorf("section %s stands twice", section)
			}
			seen[section] = true
			continue
		}
		name, _, ok := strings.Cut(line, "|")
		key := section + " " + strings.Join(strings.Fields(name), " ")
		if section != "[grants]" && section != "[runners]" && section != "[hidden]" && ok && seen[key] {
			t.Errorf("%s stands twice", key)
		}
		seen[key] = true
	}
	for _, s := range []string{"[macros]", "[readonly]", "[wrappers]", "[runners]", "[hidden]", "[never]", "[code]", "[writers]", "[net]", "[grants]"} {
		if !seen[s] {
			t.Errorf("section %s is missing", s)
		}
	}
}
