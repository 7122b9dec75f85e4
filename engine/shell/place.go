package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

const (
	// maxDirs bounds the directories in which a command may find itself after several cd: each may double them.
	maxDirs = 8
	// unknownDir is in the place of the start directory when the caller does not tell it, unknownHome in that of the
	// home directory. No path that anybody writes has such a name.
	unknownDir  = "/\u2026"
	unknownHome = "/\u2026home"
)

// unnamedPlace is why a cd is asked about whose goal only bash will know.
const unnamedPlace = "cd to a place that the text does not name"

// enterPlace keeps the directories for what comes after a node that changes them only inside.
func (z *analyzer) enterPlace(n syntax.Node) {
	if !placeNode(n) {
		return
	}
	z.saved = append(z.saved, slices.Clone(z.dirs))
	b, ok := n.(*syntax.BinaryCmd)
	if ok && b.Op == syntax.AndStmt {
		z.mark(b.X)
	}
}

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

// leavePlace undoes what a subshell did; after a && b either happened or not.
func (z *analyzer) leavePlace(n syntax.Node) {
	if !placeNode(n) {
		return
	}
	last := len(z.saved) - 1
	before := z.saved[last]
	z.saved = z.saved[:last]
	b, ok := n.(*syntax.BinaryCmd)
	if ok && b.Op == syntax.AndStmt {
		z.dirs = compactDirs(append(before, z.dirs...))
		return
	}
	z.dirs = before
}

// mark notes the cd whose success is needed by what follows.
func (z *analyzer) mark(s *syntax.Stmt) {
	for s != nil && !s.Negated && !s.Background {
		switch c := s.Cmd.(type) {
		case *syntax.CallExpr:
			z.needed = c
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
func (z *analyzer) cd(a args) string {
	ws := a.words[1:]
	for len(ws) > 0 && ws[0].static && slices.Contains(cdOptions, ws[0].text) {
		ws = ws[1:]
	}
	switch len(ws) {
	case 0:
		z.move([]string{z.homeDir()})
		return "cd leaves the workspace"
	case 1:
		return z.cdTo(ws[0])
	}
	return unnamedPlace
}

// cdTo moves to the directory that a word names.
func (z *analyzer) cdTo(w word) string {
	if !w.known || w.glob || w.text == "" {
		return unnamedPlace
	}
	if w.text == "-" {
		z.dirs = compactDirs(append(z.dirs, z.been...))
		return unnamedPlace
	}
	to := z.places(w)
	z.move(to)
	outside := func(d string) bool { return !z.inRoots(d) }
	switch {
	case !w.static || option(w.text):
		return unnamedPlace
	case z.loops > 0 && strings.Contains(w.text, ".."):
		return "cd upwards in a loop"
	case slices.ContainsFunc(to, outside):
		return "cd leaves the workspace"
	case len(z.dirs) > maxDirs:
		return "too many changes of directory"
	}
	return ""
}

// homeDir is where cd alone goes.
func (z *analyzer) homeDir() string {
	if z.o.Home != "" {
		return path.Clean(z.o.Home)
	}
	return unknownHome
}

// places are the directories that a word may name.
func (z *analyzer) places(w word) []string {
	if w.home && strings.HasPrefix(w.text, "~") {
		below := strings.TrimLeft(w.text, "~")
		return []string{path.Join(unknownHome, below)}
	}
	return z.resolve(w.text)
}

// move changes the directory: for certain where it exists for certain, or where what follows needs it.
func (z *analyzer) move(to []string) {
	if len(z.been) <= maxDirs {
		z.been = compactDirs(append(z.been, z.dirs...))
	}
	needed := z.needed != nil && z.needed == z.called
	if needed || z.isSure(to) {
		z.dirs = slices.Clone(to)
		return
	}
	if len(z.dirs) <= maxDirs { // beyond, everything is asked about
		z.dirs = compactDirs(append(z.dirs, to...))
	}
}

// isSure reports directories that every system has, or this workspace.
func (z *analyzer) isSure(dirs []string) bool {
	for _, d := range dirs {
		own := d == z.start || d == z.homeDir() || slices.Contains(z.roots, d)
		if !own && d != "/" && !slices.Contains(systemTop, d) {
			return false
		}
	}
	return true
}

// inDir judges with another directory: env -C, sudo -D.
func (z *analyzer) inDir(w *word, judge func()) {
	if w == nil || !w.known {
		judge()
		return
	}
	before := z.dirs
	z.dirs = z.places(*w)
	judge()
	z.dirs = before
}

// chdir is the directory in which a wrapper runs what it wraps, read from its options before word i. nil is the same as
// before.
func chdir(w *program, a args, i int) *word {
	for k := 1; k < min(i, len(a.words)); k++ {
		t := a.texts[k]
		name, value, attached := strings.Cut(t, "=")
		if !strings.HasPrefix(t, "--") && len(t) > 2 {
			name, value, attached = t[:2], t[2:], true
		}
		switch {
		case w.option(name) != optDir:
		case attached:
			return &word{text: value, lead: value, static: true, known: a.words[k].known}
		case k+1 < len(a.words):
			return &a.words[k+1]
		}
	}
	return nil
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
