package powershell

import (
	"encoding/base64"
	"path"
	"strings"
	"unicode/utf16"

	"helve/engine/shell"
)

// common are parameters of every command that change nothing beside what is said of errors.
var common = map[string]takes{
	"-erroraction":       value,
	"-ea":                value,
	"-warningaction":     value,
	"-wa":                value,
	"-informationaction": value,
	"-verbose":           nothing,
	"-debug":             nothing,
}

// command judges one command and notes what it does.
func (z *analyzer) command(c command) {
	z.written(c)
	if len(c.words) == 0 {
		z.beyond(c.line, c.col, "output that is written to a file")
		return
	}
	first := c.words[0]
	program := programName(first.text)
	name := program
	if written, ok := z.t.names[program]; ok {
		name = written
	}
	out := described(c, name, program)
	out.Wrapped = z.depth > 0
	why := z.asks(strings.ToLower(name), c)
	if why != "" {
		out.Verdict, out.Reason = shell.Ask, why
		z.raise(shell.Ask, c.line, c.col, why)
	}
	if first.known {
		if worst := z.disaster(strings.ToLower(name), program, c); worst != "" {
			out.Verdict, out.Reason = shell.Catastrophic, worst
			z.raise(shell.Catastrophic, c.line, c.col, worst)
		}
	}
	z.a.Commands = append(z.a.Commands, out)
}

// described is a command as rules see it, not judged yet.
func described(c command, name, program string) shell.Command {
	out := shell.Command{Program: program, Static: true, Verdict: shell.ReadOnly, Line: c.line, Col: c.col}
	out.Words = append(out.Words, name)
	for _, w := range c.words[1:] {
		out.Words = append(out.Words, split(w)...)
	}
	for _, w := range c.words {
		out.Static = out.Static && w.static
	}
	if first := c.words[0]; !first.known || first.quoted && !c.called {
		out.Program = ""
	}
	return out
}

