package shell

import "strings"

// judge tells of a command why it is not known to be read-only: by what the tables and the user say of its program, and by
// its options and operands.
type judge struct {
	t      *tables
	access access
	vars   *variables
	own    []string // what the user takes as read-only besides
}

// judgeProgram looks a program up in the tables. One that the table has with the word optin is read-only only if the
// user says so too; one that is nowhere asks, with the most telling of the reasons.
func (j *judge) judgeProgram(a args, name string) string {
	p, rest, title := j.entry(a)
	switch {
	case p != nil && (!p.attrs["optin"] || j.userReadOnly(a)):
		return j.judgeEntry(p, title, rest)
	case p == nil && j.userReadOnly(a):
		return j.judgeUser(a)
	case j.t.never[name] || j.t.code[name] || j.t.wrappers[name] != nil:
		return name + " can run other code or change state"
	case j.t.net[name]:
		return name + " uses the network"
	case j.t.writers[name] != nil:
		return name + " changes files"
	case j.t.subcommands[name]:
		return title + " is not known to be read-only"
	}
	return name + " is not known to be read-only"
}

// userReadOnly reports that the user's own list names this command: "make check" names all that begin with these words.
func (j *judge) userReadOnly(a args) bool {
	for _, entry := range j.own {
		want := strings.Fields(entry)
		if len(want) > 0 && len(want) <= len(a.words) && equalStatic(want, a.words) {
			return true
		}
	}
	return false
}

// equalStatic reports that the first of the words are exactly these.
func equalStatic(want []string, words []word) bool {
	for i, text := range want {
		w := &words[i]
		if !w.fixed() || w.text != text {
			return false
		}
	}
	return true
}

// judgeUser judges a program of which only the user says that it is read-only. What the tables know to do more is not
// believed.
func (j *judge) judgeUser(a args) string {
	name := a.texts[0]
	acts := j.t.wrappers[name] != nil || j.t.writers[name] != nil
	if acts || j.t.never[name] || j.t.code[name] || j.t.subcommands[name] {
		return name + " can run other code or change state"
	}
	if a.append {
		return name + ": more arguments are added at run time"
	}
	for _, w := range a.words[1:] {
		if w.static && strings.HasPrefix(w.text, "-") && !strings.Contains(w.text, "/") {
			continue // an option that names no file
		}
		why := j.access.readable(w)
		if why != "" {
			return why
		}
		if !w.static {
			return "an argument is computed at run time"
		}
	}
	return ""
}
