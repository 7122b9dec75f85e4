package shell

import (
	"path"
	"slices"
	"strings"
)

// find finds find / -delete, and -exec with a program that takes away or changes what it is given.
func (d disasters) find(a args) string {
	if !findDeletes(a) {
		return ""
	}
	start := d.vastStart(a)
	if start == "" {
		return ""
	}
	return "find deletes everything below " + start
}

// vastStart is the place from which find would go through a system or a home, unless it picks files by name.
func (d disasters) vastStart(a args) string {
	if picksByName(a.texts) {
		return ""
	}
	starts := findStarts(a)
	i := slices.IndexFunc(starts, func(w word) bool { return (w.known || w.home) && d.at.vast(w) })
	switch {
	case i < 0:
		return ""
	case starts[i].text == ".":
		return "this directory"
	}
	return starts[i].text
}

// git is the name of a repository in its working tree.
const git = ".git"

// meansGit tells that a pattern, or a name, means a repository. A * or ? at the beginning means no name with a dot.
func meansGit(pattern string) bool {
	pattern = strings.ReplaceAll(strings.ToLower(pattern), "[!", "[^")
	ok, err := path.Match(pattern, git)
	return ok && err == nil && !strings.ContainsAny(pattern[:1], "*?")
}

// findDeletes reports a find that takes away what it finds.
func findDeletes(a args) bool {
	deletes := slices.Contains(a.texts, "-delete")
	for i, t := range a.texts[:len(a.texts)-1] {
		if runsOnFound(t) {
			deletes = deletes || destroysFound(a.texts[i+1:])
		}
	}
	return deletes
}

// findStarts are the places where find begins; without one it is where the command stands.
func findStarts(a args) []word {
	var out []word
	for _, w := range a.words[1:] {
		if w.text == "-L" || w.text == "-H" || w.text == "-P" {
			continue // about links, and may come before the places
		}
		if option(w.text) || w.text == "!" || w.text == "(" {
			break // the tests begin
		}
		out = append(out, w)
	}
	if len(out) == 0 {
		out = append(out, word{text: ".", static: true, known: true, pos: a.words[0].pos})
	}
	return out
}

// plainTests are those of find that pick nearly everything, with the words that they take.
var plainTests = map[string]int{
	"-type": 1, "-mindepth": 1, "-maxdepth": 1,
	"-depth": 0, "-delete": 0, "-print": 0, "-print0": 0,
	"-xdev": 0, "-mount": 0, "-follow": 0, "-ignore_readdir_race": 0,
}

// findsGit reports a find that is asked for repositories by their name, and one with tests that pick others.
func findsGit(texts []string) (asked, others bool) {
	for i := 1; i < len(texts); i++ {
		t := texts[i]
		skip, plain := plainTests[t]
		switch {
		case !option(t):
		case runsOnFound(t):
			for i < len(texts)-1 && texts[i] != ";" && texts[i] != "+" {
				i++
			}
		case plain:
			i += skip
		default:
			asked = asked || asksForGit(texts, i)
			others = true
		}
	}
	return asked, others
}

// asksForGit reports a test for a name that means a repository, and is not turned around.
func asksForGit(texts []string, i int) bool {
	named := strings.HasSuffix(texts[i], "name") || strings.HasSuffix(texts[i], "path")
	before := texts[i-1]
	return named && i+1 < len(texts) && meansGit(path.Base(texts[i+1])) && before != "!" && before != "-not"
}

// runsOnFound reports what has find run a command.
func runsOnFound(t string) bool { return strings.HasPrefix(t, "-exec") || strings.HasPrefix(t, "-ok") }

// changers change what they are given so that a system does not work any more.
var changers = []string{"chmod", "chown", "chgrp", "mv", "truncate"}

// destroysFound reports a command behind -exec that is the end of the files found.
func destroysFound(command []string) bool {
	if removes(command[0]) || slices.Contains(changers, path.Base(command[0])) {
		return true
	}
	return slices.Contains(command, "-c") && slices.ContainsFunc(command, removesInside)
}

// removers take away what they are given.
var removers = []string{"rm", "shred", "unlink", "rmdir"}

// removes reports the name of such a program, with its path or without.
func removes(t string) bool { return slices.Contains(removers, path.Base(t)) }

// removesInside reports a script that removes what find found.
func removesInside(t string) bool { return slices.ContainsFunc(strings.Fields(t), removes) }

// picksByName reports a test for a name that says something, and is not turned around. find / -name core -delete is
// rash and no disaster.
func picksByName(texts []string) bool {
	for i, t := range texts[:len(texts)-1] {
		switch t {
		case "-name", "-iname", "-path", "-regex":
		default:
			continue
		}
		before := texts[i-1]
		if before != "!" && before != "-not" && strings.Trim(texts[i+1], "*.") != "" {
			return true
		}
	}
	return false
}
