package shell

import (
	"slices"
	"strings"
)

// operands is a command's words sorted into options and operands, as getopt of GNU would. No abbreviation of a long
// option is known, so each is asked about.
type operands struct {
	list   []word
	values map[string][]word // of options that take one
	seen   map[string]bool   // options
}

func newOperands() operands {
	return operands{values: map[string][]word{}, seen: map[string]bool{}}
}

// judgeEntry judges a command by its line in the table; rest are the words after the program and its subcommand.
func (j *judge) judgeEntry(p *program, title string, rest args) string {
	prints := p.mode == "printf" || p.mode == "words" && p.attrs["any"] // whatever the arguments are
	if rest.append && !prints {
		return title + ": more arguments are added at run time"
	}
	why, own := j.judgeWords(p.mode, rest.words)
	if own {
		return why
	}
	why = j.judgeSorted(p, title, rest)
	if why == "" {
		return ""
	}
	return title + ": " + why
}

// judgeWords judges the words of the programs that sort them in a way of their own.
func (j *judge) judgeWords(mode string, ws []word) (why string, own bool) {
	switch mode {
	case "printf":
		return judgePrintf(ws), true
	case "tar":
		return j.judgeTar(ws), true
	case "read":
		return j.judgeRead(ws), true
	case "test":
		return judgeTest(ws), true
	case "find":
		return j.judgeFind(ws), true
	}
	return "", false
}

// judgeSorted judges options, then operands.
func (j *judge) judgeSorted(p *program, title string, rest args) string {
	ops, why := j.sortOperands(p, rest)
	shows := p.attrs["key"] && oneKey(ops.list)
	if why == "" && !shows {
		why = missing(p.need, ops.seen)
	}
	if why == "" {
		why = j.judgeOperands(p, ops)
	}
	if why == "" && strings.HasPrefix(title, "git ") {
		why = j.access.secretObjects(ops)
	}
	return why
}

// oneKey reports git config KEY, which shows a setting; with a value behind it, it would change one.
func oneKey(list []word) bool {
	return len(list) == 1 && list[0].static && !list[0].glob && strings.Contains(list[0].text, ".")
}

// missing returns why a command may do more without any of the options that keep it to reading, or "".
func missing(need []string, seen map[string]bool) string {
	for _, n := range need {
		if seen[n] {
			return ""
		}
	}
	if len(need) == 0 {
		return ""
	}
	return "without " + strings.Join(need, " or ") + " it may do more than read"
}

// sortOperands checks every option against the allow-list. GNU programs take options after operands too.
func (j *judge) sortOperands(p *program, rest args) (operands, string) {
	ops := newOperands()
	ws := rest.words
	for i := 0; i < len(ws); i++ {
		w := ws[i]
		if w.fixed() && w.text == "--" {
			ops.list = append(ops.list, ws[i+1:]...)
			return ops, ""
		}
		is, why := isOption(p, w)
		if why != "" {
			return ops, why
		}
		if !is {
			ops.list = append(ops.list, w)
			if p.mode == "none" {
				return ops, "" // one is too many
			}
			continue
		}
		used, why := j.option(p, w, ws[i+1:], &ops)
		switch {
		case why != "" && p.attrs["loose"]: // what it does not know, it takes for an operand
			ops.list = append(ops.list, w)
		case why != "":
			return ops, why
		}
		i += used
	}
	return ops, ""
}

// isOption tells an option from an operand. A word that is known only at run time may turn out to be an option.
func isOption(p *program, w word) (bool, string) {
	if w.fixed() {
		return len(w.text) > 1 && w.text[0] == '-', ""
	}
	operand := w.lead != "" && w.lead[0] != '-'
	harmless := p.attrs["any"] && w.lead == ""
	if operand || harmless {
		return false, ""
	}
	name, _, valued := strings.Cut(w.lead, "=") // --max-count=$n
	if valued && strings.HasPrefix(name, "--") && takesValue(p.option(name)) && !w.split {
		return true, ""
	}
	return false, "a word that may expand to an option"
}

// takesValue reports options whose value stands behind an = and names no file.
func takesValue(k optionKind) bool { return k == optValue || k == optMaybe }

