package shell

import (
	"slices"
	"strings"

	"helve/internal/names"
)

// What a command runs may stand nowhere in the line: what it reads as a script (cat f | sh), what another command adds
// to its words (xargs), a text that is computed at run time (eval "$x"). Such a command may run any other.

// unread tells that the command runs commands that are not known here. Files that it names as a script, and texts in
// other languages, are not meant: no program's own doing is read.
func (z *analyzer) unread(a args) bool {
	p := a.program()
	w := z.t.wrappers[p]
	switch {
	case p == "at", p == "batch", p == "parallel":
		return !z.fed[z.at.called]
	case p == "xargs":
		return z.replaces(w, a) || z.unfinished(w, a)
	case p == "source", p == ".":
		return len(a.words) > 1 && z.readsInput(a.words[1])
	case p == "make", p == "gmake":
		return a.hasAny("-f-") || slices.ContainsFunc(a.words[1:], z.readsInput)
	case w != nil && w.mode == "shell":
		return z.unreadShell(a)
	case foreign(p):
		return z.unreadProgram(strings.TrimRight(p, versions), a)
	case w != nil:
		return z.computes(w, a) || z.unfinished(w, a)
	}
	return false
}

// inputNames are files that are what a command reads; what has a number is a descriptor, or <(…).
var inputNames = []string{"-", stdin, "/dev/fd/", "/proc/self/fd/"}

// readsInput tells that a word names what the command reads, or the output of <(…), where that is not known.
func (z *analyzer) readsInput(w word) bool {
	is := slices.ContainsFunc(inputNames, func(in string) bool {
		return w.text == in || strings.HasSuffix(in, "/") && strings.HasPrefix(w.text, in)
	})
	return is && w.inner == "" && !z.fed[z.at.called]
}

// unreadShell is unread for sh and its kin: without an operand, or with -s, they read their script.
func (z *analyzer) unreadShell(a args) bool {
	command, reads := false, false
	for i := 1; i < len(a.words); i++ {
		t := a.texts[i]
		switch {
		case slices.Contains([]string{"--rcfile", "--init-file", "-O", "+O", "-o", "+o"}, t):
			i++ // the value
		case t == "--" || strings.HasPrefix(t, "--"):
		case shellLetters(t):
			command = command || t[0] == '-' && strings.Contains(t, "c")
			reads = reads || t[0] == '-' && strings.Contains(t, "s")
		case command:
			return !a.words[i].known
		case reads:
			return !z.fed[z.at.called]
		default:
			return z.readsInput(a.words[i])
		}
	}
	return a.append || command || !z.fed[z.at.called]
}

// codeOptions are the options behind which interpreters have a program in their own language, by their first letters.
var codeOptions = []string{"-c", "-e", "-E", "-m", "-p", "--eval", "--print", "--version", "--help"}

// codeValued are options of theirs with a value, which is no file with a program.
var codeValued = []string{"-W", "-X", "-r", "-I", "-d", "-C", "--require", "--import"}

// unreadProgram is unread for an interpreter of another language: what it reads may run any command.
func (z *analyzer) unreadProgram(p string, a args) bool {
	code := p == "awk" || p == "gawk" || p == "mawk" || p == "nawk"
	operands := 0
	for i := 1; i < len(a.words); i++ {
		t := a.texts[i]
		switch {
		case z.readsInput(a.words[i]):
			return true
		case p == "php" && t == "-r",
			slices.ContainsFunc(codeOptions, func(o string) bool { return strings.HasPrefix(t, o) }):
			code = true
		case slices.Contains(codeValued, t):
			i++
		case !option(t):
			operands++
		}
	}
	return operands == 0 && !code && (a.append || !z.fed[z.at.called])
}

// replaces tells that xargs puts what it reads into its words: into a script, or in the place of the program.
func (z *analyzer) replaces(w *program, a args) bool {
	i, _ := z.wrapped(w, a)
	return slices.ContainsFunc(a.texts[1:min(i, len(a.texts))], func(t string) bool {
		return strings.HasPrefix(t, "-I") || strings.HasPrefix(t, "-i") || strings.HasPrefix(t, "--replace")
	})
}

// shellStarters are wrappers that start a shell where they are given no command.
var shellStarters = names.List("ssh su sudo doas chroot unshare nsenter runuser script setarch linux32 linux64 " +
	"bwrap firejail proot fakeroot pkexec")

// unfinished tells that a wrapper has no command of its own: it starts a shell, or what is added to its words names
// one.
func (z *analyzer) unfinished(w *program, a args) bool {
	if w.mode != "words" && w.mode != "string" && w.mode != "string-c" && w.mode != "-c" {
		return false
	}
	p := a.program()
	if a.hasAny("-c", "--command") && (p == "su" || p == "script" || p == "runuser" || p == "flock") {
		return false
	}
	i, _ := z.wrapped(w, a)
	if w.mode == "words" || w.mode == "string" {
		if i < len(a.words) {
			return false
		}
	}
	return a.append || shellStarters.Has(p) && !z.fed[z.at.called] && !a.hasAny("-V", "-v", "-l", "--version", "--list")
}

// computes tells that a text for a shell has a part that is computed at run time.
func (z *analyzer) computes(w *program, a args) bool {
	given := w.mode == "string" || w.mode == "-c" || w.mode == "string1" ||
		(w.mode == "string-c" || w.attrs["string-c"]) && a.hasAny("-c", "--command")
	return given && slices.ContainsFunc(a.words[1:], func(w word) bool { return !w.known })
}
