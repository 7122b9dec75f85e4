package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// places is where the shell may be. After a cd that may fail, or is in a branch, there are several directories.
type places struct {
	paths
	dirs   []string         // where a command may find itself
	been   []string         // where it may have been before, for cd -
	saved  [][]string       // dirs to come back to, one for each node that placeNode names
	needed *syntax.CallExpr // a cd without whose success nothing that follows runs
	called *syntax.CallExpr // the command that is being judged
	loops  int              // around
}

// enter keeps the directories for what comes after a node that changes them only inside.
func (at *places) enter(n syntax.Node) {
	if !placeNode(n) {
		return
	}
	at.saved = append(at.saved, slices.Clone(at.dirs))
	b, ok := n.(*syntax.BinaryCmd)
	if ok && b.Op == syntax.AndStmt {
		at.mark(b.X)
	}
}

// leave undoes what a subshell did; after a && b either happened or not.
func (at *places) leave(n syntax.Node) {
	if !placeNode(n) {
		return
	}
	last := len(at.saved) - 1
	before := at.saved[last]
	at.saved = at.saved[:last]
	b, ok := n.(*syntax.BinaryCmd)
	if ok && b.Op == syntax.AndStmt {
		at.dirs = compactDirs(append(before, at.dirs...))
		return
	}
	at.dirs = before
}

// maxDirs bounds the directories in which a command may find itself after several cd: each may double them.
const maxDirs = 8

// unnamedPlace is why a cd is asked about whose goal only bash will know.
const unnamedPlace = "cd to a place that the text does not name"

// placeNode reports subshells, the sides of a pipeline among them, and a && b, where b runs only if a succeeded.
func placeNode(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.Subshell, *syntax.CmdSubst, *syntax.ProcSubst:
		return true
	case *syntax.Stmt: // a process of its own, whose cd is lost
		return n.Background || n.Coprocess
	case *syntax.BinaryCmd: // behind a || b, z.dirs holds what either left
		return n.Op != syntax.OrStmt
	}
	return false
}

// mark notes the cd whose success is needed by what follows.
func (at *places) mark(s *syntax.Stmt) {
	for s != nil && !s.Negated && !s.Background {
		switch c := s.Cmd.(type) {
		case *syntax.CallExpr:
			at.needed = c
			return
		case *syntax.BinaryCmd:
			if c.Op != syntax.AndStmt {
				return
			}
			s = c.Y
		default:
			return
		}
	}
}

// cdOptions change how links are treated, not where cd goes.
var cdOptions = []string{"--", "-P", "-L", "-e", "-n"}

// cd moves the place from which later words are judged. It may fail, or be in a branch: the old place then stays
// possible.
func (at *places) cd(a args) string {
	ws := a.words[1:]
	for len(ws) > 0 && ws[0].static && slices.Contains(cdOptions, ws[0].text) {
		ws = ws[1:]
	}
	switch len(ws) {
	case 0:
		at.move([]string{at.homeDir()})
		return "cd leaves the workspace"
	case 1:
		return at.cdTo(ws[0])
	}
	return unnamedPlace
}

// cdTo moves to the directory that a word names.
func (at *places) cdTo(w word) string {
	if !w.known || w.glob || w.text == "" {
		return unnamedPlace
	}
	if w.text == "-" {
		at.dirs = compactDirs(append(at.dirs, at.been...))
		return unnamedPlace
	}
	to := at.named(w)
	at.move(to)
	return at.cdDoubt(w, to)
}

// cdDoubt is why a change to the directories that a word may name is asked about.
func (at *places) cdDoubt(w word, to []string) string {
	outside := func(d string) bool { return !at.inRoots(d) }
	switch {
	case !w.static || option(w.text):
		return unnamedPlace
	case at.loops > 0 && strings.Contains(w.text, ".."):
		return "cd upwards in a loop"
	case slices.ContainsFunc(to, outside):
		return "cd leaves the workspace"
	case len(at.dirs) > maxDirs:
		return "too many changes of directory"
	}
	return ""
}

// named are the directories that a word may name.
func (at *places) named(w word) []string {
	if w.home && strings.HasPrefix(w.text, "~") {
		below := strings.TrimLeft(w.text, "~")
		return []string{path.Join(unknownHome, below)}
	}
	return at.resolve(w.text)
}

// move changes the directory: for certain where it exists for certain, or where what follows needs it.
func (at *places) move(to []string) {
	if len(at.been) <= maxDirs {
		at.been = compactDirs(append(at.been, at.dirs...))
	}
	needed := at.needed != nil && at.needed == at.called
	if needed || at.isSure(to) {
		at.dirs = slices.Clone(to)
		return
	}
	if len(at.dirs) <= maxDirs { // beyond, everything is asked about
		at.dirs = compactDirs(append(at.dirs, to...))
	}
}

// isSure reports directories that every system has, or this workspace.
func (at *places) isSure(dirs []string) bool {
	for _, d := range dirs {
		own := d == at.start || d == at.homeDir() || slices.Contains(at.roots, d)
		if !own && d != "/" && !slices.Contains(systemTop, d) {
			return false
		}
	}
	return true
}

// inDir judges with another directory: env -C, sudo -D.
func (at *places) inDir(w *word, judge func()) {
	if w == nil || !w.known {
		judge()
		return
	}
	before := at.dirs
	at.dirs = at.named(*w)
	judge()
	at.dirs = before
}

// compactDirs drops what is there twice, and keeps the order.
func compactDirs(dirs []string) []string {
	var out []string
	for _, d := range dirs {
		if !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	return out
}

// resolve returns what a path may be: one for every directory in which the command may run.
func (at *places) resolve(text string) []string {
	if path.IsAbs(text) {
		return []string{path.Clean(text)}
	}
	out := make([]string, 0, len(at.dirs))
	for _, d := range at.dirs {
		out = append(out, path.Join(d, text))
	}
	return out
}

// vast reports a path whose recursive change destroys a system, a home, or more than the workspace.
func (at *places) vast(w word) bool {
	text := w.text
	if w.home {
		return wholeHome(text)
	}
	for _, p := range at.resolve(text) {
		own := !path.IsAbs(text) && at.inRoots(p) && !strings.Contains(text, "..") && ownContent(text)
		if at.vastPath(p, w.glob, own) {
			return true
		}
	}
	return false
}
