package shell

import (
	"helve/internal/names"
	"regexp"
	"slices"
	"strings"
)

// allows reports words behind a program of the table that ask for nothing but to look.
func (t trial) allows(program string, words []string) bool {
	if slices.ContainsFunc(t.refused, func(r string) bool { return hasWord(words, r) || spelled(words, r) }) {
		return false
	}
	if t.mode == "lone" && len(words) == 0 {
		return true
	}
	if len(t.need) > 0 && (!t.asks(words) || t.undone(words)) {
		return false
	}
	if t.mode == "code" {
		return onlyComputes(program, words)
	}
	return modeAllows(t.mode, words)
}

// asks reports words among which is one that has the program only look: an option anywhere, a verb where verbs stand.
func (t trial) asks(words []string) bool {
	verb := t.verb(words)
	if verb == "" && len(words) > 0 && hasAnyWord(words, t.in) {
		return true // what a thing is asked to do that is not told what to do with it: to show itself
	}
	return slices.ContainsFunc(t.need, func(n string) bool {
		if isVerb(n) {
			return hasWord([]string{verb}, n)
		}
		return hasWord(words, n)
	})
}

// isVerb reports a word of the table that is no option.
func isVerb(n string) bool { return !strings.HasPrefix(n, "-") }

// verb is the word that says what a program does: the first that is no option, or the next one where the table says
// what it is done to (in=). A name further behind may be of what is to be deleted.
func (t trial) verb(words []string) string {
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case slices.Contains(t.values, w):
			i++
		case strings.HasPrefix(w, "-"):
		case hasAnyWord(words[i:i+1], t.in):
		default:
			return w
		}
	}
	return ""
}

// undone reports an option that takes back what the table wants: --no-dry-run, or -n=false.
func (t trial) undone(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool {
		negated, isNegated := strings.CutPrefix(w, "--no-")
		name, value, valued := strings.Cut(w, "=")
		return slices.ContainsFunc(t.need, func(n string) bool {
			return isNegated && strings.HasPrefix(n, "--"+negated) || valued && name == n && noes.Has(value)
		})
	})
}

// noes are values by which options are switched off.
var noes = names.List("false f 0 no n off none")

// modeAllows judges the words behind a program by the mode that tried.txt has for it.
func modeAllows(mode string, words []string) bool {
	judge, ok := modes[mode]
	return !ok || judge(words)
}

// modes are those of tried.txt that are judged by more than their words one by one.
var modes = map[string]func(words []string) bool{
	// mount and hostname change something with one
	"none":   func(words []string) bool { return !plainOperands(words, 0) },
	"one":    func(words []string) bool { return len(words) <= 1 || !plainOperands(words, 1) },
	"single": func(words []string) bool { return len(words) == 1 },
	"noassign": func(words []string) bool {
		return !hasPart(words, "=") && !hasPart(words, "<")
	},
	"calc": func(words []string) bool { // dc runs what stands behind an exclamation mark
		return !hasPart(words, "!") && !plainOperands(words, 1)
	},
	"date":    func(words []string) bool { return !setsClock(words) },
	"object":  objectLooks, // ip and its like: what it is about, then a verb that may be cut short
	"image":   imageLooks,
	"tar":     tarLooks,
	"sed":     sedLooks,
	"awk":     func(words []string) bool { return !anyMatches(words, awkWrites()) },
	"sql":     onlyQueries,
	"devices": onlyDevices,
	"make": func(words []string) bool { // a value may hold a function of make that runs a program
		return !hasPart(words, "$") && !hasWord(words, "--eval*")
	},
	"shell": shellLooks,
}

// imageLooks reports words of ImageMagick that make nothing of an image but a line about it.
func imageLooks(words []string) bool {
	shown := len(words) > 0 && (words[len(words)-1] == "info:" || words[0] == "identify")
	return shown || hasAnyWord(words, []string{"-list", "-version"})
}

// sedLooks reports words of sed that change no file in its place, and a script that writes and runs nothing.
func sedLooks(words []string) bool {
	changes := hasWord(words, "-i") || spelled(words, "-i") || spelled(words, "--in-place*")
	return !changes && !anyMatches(words, sedActs())
}

// onlyDevices reports operands that are devices: what is written to them stays nowhere.
func onlyDevices(words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.HasPrefix(w, "-") && !keepsNothing(w) })
}

// hasPart reports a word that has part in it.
func hasPart(words []string, part string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(w, part) })
}

// setsClock reports a time among the words of date, which is no option's value.
func setsClock(words []string) bool {
	for i, w := range words {
		valued := i > 0 && slices.Contains([]string{"-d", "--date", "-r", "--reference", "-f", "--file", "-v", "-j"}, words[i-1])
		if clock().MatchString(w) && !valued {
			return true
		}
	}
	return false
}

// clock is a time as date takes it to set it by: MMDDhhmm[[CC]YY][.ss].
var clock = lazily(`^[0-9]{8,12}(\.[0-9]{2})?$`)

// objectVerbs show what ip, tc, bridge and their like know. An s behind link is set.
var objectVerbs = names.List("show sh sho list lis li ls lst get help stats")

// objectLooks reports words of ip and its like that only show: no verb, or one of those.
func objectLooks(words []string) bool {
	var operands []string
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case w == "-b" || strings.HasPrefix(w, "-ba"): // a file of commands
			return false
		case objectValues.Has(w):
			i++
		case !strings.HasPrefix(w, "-"):
			operands = append(operands, w)
		}
	}
	switch {
	case len(operands) < 2:
		return true
	case operands[1] == "s":
		return strings.ContainsAny(operands[0][:1], "anr")
	}
	return objectVerbs.Has(operands[1])
}

// objectValues are options of ip and its like that take a value.
var objectValues = names.List("-f -family -n -netns -rc -rcvbuf -l -loops -N -Netns")

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

// spelled reports a refused option in another spelling that programs take: cut short (--outp), with a value behind it
// (-w=true, -oout.txt), and with one dash for two or two for one (--w), as programs in Go and of LLVM do.
func spelled(words []string, refused string) bool {
	refused = strings.TrimSuffix(refused, "*")
	long := strings.TrimLeft(refused, "-")
	if long == refused || long == "" {
		return false // no option
	}
	double := strings.HasPrefix(refused, "--")
	return slices.ContainsFunc(words, func(w string) bool {
		name, _, valued := strings.Cut(w, "=")
		bare := strings.TrimLeft(name, "-")
		dashes := len(name) - len(bare)
		switch {
		case dashes == 0 || bare == "":
			return false
		case bare == long && (valued || dashes == 2):
			return true
		case double:
			return dashes == 2 && strings.HasPrefix(long, bare)
		}
		return len(long) == 1 && dashes == 1 && strings.HasPrefix(bare, long)
	})
}

// letters are options of one letter each, as -ni.
var letters = lazily(`^-[a-zA-Z0-9]{2,3}$`)

// hasAnyWord is hasWord for several.
func hasAnyWord(words, wants []string) bool {
	return slices.ContainsFunc(wants, func(want string) bool { return hasWord(words, want) })
}

func anyMatches(words []string, re *regexp.Regexp) bool {
	return slices.ContainsFunc(words, re.MatchString)
}
