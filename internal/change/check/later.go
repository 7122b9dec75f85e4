package check

import (
	"path/filepath"
	"strings"

	shellquote "github.com/kballard/go-shellquote"

	"helve/internal/change"
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

// byConfig lists what the settings of the roots' repositories, and of the person's own files, name as programs or as
// folders of hooks: what is in the workspace of it runs later.
func (v *view) byConfig(files []string) []Later {
	var everywhere []setting
	for _, file := range files {
		everywhere = append(everywhere, programs(readSettings(file))...)
	}
	var out []Later
	for i := range v.roots {
		top := place{Root: i, Path: "."}
		text := v.readBefore(top.Child(".git/config"), maxText)
		own, _ := parseConfig(text) // what git cannot read it does not obey
		for _, s := range append(programs(own), everywhere...) {
			out = append(out, v.named(top, s)...)
		}
	}
	return out
}

// readSettings reads a file of the person's own; none if that cannot be.
func readSettings(file string) []setting {
	tree, err := change.OpenTree(filepath.Dir(file))
	if err != nil {
		return nil
	}
	defer tree.Close()
	text, err := tree.Read(change.Name(filepath.Base(file)), maxText)
	if err != nil {
		return nil
	}
	settings, _ := parseConfig(text)
	return settings
}

// named lists the words of a setting that are paths in the workspace. Git runs its programs at the top of a worktree,
// and reads included files from where its own configuration is.
func (v *view) named(top place, s setting) []Later {
	words, err := shellquote.Split(strings.TrimPrefix(s.value, "!"))
	if err != nil {
		words = strings.Fields(s.value)
	}
	from := top
	if s.section == "include" || s.section == "includeif" {
		from = top.Child(".git")
	}
	var out []Later
	for _, w := range words {
		if w == "" || strings.HasPrefix(w, "-") {
			continue
		}
		at, inside := v.locate(from, w)
		if !inside || at.Path == "." {
			continue
		}
		e, err := v.before(at)
		isPath := err == nil && e.Type != change.None
		if isPath || s.key == "hookspath" { // a folder of hooks may be made later
			why := "git runs or obeys it: " + s.name() + " names it"
			out = append(out, Later{string(at.Path), why})
		}
	}
	return out
}
