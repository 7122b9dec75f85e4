package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// fed is what a program makes of a text that it reads. understood: it is one that makes something of it.
func (u wrapping) fed(a args, text string, pos syntax.Pos) (runs []inner, understood bool) {
	p := a.program()
	switch p {
	case "xargs", "parallel":
		return u.appended(a, text), true
	case "fdisk", "sfdisk", "gdisk", "parted":
		i := slices.IndexFunc(a.texts, devicePath)
		if i > 0 {
			u.catastrophe(a.pos(), "%s changes the partitions of %s", p, a.texts[i])
		}
		return nil, true
	case "make", "gmake":
		if a.hasAny("-", "-f-", stdin) {
			return recipes(text, pos), true
		}
	}
	switch {
	case u.runsInput(p, a):
		return []inner{{as: asScript, text: text, pos: pos}}, true
	case foreign(p):
		return codeOf(p, text, pos), true
	}
	return nil, false
}

// stdin is what a command reads, as a file.
const stdin = "/dev/stdin"

// runsInput reports a program, other than a shell, that takes what it reads for a script.
func (u wrapping) runsInput(p string, a args) bool {
	switch p {
	case "at", "batch": // later, and by another process
		return true
	case "ssh":
		return u.onlyHost(a)
	case "source", ".":
		return a.hasAny(stdin)
	}
	return false
}

// onlyHost reports ssh without a command: what it reads runs there.
func (u wrapping) onlyHost(a args) bool {
	i, why := u.wrapped(u.judge.t.wrappers["ssh"], a)
	return why == "" && i >= len(a.words)
}

// appended is what xargs runs, with the words that it reads.
func (u wrapping) appended(a args, text string) []inner {
	wrappers := u.judge.t.wrappers
	i, _ := u.wrapped(wrappers[a.program()], a)
	if i >= len(a.words) {
		return nil
	}
	command := a.from(i)
	command.words = slices.Clone(command.words)
	command.texts = slices.Clone(command.texts)
	separates := func(r rune) bool { return strings.ContainsRune(" \t\n\x00", r) }
	for _, f := range strings.FieldsFunc(text, separates) {
		glob := strings.ContainsAny(f, "*?[")
		command.add(word{text: f, known: true, glob: glob, pos: a.pos()})
	}
	for range maxWraps { // what the wrappers behind xargs run gets the words
		w := wrappers[command.program()]
		if w == nil || w.mode != "words" {
			break
		}
		k, why := u.wrapped(w, command)
		if why != "" || k >= len(command.words) {
			break
		}
		command = command.from(k)
	}
	return []inner{{as: asFed, args: command, pos: a.pos()}}
}

// recipes are those of a makefile that make reads from its input.
func recipes(text string, pos syntax.Pos) []inner {
	var out []inner
	for line := range strings.Lines(text) {
		recipe, ok := strings.CutPrefix(line, "\t")
		if !ok {
			_, recipe, _ = strings.Cut(line, ";") // all: ; rm x
		}
		out = append(out, quoted(strings.TrimLeft(recipe, "@-+ \t"), pos))
	}
	return out
}
