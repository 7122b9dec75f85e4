package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxGuesses bounds the places behind an unknown option where the wrapped command may start: each looks at all words
// behind it.
const maxGuesses = 64

// unwrap goes on to the commands behind a wrapper: sudo, timeout, xargs, find -exec, sh -c.
func (z *analyzer) unwrap(w *program, a args) {
	if len(a.words) < 2 {
		return
	}
	if a.wraps >= maxWraps {
		z.ask(a.pos(), "wrappers nested too deeply")
		return
	}
	switch w.mode {
	case "shell": // sh -c 'x'
		z.unwrapShell(a)
	case "-c", "string-c": // su -c 'x'
		z.unwrapOption(a)
	case "string1": // trap 'x' EXIT
		z.unwrapText(a, 1)
	case "find": // find . -exec x {} ;
		z.unwrapFind(a)
	case "guess": // too many forms to know them
		z.guess(a)
	case "evaluates": // printf -v 'a[$(x)]' y
		z.unwrapEvaluated(a)
	case "gitexec": // git rebase -x 'x'
		z.unwrapGit(a)
	case "source": // source <(echo x): of any other file the text is not known
		file := a.words[1]
		if file.inner != "" {
			z.here(file.inner, file.pos)
		}
	default:
		z.unwrapWords(w, a)
	}
}

// unwrapWords goes on to the command whose words come behind the wrapper's own. watch joins them and runs a shell, and
// is judged both ways.
func (z *analyzer) unwrapWords(w *program, a args) {
	i, why := z.wrapped(w, a)
	if why != "" && w.mode == "words" {
		z.guess(a)
		return
	}
	if i >= len(a.words) {
		return
	}
	if w.mode == "string" {
		z.joined(a, i)
	}
	inner := a.from(i)
	inner.append = inner.append || w.attrs["append"] // an xargs around adds words to this one too
	isCommand := w.mode == "words" || w.attrs["append"] || strings.HasPrefix(a.texts[0], "watch")
	if isCommand {
		z.at.inDir(chdir(w, a, i), func() { z.simple(inner) })
	}
	if w.attrs["string-c"] {
		z.unwrapOption(a)
	}
}

// wrapped finds the index of the command behind a wrapper: behind its options, its operands (the seconds of timeout)
// and the assignments that it takes. A reason says that its options are not understood.
func (z *analyzer) wrapped(w *program, a args) (int, string) {
	i, left := 1, w.count
	for ; i < len(a.words); i++ {
		next := a.words[i]
		assigns := w.attrs["assign"] && strings.Contains(next.text, "=") && !option(next.text)
		mayBeOption := next.static && left == w.count // behind the first operand there are none
		switch {
		case mayBeOption && next.text == "--":
		case mayBeOption && len(next.text) > 1 && option(next.text):
			used, why := z.wrapperOption(w, a, i)
			if why != "" {
				return i, a.texts[0] + ": " + why
			}
			i += used
		case assigns:
			name, value, _ := strings.Cut(next.text, "=")
			z.steer(name, value, next.known)
		case left > 0:
			left--
		default:
			return i, ""
		}
		if w.attrs["transparent"] && (assigns || next.split) {
			return i, a.texts[0] + ": words that are not understood"
		}
	}
	return i, ""
}

// wrapperOption checks the option at word i and returns how many words behind it are its values.
func (z *analyzer) wrapperOption(w *program, a args, i int) (int, string) {
	ops := newOperands()
	used, why := z.option(w, a.words[i], a.words[i+1:], &ops)
	replaces := ops.seen["-I"] || ops.seen["-i"] || ops.seen["--replace"]
	if why == "" && w.attrs["append"] && replaces {
		z.ask(a.words[i].pos, "%s replaces words at run time", a.texts[0])
	}
	return used, why
}

// guess takes every word behind options that are not understood for a possible command, so that a refused program is
// still found, and asks.
func (z *analyzer) guess(a args) {
	z.ask(a.pos(), "%s runs another command, in a way that is not understood", a.texts[0])
	left := maxGuesses
	for i := 1; i < len(a.words) && left > 0; i++ {
		text, pos := a.texts[i], a.words[i].pos
		if option(text) {
			_, code, _ := strings.Cut(text, "=")
			z.nestedQuiet(code, pos)
			continue
		}
		left--
		if strings.ContainsAny(text, separators) {
			z.nestedQuiet(text, pos)
			continue
		}
		inner := a.from(i)
		inner.guessed, inner.wraps = true, maxWraps
		z.simple(inner)
	}
}

// separators are the characters that a command line has and a program's name has not.
const separators = " \t\n;|&"

// nestedQuiet analyses text that may or may not be a script: env -S 'rm -rf /'.
func (z *analyzer) nestedQuiet(text string, pos syntax.Pos) {
	if guard(text) == nil {
		z.nested(text, pos)
	}
}

// joined analyses words that are joined and given to a shell, for eval to this one.
func (z *analyzer) joined(a args, i int) {
	pos := a.words[i].pos
	if a.texts[i] == "--" && i+1 < len(a.texts) {
		i++
	}
	text := strings.Join(a.texts[i:], " ")
	if a.texts[0] == "eval" {
		z.here(text, pos)
		return
	}
	z.nested(text, pos)
}

// unwrapText takes the first operand for a script.
func (z *analyzer) unwrapText(a args, i int) {
	for i < len(a.words) && option(a.texts[i]) {
		i++
	}
	if i < len(a.words) {
		z.nested(a.texts[i], a.words[i].pos)
	}
}