// programName is the name of a program without its folder and the endings that need not be written, in lower case.
func programName(text string) string {
	s := strings.ToLower(path.Base(strings.ReplaceAll(text, `\`, "/")))
	for _, ending := range []string{".exe", ".cmd", ".bat", ".com"} {
		s = strings.TrimSuffix(s, ending)
	}
	return s
}

// split is a word as rules see it: of -Path:x the parameter and its value.
func split(w token) []string {
	name, value, ok := strings.Cut(w.text, ":")
	if ok && !w.quoted && strings.HasPrefix(name, "-") && value != "" {
		return []string{name, value}
	}
	return []string{w.text}
}

// asks is why a command is asked about, "" for one that only reads. name is in lower case.
func (z *analyzer) asks(name string, c command) string {
	if why := unlisted(c); why != "" {
		return why
	}
	if z.t.native[name] || isProgram(name) {
		z.effect(shell.Exec, name)
	}
	if z.t.native[name] {
		return z.native(name, c)
	}
	e := z.t.readonly[name]
	if e == nil {
		return c.words[0].text + " is not known to only read"
	}
	if why := z.words(e, c.words[1:]); why != "" {
		return c.words[0].text + ": " + why
	}
	return ""
}

// unlisted is why a command is asked about whatever program it is.
func unlisted(c command) string {
	first := c.words[0]
	switch {
	case !first.static:
		return "what runs is computed at run time"
	case c.called:
		return "a script or a program that is called by its path"
	case first.quoted:
		return "an expression"
	case strings.ContainsAny(first.text, `/\:`):
		return first.text + " is a program by its path"
	case len(c.writes) > 0:
		return "output that is written to a file"
	}
	for _, w := range c.words[1:] {
		if !w.static {
			return w.text + " is computed at run time"
		}
	}
	return ""
}

// isProgram tells that a name of the list is no command of PowerShell's own, which all have a dash.
func isProgram(name string) bool { return !strings.Contains(name, "-") }

// words judges the words behind a command that only reads, as its entry says.
func (z *analyzer) words(e *entry, words []token) string {
	pattern := e.operands == "pattern" // is still to come
	for i := 0; i < len(words); i++ {
		w := words[i]
		if w.quoted || !strings.HasPrefix(w.text, "-") || isNumber(w.text) {
			if why := z.operand(e, w, &pattern); why != "" {
				return why
			}
			continue
		}
		name, given, _ := strings.Cut(strings.ToLower(w.text), ":")
		pattern = pattern && name != "-pattern"
		used, why := z.parameter(e, w, name, given != "", words[i+1:])
		if why != "" {
			return why
		}
		i += used
	}
	return ""
}

// parameter judges one by its name, and its value: that stands behind a colon or is the next word. used is how many of
// those are taken.
func (z *analyzer) parameter(e *entry, w token, name string, attached bool, next []token) (used int, why string) {
	kind := e.parameters[name]
	if kind == 0 {
		kind = common[name]
	}
	switch kind {
	case 0:
		return 0, "parameter " + w.text + " is not known to be harmless"
	case nothing:
		return 0, ""
	}
	switch {
	case attached:
		w.text = w.text[len(name)+1:]
	case len(next) > 0:
		w, used = next[0], 1
	default:
		return 0, name + " without its value"
	}
	if kind == value {
		return used, ""
	}
	return used, z.unreadable(w)
}

// operand judges a word that is no parameter.
func (z *analyzer) operand(e *entry, w token, pattern *bool) string {
	switch e.operands {
	case "words":
		return ""
	case "pattern":
		if *pattern {
			*pattern = false
			return ""
		}
		return z.unreadable(w)
	case "paths":
		return z.unreadable(w)
	}
	return "operand " + w.text + " may change something"
}

// isNumber tells that a word such as -1 is no parameter.
func isNumber(text string) bool {
	return len(text) > 1 && strings.Trim(text[1:], "0123456789.") == ""
}

// native judges a program that is the same on all systems as package shell does. It knows no drives: where one stands
// in a word, the path leads who knows where.
func (z *analyzer) native(name string, c command) string {
	for _, w := range c.words[1:] {
		text := strings.ReplaceAll(w.text, `\`, "/")
		outside := strings.Contains(text, ":/") || strings.HasPrefix(text, "/") || strings.HasPrefix(text, "~")
		drive := len(text) > 1 && text[1] == ':'
		if outside || drive {
			return w.text + " may be outside the workspace"
		}
	}
	a := z.asBash(name, c.words[1:])
	z.a.Effects = append(z.a.Effects, a.Effects...)
	if a.Verdict != shell.ReadOnly {
		return a.Reason
	}
	return ""
}

// asBash is what package shell says of these words. The folders are made up: no word names one by its whole path.
func (z *analyzer) asBash(name string, words []token) shell.Analysis {
	line := name
	for _, w := range words {
		text := strings.ReplaceAll(w.text, `\`, "/")
		line += " '" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	return shell.Analyze(line, shell.Options{Dir: "/workspace", Home: "/home/person", Protected: z.places.protected})
}

// written notes the files that a command writes by its redirections and, if it is known, by its operands.
func (z *analyzer) written(c command) {
	targets := c.writes
	if len(c.words) > 0 {
		targets = append(targets, z.operandsWritten(c)...)
	}
	for _, w := range targets {
		target := "*"
		if place := z.places.resolve(w.text); w.known && place != "" {
			target = z.places.target(w.text, place)
		}
		z.effect(shell.Write, target)
		if z.places.protectedPath(w) {
			z.raise(shell.Catastrophic, c.line, c.col, w.text+" decides what agents may do: it is changed by people alone")
		}
	}
}

// operandsWritten are the words of a known command that name what it writes.
func (z *analyzer) operandsWritten(c command) []token {
	parameters := z.t.writers[strings.ToLower(z.t.names[programName(c.words[0].text)])]
	if parameters == nil {
		return nil
	}
	var out []token
	taken := true // the word before was no parameter, or one that names what is written
	for _, w := range c.words[1:] {
		if !w.quoted && strings.HasPrefix(w.text, "-") {
			name, given, _ := strings.Cut(strings.ToLower(w.text), ":")
			taken = parameters[name]
			if taken && given != "" {
				w.text = w.text[len(name)+1:]
				out = append(out, w)
			}
			continue
		}
		if taken {
			out = append(out, w)
		}
		taken = true
	}
	return out
}

// decoded is the script in a -EncodedCommand: UTF-16 in base64.
func decoded(text string) (string, bool) {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(raw)%2 != 0 {
		return "", false
	}
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = uint16(raw[2*i]) | uint16(raw[2*i+1])<<8
	}
	return string(utf16.Decode(units)), true
}
