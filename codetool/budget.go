package codetool

import "unicode"

const (
	// answerTokens bounds an answer with default arguments.
	answerTokens = 2000
	// reservedTokens are kept for the notes behind a list: how many more there are, and the cursor.
	reservedTokens = 100
	// letters and digits are how many of them have a token on the average in names; a common word has one.
	letters = 5
	digits  = 3
)

// cost is how many tokens a text has, roughly and rather too many: a word has one for every few letters, a number one
// for three digits, marks one for two, a character of another script one. Counting exactly takes a vocabulary of a
// megabyte.
func cost(text string) int {
	n := 0
	run, kind := 0, blank // the characters of one kind so far
	for _, c := range text {
		k := kindOf(c)
		if k != kind || k == wide {
			n += weigh(kind, run)
			run, kind = 0, k
		}
		run++
	}
	return n + weigh(kind, run)
}

// The kinds of characters whose runs cost alike.
const (
	blank = iota // goes with what follows it
	line
	letter
	digit
	mark
	wide // of a script that vocabularies of tokens hardly know
)

func kindOf(c rune) int {
	switch {
	case c == '\n':
		return line
	case c == ' ' || c == '\t' || c == '\r':
		return blank
	case c >= 0x80:
		return wide
	case unicode.IsLetter(c):
		return letter
	case unicode.IsDigit(c):
		return digit
	}
	return mark
}

// weigh is how many tokens a run of characters of one kind has.
func weigh(kind, run int) int {
	switch kind {
	case letter:
		return 1 + (run-1)/letters
	case digit:
		return (run + digits - 1) / digits
	case mark:
		return (run + 1) / 2
	case line, wide:
		return 1
	}
	return 0
}
