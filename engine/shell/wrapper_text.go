package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// sourced is the text of source <(echo x): of any other file the text is not known.
func (u wrapping) sourced(a args) []inner {
	file := a.words[1]
	if file.inner == "" {
		return nil
	}
	return []inner{{as: asHere, text: file.inner, pos: file.pos}}
}

// joined are words that are joined and given to a shell, for eval to this one.
func joined(a args, i int) inner {
	pos := a.words[i].pos
	if a.texts[i] == "--" && i+1 < len(a.texts) {
		i++
	}
	script := inner{as: asScript, text: strings.Join(a.texts[i:], " "), pos: pos}
	if a.texts[0] == "eval" {
		script.as = asHere
	}
	return script
}

// firstText is the first operand, as a script.
func (u wrapping) firstText(a args) []inner {
	i := 1
	for i < len(a.words) && option(a.texts[i]) {
		i++
	}
	if i == len(a.words) {
		return nil
	}
	return []inner{scriptAt(a, i)}
}

// scriptAt is a word as a script.
func scriptAt(a args, i int) inner { return inner{as: asScript, text: a.texts[i], pos: a.words[i].pos} }

// shell is the script of sh -c, also in a cluster such as -lc, and that of sh <(…).
func (u wrapping) shell(a args) []inner {
	command := false // -c was there
	for i := 1; i < len(a.words); i++ {
		t := a.texts[i]
		switch {
		case slices.Contains(shellValued, t):
			i++ // the value
		case t == "-" || strings.HasPrefix(t, "--"):
		case shellLetters(t):
			command = command || t[0] == '-' && strings.Contains(t, "c")
		default:
			return shellOperand(a, i, command)
		}
	}
	return nil
}

// shellValued are options of shells that take a value.
var shellValued = []string{"--rcfile", "--init-file", "-O", "+O", "-o", "+o"}

// shellLetters reports options of a shell, which are switched off by a plus.
func shellLetters(t string) bool { return len(t) > 1 && (t[0] == '-' || t[0] == '+') }

// shellOperand is a shell's first operand, which is a script with -c and a file with one without.
func shellOperand(a args, i int, command bool) []inner {
	w := a.words[i]
	switch {
	case w.inner != "":
		return []inner{{as: asScript, text: w.inner, pos: w.pos}}
	case command:
		script := scriptAt(a, i)
		script.given = a.texts[i+1:]
		return []inner{script}
	}
	return nil
}

// optionText is the text after -c or --command: su -c, script -c, flock FILE -c.
func (u wrapping) optionText(a args) []inner {
	for i := 1; i < len(a.words); i++ {
		t := a.texts[i]
		code, ok := strings.CutPrefix(t, "--command=")
		if ok {
			return []inner{{as: asScript, text: code, pos: a.words[i].pos}}
		}
		letters := len(t) > 1 && t[0] == '-' && t[1] != '-'
		given := t == "--command" || letters && strings.HasSuffix(t, "c")
		if given && i+1 < len(a.words) {
			return []inner{scriptAt(a, i+1)}
		}
	}
	return nil
}

// evaluated is what builtins run out of their arguments: alias values, -C callbacks, and substitutions in the subscripts
// of variable names, which they evaluate.
func (u wrapping) evaluated(a args) []inner {
	var out []inner
	for i := 1; i < len(a.words); i++ {
		t, pos := a.texts[i], a.words[i].pos
		_, value, assigned := strings.Cut(t, "=")
		if assigned && a.texts[0] == "alias" {
			out = append(out, inner{as: asMaybe, text: value, pos: pos})
		}
		code, callback := strings.CutPrefix(t, "-C")
		if callback && code == "" && i+1 < len(a.words) {
			code, pos = a.texts[i+1], a.words[i+1].pos
		}
		if callback {
			out = append(out, inner{as: asMaybe, text: code, pos: pos})
		}
		if substitutes(t) {
			out = append(out, inner{as: asMaybe, text: ": " + t, pos: a.words[i].pos})
		}
	}
	return out
}

// substitutes reports quoted text in which a command stands, where it is evaluated as an expression after all.
func substitutes(t string) bool { return strings.Contains(t, "$(") || strings.Contains(t, "`") }

// git is what git is told to run: rebase -x, bisect run, submodule foreach, -c alias.x='!…'.
func (u wrapping) git(a args) []inner {
	var out []inner
	for i := 1; i < len(a.words); i++ {
		switch a.texts[i] {
		case "config":
			return append(out, gitConfig(a, i+1)...)
		case "run", "foreach":
			if own := gitRuns(a, i); own != nil {
				return append(out, own...)
			}
		default:
			out = append(out, gitOption(a, i)...)
		}
	}
	return out
}

// gitOption is what an option of git runs, whose value stands behind it.
func gitOption(a args, i int) []inner {
	if i+1 == len(a.words) || a.texts[i+1] == "" {
		return nil
	}
	switch a.texts[i] {
	case "-c":
		if option(a.texts[1]) { // of git itself, not of its subcommand
			return gitSetting(a.texts[i+1], a.words[i].pos)
		}
	case "-x", "--exec", "--upload-pack", "--receive-pack":
		return []inner{scriptAt(a, i+1)}
	}
	return nil
}

// gitRuns is what comes behind bisect run, as words, or behind submodule foreach, as text.
func gitRuns(a args, i int) []inner {
	if i+1 == len(a.words) || a.texts[i+1] == "" {
		return nil
	}
	switch a.texts[i-1] + " " + a.texts[i] {
	case "bisect run":
		return []inner{{args: a.from(i + 1)}}
	case "submodule foreach":
		return []inner{{as: asScript, text: strings.Join(a.texts[i+1:], " "), pos: a.words[i+1].pos}}
	}
	return nil
}

// gitConfig is the value of git config KEY VALUE, if git would run it.
func gitConfig(a args, i int) []inner {
	for ; i+1 < len(a.texts); i++ {
		key := a.texts[i]
		if !option(key) && strings.Contains(key, ".") {
			return gitSetting(key+"="+a.texts[i+1], a.words[i].pos)
		}
	}
	return nil
}

// gitCommandKeys are the configuration keys whose value git gives to a shell.
var gitCommandKeys = []string{
	"alias.", "core.pager", "core.editor", "core.sshcommand", "core.fsmonitor", "core.askpass", "diff.external",
	"sequence.editor", "gpg.program", "credential.helper", "pager.", "core.hookspath",
}

// gitSetting is the value of KEY=VALUE, if git would run it. Keys are compared without case, as git does with most of
// them.
func gitSetting(setting string, pos syntax.Pos) []inner {
	var out []inner
	key, value, _ := strings.Cut(setting, "=")
	for _, k := range gitCommandKeys {
		if strings.HasPrefix(strings.ToLower(key), k) {
			out = append(out, inner{as: asMaybe, text: strings.TrimPrefix(value, "!"), pos: pos})
		}
	}
	return out
}
