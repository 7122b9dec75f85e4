package script

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"helve/tool"
)

const (
	// namedFiles is how many changed files an error names, and namedBytes how long their names may be together: more
	// than any script of a model changes that is not better told by the diff.
	namedFiles = 500
	namedBytes = 16 << 10
)

// A changed is what a call did to a file, as its metadata says.
type changed struct {
	Path   string `json:"path"`
	From   string `json:"from,omitempty"`
	Change string `json:"change"` // created, modified, deleted, renamed or mode; "": nothing remembers what
}

// changes are what a call changed, in the form of its metadata.
type changes struct {
	Undo  string    `json:"undo,omitempty"`
	Files []changed `json:"changes,omitempty"`
	More  int       `json:"more_changes,omitempty"` // others that it does not name
}

// changesOf are what a call changed: what its metadata says, and where nothing remembers it the files that it was to
// write.
func changesOf(res *tool.Result) changes {
	var c changes
	if json.Unmarshal(res.Meta, &c) == nil && c.Undo != "" {
		return c
	}
	c = changes{}
	if res.Err != nil || res.Job == nil {
		return c
	}
	for _, e := range res.Job.Effects {
		if e.Kind == tool.Write && e.Target != tool.AnyTarget {
			c.Files = append(c.Files, changed{Path: e.Target})
		}
	}
	return c
}

// changes are what all calls of a script changed, by path, as it stands when they are over. Undo takes back all of it
// that is remembered.
func (r *record) changes() changes {
	var all changes
	at := map[string]changed{}
	for _, did := range r.did {
		if did.Undo != "" {
			all.Undo = r.parent
		}
		all.More += did.More
		for _, f := range did.Files {
			fold(at, f)
		}
	}
	for _, f := range at {
		all.Files = append(all.Files, f)
	}
	slices.SortFunc(all.Files, func(a, b changed) int { return strings.Compare(a.Path, b.Path) })
	return all
}

// fold adds a change to those before it: a file that was made and removed again is as it was.
func fold(at map[string]changed, f changed) {
	was, known := at[f.Path]
	if f.Change == "renamed" {
		was, known = at[f.From]
		delete(at, f.From)
	}
	switch {
	case !known || was.Change == "":
		at[f.Path] = f
	case was.Change == "created" && f.Change == "deleted":
		delete(at, f.Path)
	case was.Change == "created" && f.Change == "renamed":
		at[f.Path] = changed{Path: f.Path, Change: "created"}
	case was.Change == "renamed" && f.Change == "renamed" && f.Path == was.From: // it may have been edited on its way
		at[f.Path] = changed{Path: f.Path, Change: "modified"}
	case was.Change == "renamed" && f.Change == "renamed":
		at[f.Path] = changed{Path: f.Path, From: was.From, Change: "renamed"}
	case was.Change == "created", was.Change == "renamed" && f.Change != "deleted":
	case was.Change == "renamed":
		delete(at, f.Path)
		at[was.From] = changed{Path: was.From, Change: "deleted"}
	case was.Change == "deleted" && f.Change == "created":
		at[f.Path] = changed{Path: f.Path, Change: "modified"}
	default:
		at[f.Path] = f
	}
}

// String is the change in a line.
func (f changed) String() string {
	switch {
	case f.Change == "":
		return "written " + f.Path
	case f.From != "":
		return f.Change + " " + f.From + " → " + f.Path
	}
	return f.Change + " " + f.Path
}

// told are lines that name the files, and say how they come back.
func (c changes) told(undo bool) []string {
	if len(c.Files) == 0 {
		return nil
	}
	lines := []string{fmt.Sprintf("Changed on disk by its calls, and not taken back (files: %d):", len(c.Files)+c.More)}
	size, shown := 0, 0
	for _, f := range c.Files {
		line := f.String()
		if size += len(line); shown == namedFiles || size > namedBytes {
			break
		}
		shown++
		lines = append(lines, "  "+line)
	}
	if more := len(c.Files) + c.More - shown; more > 0 {
		lines = append(lines, fmt.Sprintf("  and %d more", more))
	}
	return append(lines, c.back(undo))
}

// back says how the changes are taken back, and undo whether the tool for it is there.
func (c changes) back(undo bool) string {
	const both = `All of it is one undo: undo {"call":%[1]q}, or helve undo %[1]s; diff with the same call shows it.`
	switch {
	case c.Undo == "":
		return "Nothing remembers these changes: they cannot be undone."
	case undo:
		return fmt.Sprintf(both, c.Undo)
	}
	return fmt.Sprintf("All of it is one undo: helve undo %[1]s; helve diff %[1]s shows it.", c.Undo)
}
