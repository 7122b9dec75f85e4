package shell

import (
	"slices"
	"strings"
)

// access judges what a line reads and writes by its path, and notes it.
type access struct {
	*report
	at *places
}

// readable returns why this word, taken as a path, must not be read unasked, or "". It notes the read effect.
func (x access) readable(w word) string {
	if len(w.oneOf) > 0 {
		return x.allReadable(w.oneOf)
	}
	switch w.text {
	case "-", "/dev/null", "/dev/stdin", "/dev/zero", procSubst:
		return ""
	}
	switch {
	case w.home:
		x.effect(Read, w.text)
		return w.text + " is outside the workspace"
	case w.computed():
		x.effect(Read, "*")
		return "a path is computed at run time"
	case w.text == "": // an error of whatever program gets it
		return ""
	}
	for _, p := range x.at.resolve(w.text) {
		x.effect(Read, x.at.target(p))
		if !x.at.inRoots(p) {
			return w.text + " is outside the workspace"
		}
	}
	return x.secretPath(w)
}

// allReadable returns why one of the paths must not be read unasked, or "".
func (x access) allReadable(list []word) string {
	for _, w := range list {
		why := x.readable(w)
		if why != "" {
			return why
		}
	}
	return ""
}

// secretPath asks about files that hold credentials by their name, and about globs that may match such files.
func (x access) secretPath(w word) string {
	for part := range strings.SplitSeq(w.text, "/") {
		hiddenGlob := w.glob && strings.HasPrefix(part, ".") && strings.ContainsAny(part, "*?[")
		if hiddenGlob { // any other glob leaves out what begins with a dot
			return w.text + " may match files that hold secrets"
		}
	}
	if x.at.secret(w.text) {
		return w.text + " may hold secrets"
	}
	return ""
}

// secretObjects asks about files that hold credentials by their name, where git is asked for them by a revision.
func (x access) secretObjects(ops operands) string {
	list := slices.Clone(ops.list)
	for _, values := range ops.values {
		list = append(list, values...)
	}
	for _, w := range list {
		for _, file := range Objects(w.text) {
			one := w
			one.text = file
			if why := x.secretPath(one); why != "" {
				return why
			}
		}
	}
	return ""
}

// writes notes a write effect and returns why it would be a catastrophe, or "". A path that is not known is asked about
// by whoever calls.
func (x access) writes(w word) string {
	if w.home {
		x.effect(Write, w.text)
		return ""
	}
	if !w.known || w.text == "" {
		x.effect(Write, "*")
		return ""
	}
	for _, p := range x.at.resolve(w.text) {
		x.effect(Write, x.at.target(p))
		switch {
		case devicePath(p):
			return "writes to the device " + p
		case vitalFile(p):
			return "overwrites " + p + ", which the system needs"
		case x.at.isProtected(p):
			return "writes " + w.text + ", which configures what an agent may do"
		}
	}
	return ""
}

// write notes what a command writes, and refuses it where no command may.
func (x access) write(w word) {
	why := x.writes(w)
	if why != "" {
		x.catastrophe(w.pos, "%s", why)
	}
}
