package shell

import (
	"regexp"
	"slices"
	"strings"
)

// allows reports words behind a program of the table that ask for nothing but to look.
func (t trial) allows(program string, words []string) bool {
	if slices.ContainsFunc(t.refused, func(r string) bool { return hasWord(words, r) }) {
		return false
	}
	if t.mode == "lone" && len(words) == 0 {
		return true
	}
	met := func(n string) bool { return hasWord(words, n) }
	if len(t.need) > 0 && !slices.ContainsFunc(t.need, met) {
		return false
	}
	if t.mode == "code" {
		return onlyComputes(program, words)
	}
	return modeAllows(t.mode, words)
}

// modeAllows judges the words behind a program by the mode that tried.txt has for it.
func modeAllows(mode string, words []string) bool {
	switch mode {
	case "none": // mount and hostname change something with an operand
		return !plainOperands(words, 0)
	case "one":
		return len(words) <= 1 || !plainOperands(words, 1)
	case "noassign":
		return !hasPart(words, "=")
	case "tar":
		return tarLooks(words)
	case "sed":
		return !hasWord(words, "-i") && !hasWord(words, "--in-place*") && !anyMatches(words, sedActs())
	case "awk":
		return !anyMatches(words, awkWrites())
	case "sql":
		return onlyQueries(words)
	case "devices": // what is written to them stays nowhere
		return !slices.ContainsFunc(words, func(w string) bool { return !strings.HasPrefix(w, "-") && !keepsNothing(w) })
	case "make": // a value may hold a function of make that runs a program
		return !hasPart(words, "$") && !hasWord(words, "--eval*")
	case "shell":
		return shellLooks(words)
	}
	return true
}

// hasPart reports a word that has part in it.
func hasPart(words []string, part string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(w, part) })
}

// plainOperands reports more words than these that are no options.
func plainOperands(words []string, most int) bool {
	n := 0
	for _, w := range words {
		if !strings.HasPrefix(w, "-") {
			n++
		}
	}
	return n > most
}

// hasWord reports a word of the table among the words: with * at its end the beginning of one, and an option of one
// letter also among others, as -ni is for sed.
func hasWord(words []string, want string) bool {
	begin, open := strings.CutSuffix(want, "*")
	letter := len(want) == 2 && want[0] == '-' && want[1] != '-'
	for _, w := range words {
		switch {
		case w == want, open && strings.HasPrefix(w, begin):
			return true
		case letter && letters().MatchString(w) && strings.Contains(w[1:], want[1:]):
			return true
		}
	}
	return false
}

// letters are options of one letter each, as -ni.
var letters = lazily(`^-[a-zA-Z]{2,3}$`)

// hasAnyWord is hasWord for several.
func hasAnyWord(words, wants []string) bool {
	return slices.ContainsFunc(wants, func(want string) bool { return hasWord(words, want) })
}

func anyMatches(words []string, re *regexp.Regexp) bool {
	return slices.ContainsFunc(words, re.MatchString)
}
