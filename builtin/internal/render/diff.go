package render

import (
	"fmt"
	"path"
	"strings"

	"helve/internal/diff"
	"helve/internal/fsroot"
	"helve/tool"
)

const (
	// ShownDiff is how many lines of a change a result shows: more than anybody reads of what is done.
	ShownDiff = 2000
	// WholeDiff bounds nothing. What is approved is shown whole; who asks decides how.
	WholeDiff = 0
)

// Change is the view of a file before and after, of so many lines at most; before is nil where there was none.
// line is how many lines of the file stand before both.
func Change(p fsroot.Path, before, after []byte, line, most int) tool.Diff {
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

// DirRule is the rule that would allow this and its like: Edit:<dir>/*.
func DirRule(name string, p fsroot.Path) string { return name + ":" + path.Dir(p.Pattern()) + "/*" }

// CutDiff says that lines of the diff of one file are missing; "" where all are there.
func CutDiff(unified string) string {
	lines := strings.Split(strings.TrimSuffix(unified, "\n"), "\n")
	if strings.HasPrefix(lines[len(lines)-1], "…") { // no other line of a diff begins so
		return fmt.Sprintf("the diff shows the first %d lines", ShownDiff)
	}
	return ""
}

// ShownLinesOf is how many lines of the diff of a file are in the data of a call's result.
func ShownLinesOf(c *tool.Call) int {
	if c.Whole > 0 {
		return WholeDiff
	}
	return ShownDiff
}
