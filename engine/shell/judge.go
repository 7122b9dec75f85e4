package shell

import "strings"

// operands is a command's words sorted into options and operands.
type operands struct {
	list   []word
	values map[string][]word // of options that take one
	seen   map[string]bool
}

// judgeEntry judges a command by its line in the table; rest are the words after the program and its subcommand.
func (z *analyzer) judgeEntry(p *program, title string, rest args) string {
	if rest.append && !(p.mode == "words" && p.attrs["any"]) && p.mode != "printf" {
		return title + ": more arguments are added at run time"
	}
	switch p.mode {
	case "printf":
		return judgePrintf(rest.words)
	case "tar":
		return z.judgeTar(rest.words)
	case "read":
		return z.judgeRead(rest.words)
	case "test":
		return judgeTest(rest.words)
	case "find":
		return z.judgeFind(rest.words)
	}
	ops, why := z.sortOperands(p, rest)
	if why != "" {
		return title + ": " + why
	}
	if why := missing(p.need, ops.seen); why != "" && !(p.attrs["key"] && oneKey(ops.list)) {
		return title + ": " + why
	}
	if why := z.judgeOperands(p, ops); why != "" {
		return title + ": " + why
	}
	return ""
}

// oneKey reports git config KEY, which shows a setting; with a value behind it, it would change one.
func oneKey(list []word) bool {
	return len(list) == 1 && list[0].static && !list[0].glob && strings.Contains(list[0].text, ".")
}

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
func (z *analyzer) sortOperands(p *program, rest args) (operands, string) {
	ops := operands{values: map[string][]word{}, seen: map[string]bool{}}
	ws := rest.words
	for i := 0; i < len(ws); i++ {
		w := ws[i]
		if w.static && !w.glob && w.text == "--" {
			ops.list = append(ops.list, ws[i+1:]...)
			return ops, ""
		}
		option, why := isOption(p, w)
		if why != "" {
			return ops, why
		}
		if !option {
			if ops.list = append(ops.list, w); p.mode == "none" {
				return ops, "" // one is too many
			}
			continue
		}
		used, why := z.option(p, w, ws[i+1:], &ops)
		switch {
		case why != "" && p.attrs["loose"]:
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
	if w.static && !w.glob {
		return len(w.text) > 1 && w.text[0] == '-', ""
	}
	if w.lead != "" && w.lead[0] != '-' || p.attrs["any"] && w.lead == "" {
		return false, ""
	}
	if name, _, ok := strings.Cut(w.lead, "="); ok && strings.HasPrefix(name, "--") && takesValue(p.options[name]) && !w.split {
		return true, ""
	}
	return false, "a word that may expand to an option"
}

func takesValue(k optionKind) bool { return k == optValue || k == optMaybe }

// option checks one option and returns how many of the following words are its values.
func (z *analyzer) option(p *program, w word, next []word, ops *operands) (int, string) {
	t := w.text
	if p.numeric && numeric(t[1:]) {
		return 0, ""
	}
	if strings.HasPrefix(t, "--") {
		name, value, attached := strings.Cut(t, "=")
		if attached && p.options[name] == optFlag {
			return 0, unknownOption(t)
		}
		return z.optionValue(p, name, value, attached, next, ops)
	}
	if k := p.options[t]; k != 0 {
		return z.optionValue(p, t, "", false, next, ops)
	}
	for i := 1; i < len(t); i++ {
		name := "-" + t[i:i+1]
		if p.options[name] == optFlag {
			ops.seen[name] = true
			continue
		}
		return z.optionValue(p, name, t[i+1:], i+1 < len(t), next, ops)
	}
	return 0, ""
}

func (z *analyzer) optionValue(p *program, name, value string, attached bool, next []word, ops *operands) (int, string) {
	kind := p.options[name]
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
	w, used := word{text: value, lead: value, static: true, known: true}, 0
	if !attached {
		if len(next) == 0 {
			return 0, name + " without its value"
		}
		w, used = next[0], 1
	}
	if w.split || w.glob && !attached {
		return 0, "the value of " + name + " is computed at run time"
	}
	ops.values[name] = append(ops.values[name], w)
	if kind == optPath {
		return used, z.readable(w)
	}
	return used, ""
}

func unknownOption(name string) string { return "option " + name + " is not known to be harmless" }

func (z *analyzer) judgeOperands(p *program, ops operands) string {
	switch p.mode {
	case "none":
		return atMost(ops.list, 0)
	case "word1":
		return atMost(ops.list, 1)
	case "words":
		return z.plainWords(ops.list)
	case "paths":
		return z.allReadable(ops.list)
	case "path1":
		if why := atMost(ops.list, 1); why != "" {
			return why
		}
		return z.allReadable(ops.list)
	case "pattern":
		return z.patternThenPaths(ops)
	case "refs":
		return z.revisions(ops.list)
	case "listed":
		for _, lists := range []string{"-l", "--list", "--merged", "--no-merged", "--contains", "--no-contains", "--points-at"} {
			if ops.seen[lists] { // each of these means --list
				return ""
			}
		}
		return atMost(ops.list, 0)
	}
	return z.judgeSpecial(p.mode, ops)
}

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

// plainWords are only printed; an unquoted glob among them still lists a directory.
func (z *analyzer) plainWords(list []word) string {
	for _, w := range list {
		if !w.glob || !w.known {
			continue
		}
		if why := z.readable(w); why != "" {
			return why
		}
	}
	return ""
}

func (z *analyzer) allReadable(list []word) string {
	for _, w := range list {
		if why := z.readable(w); why != "" {
			return why
		}
	}
	return ""
}

func (z *analyzer) patternThenPaths(ops operands) string {
	list := ops.list
	given := false
	for _, name := range []string{"-e", "--regexp", "-f", "--file", "--files", "--type-list"} {
		given = given || ops.seen[name]
	}
	if !given && len(list) > 0 {
		if list[0].split || list[0].glob {
			return "the pattern may become several words: quote it"
		}
		list = list[1:]
	}
	return z.allReadable(list)
}

// revisions may name a file after a colon: HEAD:.env
func (z *analyzer) revisions(list []word) string {
	for _, w := range list {
		if why := z.readable(w); why != "" {
			return why
		}
		if _, file, ok := strings.Cut(w.text, ":"); ok {
			w.text = strings.TrimLeft(file, "(/!^)")
			if why := secretPath(w); why != "" {
				return why
			}
		}
	}
	return ""
}
