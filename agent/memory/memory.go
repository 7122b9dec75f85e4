// Package memory reads what people wrote for the models that work in a project: AGENTS.md, and CLAUDE.md or GEMINI.md
// where there is none, of the workspace's folder, of those around it up to the top of the repository, and of those in
// it; and the person's own. What they import with @path is read too. All of it instructs the model, so a workspace
// from elsewhere is not believed: a Store remembers which texts a person trusted, and Using has them count alone.
package memory

import (
	"fmt"
	"slices"
	"strings"

	"helve/internal/diff"
	"helve/internal/visible"
)

// DefaultBytes bounds all texts together: a model reads them in every conversation, before it was asked anything.
const DefaultBytes = 64 << 10

// MostBytes is the largest bound: what is trusted of a workspace is kept in one small file.
const MostBytes = 1 << 20

// A File is a text that instructs the model.
type File struct {
	Path string `json:"path"` // below the workspace with slashes, ../ above it; absolute for the person's own
	Text string `json:"text"` // as the model reads it: hidden characters are written out
	Own  bool   `json:"-"`    // the person's, which needs no trust

	rank int // where it stands: what is nearer to the files stands later
}

// Memory is what was found.
type Memory struct {
	Files []File   // the farthest first
	Left  []string // what was left out or cut, each with the reason
}

// Theirs are the files of the workspace, which are under trust.
func (m Memory) Theirs() []File {
	return slices.DeleteFunc(slices.Clone(m.Files), func(f File) bool { return f.Own })
}

// opening stands above the texts.
const opening = "What people wrote for models that work here. Where two of these texts differ, the one nearer to the " +
	"file at hand holds; what the person says in the conversation holds over all of them."

// Text is what the model is told; "" where there is nothing.
func (m Memory) Text() string {
	if len(m.Files) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(opening)
	for _, f := range m.Files {
		about := ""
		if f.Own {
			about = ", the person's own"
		}
		fmt.Fprintf(&b, "\n\n--- %s%s ---\n%s", visible.Line(f.Path), about, strings.TrimSpace(f.Text))
	}
	return b.String()
}

// Using is what counts of it where a person trusted those texts: a file that is as it was then counts as it stands, one
// that changed counts as it was, a new one does not, and one that is gone is gone. same tells that nothing waits for
// trust.
func (m Memory) Using(trusted []File) (used Memory, same bool) {
	used = Memory{Left: m.Left}
	same = true
	for _, f := range m.Files {
		was := slices.IndexFunc(trusted, func(t File) bool { return t.Path == f.Path })
		switch {
		case f.Own, was >= 0 && trusted[was].Text == f.Text:
		case was >= 0:
			f.Text, same = trusted[was].Text, false
		default:
			same = false
			continue
		}
		used.Files = append(used.Files, f)
	}
	return used, same
}

// Difference is what changed between what was trusted and what stands there, as a unified diff; what is gone since
// instructs nobody, and is not in it.
func (m Memory) Difference(trusted []File) string {
	var b strings.Builder
	for _, f := range m.Theirs() {
		old := ""
		if was := slices.IndexFunc(trusted, func(t File) bool { return t.Path == f.Path }); was >= 0 {
			old = trusted[was].Text
		}
		if old == f.Text {
			continue
		}
		name := visible.Line(f.Path)
		b.WriteString(diff.Of(old, f.Text, diff.Options{}).Unified(name, name))
	}
	return b.String()
}