// unwrapShell finds the script of sh -c, also in a cluster such as -lc, and that of sh <(…).
func (z *analyzer) unwrapShell(a args) {
	command := false // -c was there
	for i := 1; i < len(a.words); i++ {
		t := a.texts[i]
		switch t {
		case "--rcfile", "--init-file", "-O", "+O", "-o", "+o":
			i++ // the value
			continue
		}
		switch {
		case t == "-" || strings.HasPrefix(t, "--"):
		case shellLetters(t):
			command = command || t[0] == '-' && strings.Contains(t, "c")
		default:
			z.shellOperand(a, i, command)
			return
		}
	}
}

// shellLetters reports options of a shell, which are switched off by a plus.
func shellLetters(t string) bool { return len(t) > 1 && (t[0] == '-' || t[0] == '+') }

// shellOperand judges a shell's first operand, which is a script with -c and a file with one without.
func (z *analyzer) shellOperand(a args, i int, command bool) {
	w := a.words[i]
	switch {
	case w.inner != "":
		z.nested(w.inner, w.pos)
	case command:
		z.vars.withPositional(a.texts[i+1:], func() { z.nested(a.texts[i], w.pos) })
	}
}

// unwrapOption finds the text after -c or --command: su -c, script -c, flock FILE -c.
func (z *analyzer) unwrapOption(a args) {
	for i := 1; i < len(a.words); i++ {
		t := a.texts[i]
		code, ok := strings.CutPrefix(t, "--command=")
		if ok {
			z.nested(code, a.words[i].pos)
			return
		}
		letters := len(t) > 1 && t[0] == '-' && t[1] != '-'
		given := t == "--command" || letters && strings.HasSuffix(t, "c")
		if given && i+1 < len(a.words) {
			z.nested(a.texts[i+1], a.words[i+1].pos)
			return
		}
	}
}

// unwrapEvaluated finds what builtins run out of their arguments: alias values, -C callbacks, and substitutions in the
// subscripts of variable names, which they evaluate.
func (z *analyzer) unwrapEvaluated(a args) {
	for i := 1; i < len(a.words); i++ {
		t, pos := a.texts[i], a.words[i].pos
		_, value, assigned := strings.Cut(t, "=")
		if assigned && a.texts[0] == "alias" {
			z.nestedQuiet(value, pos)
		}
		code, callback := strings.CutPrefix(t, "-C")
		if callback && code == "" && i+1 < len(a.words) {
			code, pos = a.texts[i+1], a.words[i+1].pos
		}
		if callback {
			z.nestedQuiet(code, pos)
		}
		z.evaluated(t, a.words[i].pos)
	}
}

// evaluated analyses quoted text that is evaluated as an expression after all.
func (z *analyzer) evaluated(t string, pos syntax.Pos) {
	if strings.Contains(t, "$(") || strings.Contains(t, "`") {
		z.nestedQuiet(": "+t, pos)
	}
}

// unwrapFind finds the commands of -exec and its kin, for fd of -x and -X.
func (z *analyzer) unwrapFind(a args) {
	for i := 1; i < len(a.words); i++ {
		switch a.texts[i] {
		case "-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch":
		default:
			continue
		}
		end := i + 1
		for end < len(a.words) && a.texts[end] != ";" && a.texts[end] != "+" {
			end++
		}
		if end > i+1 {
			inner := a
			inner.words = a.words[:end]
			inner.texts = a.texts[:end]
			inner = inner.from(i + 1)
			inner.append = true // what was found
			z.simple(inner)
		}
		i = end
	}
}

// gitCommandKeys are the configuration keys whose value git gives to a shell.
var gitCommandKeys = []string{
	"alias.", "core.pager", "core.editor", "core.sshcommand", "core.fsmonitor", "core.askpass", "diff.external",
	"sequence.editor", "gpg.program", "credential.helper", "pager.", "core.hookspath",
}

// unwrapGit finds the programs that git is told to run: rebase -x, bisect run, submodule foreach, -c alias.x='!…'.
func (z *analyzer) unwrapGit(a args) {
	for i := 1; i < len(a.words); i++ {
		given := i+1 < len(a.words) && a.texts[i+1] != ""
		switch a.texts[i] {
		case "-c":
			if given && option(a.texts[1]) { // of git itself, not of its subcommand
				z.gitSetting(a.texts[i+1], a.words[i].pos)
			}
		case "-x", "--exec", "--upload-pack", "--receive-pack":
			if given {
				z.nested(a.texts[i+1], a.words[i+1].pos)
			}
		case "config":
			z.gitConfig(a, i+1)
			return
		case "run", "foreach":
			if given && z.gitRuns(a, i) {
				return
			}
		}
	}
}

// gitRuns judges what comes behind bisect run, as words, or behind submodule foreach, as text.
func (z *analyzer) gitRuns(a args, i int) bool {
	switch a.texts[i-1] + " " + a.texts[i] {
	case "bisect run":
		z.simple(a.from(i + 1))
		return true
	case "submodule foreach":
		z.nested(strings.Join(a.texts[i+1:], " "), a.words[i+1].pos)
		return true
	}
	return false
}

// gitConfig finds the key and the value of git config KEY VALUE.
func (z *analyzer) gitConfig(a args, i int) {
	for ; i+1 < len(a.texts); i++ {
		key := a.texts[i]
		if !option(key) && strings.Contains(key, ".") {
			z.gitSetting(key+"="+a.texts[i+1], a.words[i].pos)
			return
		}
	}
}

// gitSetting judges KEY=VALUE, if git would run the value. Keys are compared without case, as git does with most of
// them.
func (z *analyzer) gitSetting(setting string, pos syntax.Pos) {
	key, value, _ := strings.Cut(setting, "=")
	for _, k := range gitCommandKeys {
		if strings.HasPrefix(strings.ToLower(key), k) {
			z.nestedQuiet(strings.TrimPrefix(value, "!"), pos)
		}
	}
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
