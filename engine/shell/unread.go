package shell

import (
	"slices"
	"strings"

	"helve/internal/names"

	"mvdan.cc/sh/v3/syntax"
)

// unread tells that the command runs commands that are not known here. Files that it names as a script, and texts in
// other languages, are not meant: no program's own doing is read.
func (u unseen) unread(a args) bool {
	p := a.program()
	w := u.wraps.judge.t.wrappers[p]
	switch p {
	case "at", "batch", "parallel":
		return !u.fedNow()
	case "xargs":
		return u.replaces(w, a) || u.unfinished(w, a)
	case "source", ".":
		return len(a.words) > 1 && u.readsInput(a.words[1])
	case "make", "gmake":
		return a.hasAny("-f-") || slices.ContainsFunc(a.words[1:], u.readsInput)
	}
	switch {
	case w != nil && w.mode == "shell":
		return u.unreadShell(a)
	case foreign(p):
		return u.unreadProgram(strings.TrimRight(p, versions), a)
	}
	return w != nil && (u.computes(w, a) || u.unfinished(w, a))
}

// What a command runs may stand nowhere in the line: what it reads as a script (cat f | sh), what another command adds
// to its words (xargs), a text that is computed at run time (eval "$x"). Such a command may run any other.

// inputNames are files that are what a command reads; what has a number is a descriptor, or <(…).
var inputNames = []string{"-", stdin, "/dev/fd/", "/proc/self/fd/"}

// readsInput tells that a word names what the command reads, or the output of <(…), where that is not known.
func (u unseen) readsInput(w word) bool {
	is := slices.ContainsFunc(inputNames, func(in string) bool {
		return w.text == in || strings.HasSuffix(in, "/") && strings.HasPrefix(w.text, in)
	})
	return is && w.inner == "" && !u.fedNow()
}

// unreadShell is unread for sh and its kin: without an operand, or with -s, they read their script.
func (u unseen) unreadShell(a args) bool {
	command, reads := false, false
	for i := 1; i < len(a.words); i++ {
		t := a.texts[i]
		switch {
		case slices.Contains(shellValued, t):
			i++ // the value
		case t == "--" || strings.HasPrefix(t, "--"):
		case shellLetters(t):
			command = command || t[0] == '-' && strings.Contains(t, "c")
			reads = reads || t[0] == '-' && strings.Contains(t, "s")
		case command:
			return !a.words[i].known
		case reads:
			return !u.fedNow()
		default:
			return u.readsInput(a.words[i])
		}
	}
	return a.append || command || !u.fedNow()
}

// codeOptions are the options behind which interpreters have a program in their own language, by their first letters.
var codeOptions = []string{"-c", "-e", "-E", "-m", "-p", "--eval", "--print", "--version", "--help"}

// codeValued are options of theirs with a value, which is no file with a program.
var codeValued = []string{"-W", "-X", "-r", "-I", "-d", "-C", "--require", "--import"}

// unreadProgram is unread for an interpreter of another language: what it reads may run any command.
func (u unseen) unreadProgram(p string, a args) bool {
	code := p == "awk" || p == "gawk" || p == "mawk" || p == "nawk"
	operands := 0
	for i := 1; i < len(a.words); i++ {
		t := a.texts[i]
		switch {
		case u.readsInput(a.words[i]):
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
	return operands == 0 && !code && (a.append || !u.fedNow())
}

// replaces tells that xargs puts what it reads into its words: into a script, or in the place of the program.
func (u unseen) replaces(w *program, a args) bool {
	i, _ := u.wraps.wrapped(w, a)
	return slices.ContainsFunc(a.texts[1:min(i, len(a.texts))], func(t string) bool {
		return strings.HasPrefix(t, "-I") || strings.HasPrefix(t, "-i") || strings.HasPrefix(t, "--replace")
	})
}

// textRunners are wrappers that run a text which an option gives them.
var textRunners = []string{"su", "script", "runuser", "flock"}

// shellStarters are wrappers that start a shell where they are given no command.
var shellStarters = names.List("ssh su sudo doas chroot unshare nsenter runuser script setarch linux32 linux64 " +
	"bwrap firejail proot fakeroot pkexec")

// unseen tells of commands that they run others which are not known here.
type unseen struct {
	wraps wrapping
	at    *places
	fed   map[*syntax.CallExpr]bool // commands of which it is known what they read
}

// fedNow tells that it is known what the command that is being judged reads.
func (u unseen) fedNow() bool { return u.fed[u.at.called] }

// unfinished tells that a wrapper has no command of its own: it starts a shell, or what is added to its words names
// one.
func (u unseen) unfinished(w *program, a args) bool {
	words := w.mode == "words" || w.mode == "string"
	if !words && w.mode != "string-c" && w.mode != "-c" {
		return false
	}
	p := a.program()
	if slices.Contains(textRunners, p) && a.hasAny("-c", "--command") {
		return false
	}
	i, _ := u.wraps.wrapped(w, a)
	if words && i < len(a.words) {
		return false
	}
	return a.append || u.startsShell(p, a)
}

// startsShell reports a wrapper without a command of which it is not known what the shell that it starts reads.
func (u unseen) startsShell(p string, a args) bool {
	return shellStarters.Has(p) && !u.fedNow() && !a.hasAny("-V", "-v", "-l", "--version", "--list")
}

// computes tells that a text for a shell has a part that is computed at run time.
func (u unseen) computes(w *program, a args) bool {
	given := w.mode == "string" || w.mode == "-c" || w.mode == "string1" ||
		(w.mode == "string-c" || w.attrs["string-c"]) && a.hasAny("-c", "--command")
	return given && slices.ContainsFunc(a.words[1:], func(w word) bool { return !w.known })
}
