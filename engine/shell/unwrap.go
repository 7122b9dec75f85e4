package shell

import (
	"maps"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxGuesses bounds the places behind an unknown option where the wrapped command may start.
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
	case "shell":
		z.unwrapShell(a)
	case "-c", "string-c":
		z.unwrapOption(a)
	case "string1":
		z.unwrapText(a, 1)
	case "find":
		z.unwrapFind(a)
	case "guess":
		z.guess(a)
	case "evaluates":
		z.unwrapEvaluated(a)
	case "gitexec":
		z.unwrapGit(a)
	case "source":
		if inner := a.words[1].inner; inner != "" {
			z.here(inner, a.words[1].pos)
		}
	default:
		z.unwrapWords(w, a)
	}
}

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
	inner.append = inner.append || w.attrs["append"]
	if w.mode == "words" || w.attrs["append"] || strings.HasPrefix(a.texts[0], "watch") {
		z.inDir(chdir(w, a, i), func() { z.simple(inner) })
	}
	if w.attrs["string-c"] {
		z.unwrapOption(a)
	}
}

// wrapped finds the index of the command behind a wrapper. A reason says that its options are not understood.
func (z *analyzer) wrapped(w *program, a args) (int, string) {
	i, left := 1, w.count
	for ; i < len(a.words); i++ {
		next := a.words[i]
		assigns := w.attrs["assign"] && strings.Contains(next.text, "=") && !strings.HasPrefix(next.text, "-")
		switch {
		case next.static && next.text == "--" && left == w.count:
		case next.static && len(next.text) > 1 && next.text[0] == '-' && left == w.count:
			ops := operands{values: map[string][]word{}, seen: map[string]bool{}}
			used, why := z.option(w, next, a.words[i+1:], &ops)
			if why != "" {
				return i, a.texts[0] + ": " + why
			}
			if w.attrs["append"] && (ops.seen["-I"] || ops.seen["-i"] || ops.seen["--replace"]) {
				z.ask(next.pos, "%s replaces words at run time", a.texts[0])
			}
			i += used
		case assigns:
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

// guess takes every word behind options that are not understood for a possible command, so that a refused program is
// still found, and asks.
func (z *analyzer) guess(a args) {
	z.ask(a.pos(), "%s runs another command, in a way that is not understood", a.texts[0])
	left := maxGuesses
	for i := 1; i < len(a.words) && left > 0; i++ {
		if strings.HasPrefix(a.texts[i], "-") {
			if _, code, ok := strings.Cut(a.texts[i], "="); ok {
				z.nestedQuiet(code, a.words[i].pos)
			}
			continue
		}
		left--
		if strings.ContainsAny(a.texts[i], " \t\n;|&") {
			z.nestedQuiet(a.texts[i], a.words[i].pos)
			continue
		}
		inner := a.from(i)
		inner.guessed, inner.wraps = true, maxWraps
		z.simple(inner)
	}
}

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
	if text := strings.Join(a.texts[i:], " "); a.texts[0] == "eval" {
		z.here(text, pos)
	} else {
		z.nested(text, pos)
	}
}

func (z *analyzer) unwrapText(a args, i int) {
	for i < len(a.words) && strings.HasPrefix(a.texts[i], "-") {
		i++
	}
	if i < len(a.words) {
		z.nested(a.texts[i], a.words[i].pos)
	}
}

// unwrapShell finds the script of sh -c, also in a cluster such as -lc.
func (z *analyzer) unwrapShell(a args) {
	command := false
	for i := 1; i < len(a.words); i++ {
		t := a.texts[i]
		switch {
		case t == "--rcfile" || t == "--init-file" || t == "-O" || t == "+O" || t == "-o" || t == "+o":
			i++
		case t == "--" || t == "-":
		case strings.HasPrefix(t, "--"):
		case len(t) > 1 && (t[0] == '-' || t[0] == '+'):
			command = command || t[0] == '-' && strings.Contains(t, "c")
		default:
			if inner := a.words[i].inner; inner != "" {
				z.nested(inner, a.words[i].pos)
			} else if command {
				z.withPositional(a.texts[i+1:], func() { z.nested(t, a.words[i].pos) })
			}
			return
		}
	}
}

// withPositional judges a script that is given words: sh -c '"$@"' name rm -rf /
func (z *analyzer) withPositional(words []string, judge func()) {
	if len(words) == 0 {
		judge()
		return
	}
	vars, lists := z.vars, z.lists
	z.vars, z.lists = maps.Clone(vars), maps.Clone(lists)
	for i, w := range words[:min(len(words), 10)] {
		z.vars[string(rune('0'+i))] = w
	}
	z.lists["@"] = words[1:]
	judge()
	z.vars, z.lists = vars, lists
}

// unwrapOption finds the text after -c or --command: su -c, script -c, flock FILE -c.
func (z *analyzer) unwrapOption(a args) {
	for i := 1; i < len(a.words); i++ {
		t := a.texts[i]
		if code, ok := strings.CutPrefix(t, "--command="); ok {
			z.nested(code, a.words[i].pos)
			return
		}
		cluster := len(t) > 1 && t[0] == '-' && t[1] != '-' && strings.HasSuffix(t, "c")
		if (cluster || t == "--command") && i+1 < len(a.words) {
			z.nested(a.texts[i+1], a.words[i+1].pos)
			return
		}
	}
}

// unwrapEvaluated finds what builtins run out of their arguments: alias values, -C callbacks, and substitutions in the
// subscripts of variable names, which they evaluate.
func (z *analyzer) unwrapEvaluated(a args) {
	for i := 1; i < len(a.words); i++ {
		t := a.texts[i]
		if _, value, ok := strings.Cut(t, "="); ok && a.texts[0] == "alias" {
			z.nestedQuiet(value, a.words[i].pos)
		}
		if t == "-C" && i+1 < len(a.words) {
			z.nestedQuiet(a.texts[i+1], a.words[i+1].pos)
		} else if code, ok := strings.CutPrefix(t, "-C"); ok && code != "" {
			z.nestedQuiet(code, a.words[i].pos)
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
			inner.words, inner.texts = a.words[:end], a.texts[:end]
			inner = inner.from(i + 1)
			inner.append = true
			z.simple(inner)
		}
		i = end
	}
}

// gitCommandKeys are the configuration keys whose value git gives to a shell.
var gitCommandKeys = []string{"alias.", "core.pager", "core.editor", "core.sshcommand", "core.fsmonitor", "core.askpass", "diff.external",
	"sequence.editor", "gpg.program", "credential.helper", "pager.", "core.hookspath"}

// unwrapGit finds the programs that git is told to run: rebase -x, bisect run, submodule foreach, -c alias.x='!…'.
func (z *analyzer) unwrapGit(a args) {
	for i := 1; i < len(a.words); i++ {
		t, next := a.texts[i], ""
		if i+1 < len(a.words) {
			next = a.texts[i+1]
		}
		switch {
		case t == "-c" && i == 1 || t == "-c" && strings.HasPrefix(a.texts[1], "-"):
			z.gitSetting(next, a.words[i].pos)
		case (t == "-x" || t == "--exec" || t == "--upload-pack" || t == "--receive-pack") && next != "":
			z.nested(next, a.words[i+1].pos)
		case t == "config":
			z.gitConfig(a, i+1)
			return
		case t == "run" && a.texts[i-1] == "bisect" && next != "":
			z.simple(a.from(i + 1))
			return
		case t == "foreach" && a.texts[i-1] == "submodule" && next != "":
			z.nested(strings.Join(a.texts[i+1:], " "), a.words[i+1].pos)
			return
		}
	}
}

// gitConfig finds the key and the value of git config KEY VALUE.
func (z *analyzer) gitConfig(a args, i int) {
	for ; i+1 < len(a.texts); i++ {
		if !option(a.texts[i]) && strings.Contains(a.texts[i], ".") {
			z.gitSetting(a.texts[i]+"="+a.texts[i+1], a.words[i].pos)
			return
		}
	}
}

func (z *analyzer) gitSetting(setting string, pos syntax.Pos) {
	key, value, _ := strings.Cut(setting, "=")
	for _, k := range gitCommandKeys {
		if strings.HasPrefix(strings.ToLower(key), k) {
			z.nestedQuiet(strings.TrimPrefix(value, "!"), pos)
		}
	}
}
