package check

import (
	"strings"

	"helve/internal/fsroot"
	"helve/internal/later"
)

// A Later is a path below every root that programs run or obey later, beside those of package later.
type Later struct {
	// Path is relative to a root, slash-separated; a directory with all that is in it if it ends in a slash.
	Path string
	// Why says who does what with it, in the third person: "direnv runs it".
	Why string
}

// matches reports a path that is the Later's or lies in it. Names are compared as file systems do that fold case: what
// one of them takes for .envrc counts.
func (l Later) matches(folded string) bool {
	want := fsroot.Fold(strings.TrimSuffix(l.Path, "/"))
	return folded == want || strings.HasPrefix(folded, want+"/")
}

// runsLater tells who runs or obeys a path of a root; "" if nobody does.
func runsLater(list []Later, rel string) string {
	if why := later.Default().Why(rel); why != "" || len(list) == 0 {
		return why
	}
	folded := fsroot.Fold(rel)
	for _, l := range list {
		if l.matches(folded) {
			return l.Why
		}
	}
	return ""
}
