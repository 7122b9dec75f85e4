package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

const (
	// maxDirs bounds the directories in which a command may find itself after several cd.
	maxDirs = 8
	// unknownDir stands for the start directory when the caller does not tell it, unknownHome for the home directory.
	unknownDir  = "/\u2026"
	unknownHome = "/\u2026home"
)

// enterPlace keeps the directories for what comes after a node that changes them only inside.
func (z *analyzer) enterPlace(n syntax.Node) {
	if !placeNode(n) {
		return
	}
	z.saved = append(z.saved, slices.Clone(z.dirs))
	if b, ok := n.(*syntax.BinaryCmd); ok && b.Op == syntax.AndStmt {
		z.mark(b.X)
	}
}

// placeNode reports subshells, the sides of a pipeline among them, and a && b, where b runs only if a succeeded.
func placeNode(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.Subshell, *syntax.CmdSubst, *syntax.ProcSubst:
		return true
	case *syntax.Stmt:
		return n.Background || n.Coprocess
	case *syntax.BinaryCmd:
		return n.Op != syntax.OrStmt
	}
	return false
}

// leavePlace undoes what a subshell did; after a && b either happened or not.
func (z *analyzer) leavePlace(n syntax.Node) {
	if !placeNode(n) {
		return
	}
	before := z.saved[len(z.saved)-1]
	z.saved = z.saved[:len(z.saved)-1]
	if b, ok := n.(*syntax.BinaryCmd); ok && b.Op == syntax.AndStmt {
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

// cd moves the place from which later words are judged. It may fail, or stand in a branch: the old place then stays
// possible.
func (z *analyzer) cd(a args) string {
	ws := a.words[1:]
	for len(ws) > 0 && ws[0].static && slices.Contains([]string{"--", "-P", "-L", "-e", "-n"}, ws[0].text) {
		ws = ws[1:]
	}
	switch {
	case len(ws) == 0:
		z.move([]string{z.homeDir()})
		return "cd leaves the workspace"
	case len(ws) > 1 || !ws[0].known || ws[0].glob || ws[0].text == "":
		return "cd to a place that the text does not name"
	case ws[0].text == "-":
		z.dirs = compactDirs(append(z.dirs, z.been...))
		return "cd to a place that the text does not name"
	}
	to := z.places(ws[0])
	z.move(to)
	switch {
	case !ws[0].static || strings.HasPrefix(ws[0].text, "-"):
		return "cd to a place that the text does not name"
	case z.loops > 0 && strings.Contains(ws[0].text, ".."):
		return "cd upwards in a loop"
	case slices.ContainsFunc(to, func(d string) bool { return !z.inRoots(d) }):
		return "cd leaves the workspace"
	case len(z.dirs) > maxDirs:
		return "too many changes of directory"
	}
	return ""
}

func (z *analyzer) homeDir() string {
	if z.o.Home != "" {
		return path.Clean(z.o.Home)
	}
	return unknownHome
}

// places are the directories that a word may name.
func (z *analyzer) places(w word) []string {
	if w.home && strings.HasPrefix(w.text, "~") {
		return []string{path.Join(unknownHome, strings.TrimLeft(w.text, "~"))}
	}
	return z.resolve(w.text)
}

// move changes the directory: for certain where it exists for certain, or where what follows needs it.
func (z *analyzer) move(to []string) {
	if len(z.been) <= maxDirs {
		z.been = compactDirs(append(z.been, z.dirs...))
	}
	if z.needed != nil && z.needed == z.called || z.isSure(to) {
		z.dirs = slices.Clone(to)
		return
	}
	if len(z.dirs) <= maxDirs { // beyond, everything is asked about
		z.dirs = compactDirs(append(z.dirs, to...))
	}
}

// isSure reports directories that every system has, or this workspace.
func (z *analyzer) isSure(dirs []string) bool {
	return !slices.ContainsFunc(dirs, func(d string) bool {
		return d != "/" && d != z.start && d != z.homeDir() && !slices.Contains(systemTop, d) && !slices.Contains(z.roots, d)
	})
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

// chdir is the directory in which a wrapper runs what it wraps, read from its options before word i.
func chdir(w *program, a args, i int) *word {
	for k := 1; k < min(i, len(a.words)); k++ {
		t := a.texts[k]
		name, value, attached := strings.Cut(t, "=")
		if !strings.HasPrefix(t, "--") && len(t) > 2 {
			name, value, attached = t[:2], t[2:], true
		}
		if w.options[name] != optDir {
			continue
		}
		if attached {
			return &word{text: value, lead: value, static: true, known: a.words[k].known}
		}
		if k+1 < len(a.words) {
			return &a.words[k+1]
		}
	}
	return nil
}

func compactDirs(dirs []string) []string {
	var out []string
	for _, d := range dirs {
		if !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	return out
}
