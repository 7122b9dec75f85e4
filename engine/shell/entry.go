package shell

import "strings"

// entry finds the line of the table for a command: the longest of "git stash list", "git stash". rest are the words
// after it.
func (j *judge) entry(a args) (p *program, rest args, title string) {
	name := a.texts[0]
	if !j.t.subcommands[name] {
		return j.t.readonly[name], a.from(1), name
	}
	i := 1
	g := j.t.readonly[name]
	if g != nil && (g.attrs["global"] || g.mode == "global") {
		n, why := j.globals(g, a)
		if why != "" {
			return nil, a, name + ": " + why
		}
		i = n
	}
	return j.subcommand(a, name, i)
}

// subcommand looks up the program with two words behind it, with one, and alone. Where it finds nothing, title is how
// the person is told of the command.
func (j *judge) subcommand(a args, name string, i int) (*program, args, string) {
	title := name
	for n := 2; n >= 1; n-- {
		if i+n > len(a.words) {
			continue
		}
		key := name
		for _, w := range a.words[i : i+n] {
			key += " " + w.text
			if !w.fixed() {
				key += "\x00" // which no line of the table has
			}
		}
		p := j.t.readonly[key]
		if p != nil {
			return p, a.from(i + n), key
		}
		title = key
	}
	p := j.t.readonly[name]
	if p != nil && p.mode != "global" {
		return p, a.from(1), name
	}
	return nil, a, strings.ReplaceAll(title, "\x00", "")
}

// globals skips options between a program and its subcommand and returns the index of the subcommand.
func (j *judge) globals(g *program, a args) (int, string) {
	for i := 1; i < len(a.words); i++ {
		w := a.words[i]
		if !strings.HasPrefix(w.text, "-") || !w.static || g.option(w.text) == 0 {
			return i, ""
		}
		if g.option(w.text) != optPath {
			continue
		}
		i++
		if i == len(a.words) {
			return i, "an option without its value"
		}
		why := j.access.readable(a.words[i])
		if why != "" {
			return i, why
		}
	}
	return len(a.words), ""
}
