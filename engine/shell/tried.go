package shell

import (
	_ "embed"
	"path"
	"slices"
	"strings"
	"sync"

	"helve/internal/names"
)

//go:embed tried.txt
var triedText string

// trial is one line of tried.txt.
type trial struct {
	refused []string
	need    []string
	in      []string
	values  []string
	mode    string
}

// trials is tried.txt by the words that a command begins with. What stands behind them is read when it is asked about:
// a process mostly asks about few of them.
var trials = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for _, line := range logicalLines(triedText) {
		name, rest, _ := strings.Cut(line, "|")
		for _, key := range alternatives(strings.Fields(name)) {
			out[key] = rest
		}
	}
	return out
})

// trialOf is the line of the table for a command that begins with these words.
func trialOf(key string) (t trial, known bool) {
	rest, known := trials()[key]
	for _, w := range strings.Fields(rest) {
		need, isNeed := strings.CutPrefix(w, "need=")
		in, isIn := strings.CutPrefix(w, "in=")
		val, isVal := strings.CutPrefix(w, "val=")
		mode, isMode := strings.CutPrefix(w, "mode=")
		switch {
		case isNeed:
			t.need = append(t.need, strings.Split(need, ",")...)
		case isVal:
			t.values = append(t.values, strings.Split(val, ",")...)
		case isIn:
			t.in = append(t.in, strings.Split(in, ",")...)
		case isMode:
			t.mode = mode
		default:
			t.refused = append(t.refused, w)
		}
	}
	return t, known
}

// alternatives are the commands that a line is about: with "git stash list,show" it is about two.
func alternatives(name []string) []string {
	out := []string{""}
	for _, word := range name {
		var longer []string
		for _, begin := range out {
			for part := range strings.SplitSeq(word, ",") {
				longer = append(longer, strings.TrimSpace(begin+" "+part))
			}
		}
		out = longer
	}
	return out
}

// tries reports a line that may be tried where nothing can be changed, sent or learned, because nothing in its words
// says that it wants to: every command is one that looks, and nothing but /dev/null is written.
func (l looking) tries(r *report) bool {
	nothing := len(r.a.Commands) == 0 && !r.assigns
	if r.a.Verdict != Ask || r.a.Err != nil || nothing {
		return false
	}
	if r.unclear || r.steers || r.evaluates || slices.ContainsFunc(r.a.Effects, l.leaves) {
		return false
	}
	private := l.private
	if UsesGit(r.a.Commands) {
		private = func(word string) bool { return l.private(word) || slices.ContainsFunc(Objects(word), l.paths.secret) }
	}
	return !slices.ContainsFunc(r.a.Commands, func(c Command) bool {
		return !c.guessed && c.Verdict != ReadOnly && !l.looks(c) || slices.ContainsFunc(c.Words, private)
	})
}

// leaves reports an effect that changes something, sends something, or reads what is private.
func (l looking) leaves(e Effect) bool {
	switch e.Kind {
	case Net: // a host of "*" is only what the name of a program says, and that was judged
		return e.Target != "*"
	case Write:
		return !keepsNothing(e.Target)
	case Read:
		return l.private(e.Target)
	}
	return false
}

// keepsNothing reports a device that may be written because nothing of it stays. A disk is one, too, and is not among
// them.
func keepsNothing(target string) bool {
	switch target {
	case "/dev/null", "/dev/zero", "/dev/full", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty":
		return true
	}
	return strings.HasPrefix(target, "/dev/fd/")
}

// private reports a word that names a file with secrets, or a place outside the workspace that cannot be read where the
// line is tried. What only looks like a path, as a pattern of sed does, is none.
func (l looking) private(word string) bool {
	if _, value, ok := strings.Cut(word, "="); ok {
		word = value
	}
	if l.paths.secret(word) {
		return true
	}
	switch {
	case word == "~" || strings.HasPrefix(word, "~/"):
		if l.paths.home == "" {
			return true
		}
		return l.privatePath(path.Join(l.paths.home, word[1:]))
	case strings.HasPrefix(word, "~"), strings.HasPrefix(word, "$HOME"), strings.HasPrefix(word, "${HOME"):
		return true
	case strings.HasPrefix(word, "../"):
		return !l.paths.maySee(path.Join(l.paths.start, word))
	}
	return strings.HasPrefix(word, "/") && l.privatePath(path.Clean(word))
}

// privatePath is private for a cleaned path.
func (l looking) privatePath(p string) bool {
	if systemSecret(p) {
		return true
	}
	top, _, _ := strings.Cut(p[1:], "/")
	home := l.paths.home != "" && under(p, path.Clean(l.paths.home))
	return (home || personal.Has(top)) && !l.paths.maySee(p)
}

// personal are the directories at the top of a system that hold what is somebody's, and not the system's.
var personal = names.List("home root Users mnt media srv tmp var run boot Volumes")

// systemSecret reports a file of the system that holds passwords or keys.
func systemSecret(p string) bool {
	for _, secret := range []string{"/etc/shadow", "/etc/gshadow", "/etc/sudoers"} {
		if strings.HasPrefix(p, secret) {
			return true
		}
	}
	return under(p, "/etc/ssl/private") || strings.HasPrefix(p, "/etc/ssh/ssh_host") && !strings.HasSuffix(p, ".pub")
}

// looking tells of lines that they only look.
type looking struct {
	t     *tables
	paths *paths
	funcs map[string]bool // of the script: what stands in one was judged there
}

// looks reports a command that only looks, by its words.
func (l looking) looks(c Command) bool {
	if len(c.Words) > 0 {
		if _, ok := l.funcs[c.Words[0]]; ok {
			return true // its body was judged where it stands, and so was what it is called with
		}
	}
	if c.Program == "" || !namesSystemProgram(c.Words[0]) {
		return false
	}
	words := c.Words[1:]
	if l.asksForHelp(c.Program, words) {
		return true
	}
	if c.Program == "git" {
		ok := false
		words, ok = afterGitOptions(words)
		if !ok {
			return false
		}
	}
	for n := min(len(words), maxSubcommands); n >= 0; n-- {
		key := strings.Join(append([]string{c.Program}, words[:n]...), " ")
		t, ok := trialOf(key)
		if ok {
			return t.allows(c.Program, words[n:])
		}
	}
	return l.asksForState(c.Program, words)
}