// option checks one option and returns how many of the following words are its values.
func (j *judge) option(p *program, w word, next []word, ops *operands) (int, string) {
	t := w.text
	if p.takesNumbers() && numeric(t[1:]) {
		return 0, ""
	}
	if strings.HasPrefix(t, "--") {
		name, value, attached := strings.Cut(t, "=")
		if attached && p.option(name) == optFlag {
			return 0, unknownOption(t)
		}
		return j.optionValue(p, name, value, attached, next, ops)
	}
	if p.option(t) != 0 { // -name, as find and java have them
		return j.optionValue(p, t, "", false, next, ops)
	}
	for i := 1; i < len(t); i++ { // letters: the last may have a value behind it
		name := "-" + t[i:i+1]
		if p.option(name) == optFlag {
			ops.seen[name] = true
			continue
		}
		return j.optionValue(p, name, t[i+1:], i+1 < len(t), next, ops)
	}
	return 0, ""
}

// optionValue notes an option and checks its value, attached to it or among the words behind it, of which it returns
// how many are used.
func (j *judge) optionValue(
	p *program, name, value string, attached bool, next []word, ops *operands,
) (int, string) {
	kind := p.option(name)
	ops.seen[name] = true
	switch kind {
	case optFlag, optMaybe:
		return 0, ""
	case optDouble:
		return 2, ""
	case optValue, optPath, optDir:
	default:
		return 0, unknownOption(name)
	}
	w := word{text: value, lead: value, static: true, known: true}
	used := 0
	if !attached {
		if len(next) == 0 {
			return 0, name + " without its value"
		}
		w = next[0]
		used = 1
	}
	if w.split || w.glob && !attached {
		return 0, "the value of " + name + " is computed at run time"
	}
	ops.values[name] = append(ops.values[name], w)
	if kind == optPath {
		return used, j.access.readable(w)
	}
	return used, ""
}

func unknownOption(name string) string { return "option " + name + " is not known to be harmless" }

// listOptions each mean --list for git branch and git tag.
var listOptions = []string{"-l", "--list", "--merged", "--no-merged", "--contains", "--no-contains", "--points-at"}

// judgeOperands judges the operands by the program's mode.
func (j *judge) judgeOperands(p *program, ops operands) string {
	switch p.mode {
	case "none":
		return atMost(ops.list, 0)
	case "word1":
		return atMost(ops.list, 1)
	case "words":
		return j.plainWords(ops.list)
	case "paths", "refs":
		return j.access.allReadable(ops.list)
	case "path1":
		why := atMost(ops.list, 1)
		if why != "" {
			return why
		}
		return j.access.allReadable(ops.list)
	case "pattern":
		return j.patternThenPaths(ops)
	case "listed":
		if ops.hasAny(listOptions) {
			return ""
		}
		return atMost(ops.list, 0)
	}
	return j.judgeSpecial(p.mode, ops)
}

// hasAny reports that one of the options was given.
func (o *operands) hasAny(options []string) bool {
	return slices.ContainsFunc(options, func(name string) bool { return o.seen[name] })
}

// atMost returns why more operands than these may do more than read, or "".
func atMost(list []word, n int) string {
	if len(list) > n {
		return "operand " + list[n].text + " may change something"
	}
	for _, w := range list {
		if w.split || w.glob {
			return "an operand that may become several"
		}
	}
	return ""
}

// plainWords are only printed; an unquoted glob among them still lists a directory, and tells what is there.
func (j *judge) plainWords(list []word) string {
	for _, w := range list {
		if !w.glob || !w.known {
			continue
		}
		why := j.access.readable(w)
		if why != "" {
			return why
		}
	}
	return ""
}

// patternOptions give a pattern, or need none, so that all operands are paths.
var patternOptions = []string{"-e", "--regexp", "-f", "--file", "--files", "--type-list"}

// patternThenPaths judges the operands of grep and its kin. A pattern that became several words would make the second
// of them a file.
func (j *judge) patternThenPaths(ops operands) string {
	list := ops.list
	given := ops.hasAny(patternOptions)
	if !given && len(list) > 0 {
		if list[0].split || list[0].glob {
			return "the pattern may become several words: quote it"
		}
		list = list[1:]
	}
	return j.access.allReadable(list)
}
