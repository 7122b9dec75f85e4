package shell

import "strings"

// maxGuesses bounds the places behind an unknown option where the wrapped command may start: each looks at all words
// behind it.
const maxGuesses = 64

// wrapping finds the commands behind a wrapper: sudo, timeout, xargs, find -exec, sh -c.
type wrapping struct {
	*report
	judge *judge
}

// insides are the modes of the table by which wrappers take a command otherwise than as the words behind them.
var insides = map[string]func(wrapping, args) []inner{
	"shell":     wrapping.shell,      // sh -c 'x'
	"-c":        wrapping.optionText, // su -c 'x'
	"string-c":  wrapping.optionText,
	"string1":   wrapping.firstText, // trap 'x' EXIT
	"find":      wrapping.found,     // find . -exec x {} ;
	"guess":     wrapping.guess,     // too many forms to know them
	"evaluates": wrapping.evaluated, // printf -v 'a[$(x)]' y
	"gitexec":   wrapping.git,       // git rebase -x 'x'
	"source":    wrapping.sourced,
}

// inside is what a wrapper runs.
func (u wrapping) inside(w *program, a args) []inner {
	if len(a.words) < 2 {
		return nil
	}
	if a.wraps >= maxWraps {
		u.ask(a.pos(), "wrappers nested too deeply")
		return nil
	}
	if find := insides[w.mode]; find != nil {
		return find(u, a)
	}
	return u.behind(w, a)
}

// behind is the command whose words come behind the wrapper's own. watch joins them and runs a shell, and is judged both
// ways.
func (u wrapping) behind(w *program, a args) []inner {
	i, why := u.wrapped(w, a)
	if why != "" && w.mode == "words" {
		return u.guess(a)
	}
	if i >= len(a.words) {
		return nil
	}
	var out []inner
	if w.mode == "string" {
		out = append(out, joined(a, i))
	}
	command := a.from(i)
	command.append = command.append || w.attrs["append"] // an xargs around adds words to this one too
	isCommand := w.mode == "words" || w.attrs["append"] || strings.HasPrefix(a.texts[0], "watch")
	if isCommand {
		out = append(out, inner{args: command, dir: chdir(w, a, i)})
	}
	if w.attrs["string-c"] {
		out = append(out, u.optionText(a)...)
	}
	return out
}

// wrapped finds the index of the command behind a wrapper: behind its options, its operands (the seconds of timeout)
// and the assignments that it takes. A reason says that its options are not understood.
func (u wrapping) wrapped(w *program, a args) (int, string) {
	i, left := 1, w.count
	for ; i < len(a.words); i++ {
		next := a.words[i]
		kind := kindBefore(w, next, left == w.count)
		switch {
		case kind == endOfOptions:
		case kind == anOption:
			used, why := u.option(w, a, i)
			if why != "" {
				return i, a.texts[0] + ": " + why
			}
			i += used
		case kind == anAssignment:
			name, value, _ := strings.Cut(next.text, "=")
			u.steer(name, value, next.known)
		case left > 0:
			left--
		default:
			return i, ""
		}
		if w.attrs["transparent"] && (kind == anAssignment || next.split) {
			return i, a.texts[0] + ": words that are not understood"
		}
	}
	return i, ""
}

// A wordKind is what a word before a wrapped command is.
type wordKind int

const (
	anOperand wordKind = iota // or the command
	anOption
	anAssignment
	endOfOptions
)

// kindBefore tells what a word is. Behind a wrapper's first operand there are no options.
func kindBefore(w *program, next word, beforeOperands bool) wordKind {
	isOption := option(next.text)
	switch {
	case next.static && beforeOperands && next.text == "--":
		return endOfOptions
	case next.static && beforeOperands && len(next.text) > 1 && isOption:
		return anOption
	case w.attrs["assign"] && strings.Contains(next.text, "=") && !isOption:
		return anAssignment
	}
	return anOperand
}

// option checks the option at word i and returns how many words behind it are its values.
func (u wrapping) option(w *program, a args, i int) (int, string) {
	ops := newOperands()
	used, why := u.judge.option(w, a.words[i], a.words[i+1:], &ops)
	replaces := ops.seen["-I"] || ops.seen["-i"] || ops.seen["--replace"]
	if why == "" && w.attrs["append"] && replaces {
		u.ask(a.words[i].pos, "%s replaces words at run time", a.texts[0])
	}
	return used, why
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

// guess takes every word behind options that are not understood for a possible command, so that a refused program is
// still found, and asks.
func (u wrapping) guess(a args) []inner {
	u.ask(a.pos(), "%s runs another command, in a way that is not understood", a.texts[0])
	var out []inner
	left := maxGuesses
	for i := 1; i < len(a.words) && left > 0; i++ {
		text, pos := a.texts[i], a.words[i].pos
		if option(text) {
			_, code, _ := strings.Cut(text, "=")
			out = append(out, inner{as: asMaybe, text: code, pos: pos})
			continue
		}
		left--
		if strings.ContainsAny(text, separators) {
			out = append(out, inner{as: asMaybe, text: text, pos: pos})
			continue
		}
		command := a.from(i)
		command.guessed, command.wraps = true, maxWraps
		out = append(out, inner{args: command})
	}
	return out
}

// separators are the characters that a command line has and a program's name has not.
const separators = " \t\n;|&"

// found are the commands of -exec and its kin, for fd of -x and -X.
func (u wrapping) found(a args) []inner {
	var out []inner
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
			command := a
			command.words = a.words[:end]
			command.texts = a.texts[:end]
			command = command.from(i + 1)
			command.append = true // what was found
			out = append(out, inner{args: command})
		}
		i = end
	}
	return out
}
