package builtin

import (
	"fmt"
	"path"

	"helve/internal/diff"
	"helve/internal/fsroot"
	"helve/tool"
)

const (
	// shownDiff is how many lines of a change a result shows: more than anybody reads of what is done.
	shownDiff = 2000
	// wholeDiff bounds nothing. What is approved is shown whole; who asks decides how.
	wholeDiff = 0
)

// showChange is the view of a file before and after, of so many lines at most; before is nil where there was none.
// line is how many lines of the file stand before both.
func showChange(p fsroot.Path, before, after []byte, line, most int) tool.Diff {
	d := diff.Of(string(before), string(after), diff.Options{MaxLines: most})
	for i := range d.Hunks {
		d.Hunks[i].Old += line
		d.Hunks[i].New += line
	}
	old, now := "a/"+p.String(), "b/"+p.String()
	if before == nil {
		old = "/dev/null"
	}
	return tool.Diff{
		Path:    p.String(),
		Unified: d.Unified(old, now),
		Added:   d.Added,
		Removed: d.Removed,
	}
}

// dirRule is the rule that would allow this and its like: Edit:<dir>/*.
func dirRule(name string, p fsroot.Path) string { return name + ":" + path.Dir(p.Pattern()) + "/*" }

// quantity is "1 replacement" or "2 replacements".
func quantity(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
