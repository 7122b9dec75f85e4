package shell

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxOpeners bounds the characters at which the parser descends. Its time is quadratic in the depth, and only these
// make depth: at this bound the worst input found by fuzzing takes a tenth of the deadline. Real scripts of this size
// have far fewer.
const maxOpeners = 1500

// guard refuses a text on which parsers are known to disagree, or that would keep the parser busy.
func guard(src string) error {
	if strings.TrimSpace(src) == "" {
		return ErrEmpty
	}
	if len(src) > MaxLength {
		return fmt.Errorf("%w (%d bytes, at most %d)", ErrTooLong, len(src), MaxLength)
	}
	if strings.IndexByte(src, 0) >= 0 {
		return ErrNUL
	}
	openers := 0
	for i := 0; i < len(src); i++ {
		switch src[i] {
		case '(', '[', '{', '`', '?':
			openers++
		}
	}
	if openers > maxOpeners {
		return fmt.Errorf("%w (%d brackets, at most %d)", ErrDeadline, openers, maxOpeners)
	}
	return nil
}

// odd returns the place of the first character that a person would not see, or see as another, and what is wrong with
// it.
func odd(src string) (offset int, why string) {
	for i := 0; i < len(src); {
		r, n := rune(src[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(src[i:])
		}
		why := oddRune(r, n)
		if why != "" {
			return i, why
		}
		i += n
	}
	cut := strings.TrimRight(src, "\n")
	slashes := len(cut) - len(strings.TrimRight(cut, `\`))
	if slashes%2 == 1 {
		return len(cut) - 1, "the command ends in a backslash: a line is missing"
	}
	return 0, ""
}

// oddRune says what is wrong with a character, or "". Of its bytes only one that is no UTF-8 matters.
func oddRune(r rune, size int) string {
	switch {
	case isPlain(r):
		return ""
	case r == utf8.RuneError && size == 1:
		return "the command is not valid UTF-8"
	case unicode.IsControl(r):
		return fmt.Sprintf("control character %U", r)
	case unicode.IsSpace(r):
		return fmt.Sprintf("%U looks like a space and is none", r)
	case isInvisible(r):
		return fmt.Sprintf("invisible character %U", r)
	case strings.ContainsRune(blankLetters, r):
		return fmt.Sprintf("%U looks like a space and is none", r)
	}
	return ""
}

// isPlain reports what is in almost every command: printable ASCII, line ends and tabs.
func isPlain(r rune) bool {
	return r == '\n' || r == '\t' || r >= 0x20 && r < 0x7f
}

// isInvisible reports characters that only change others: of direction, joiners, tags, selectors of a variant. Number
// 16 of those, by which a sign becomes an emoji, is what people do write.
func isInvisible(r rune) bool {
	tag := r >= 0xE0000 && r <= 0xE0FFF
	variant := r >= 0xFE00 && r < 0xFE0F
	return tag || variant || unicode.In(r, unicode.Cf, unicode.Co)
}

// blankLetters are letters and marks that show nothing: fillers of Korean, the empty Braille pattern.
const blankLetters = "\u3164\u115F\u1160\uFFA0\u2800"

// position turns a byte offset into a line and a column, both from 1.
func position(src string, offset int) (line, col int) {
	before := src[:offset]
	return strings.Count(before, "\n") + 1, offset - strings.LastIndexByte(before, '\n')
}

// characters asks about a text that a person may read in another way than bash.
func (r *report) characters(src string) {
	offset, why := odd(src)
	if why != "" {
		line, col := position(src, offset)
		r.raise(Ask, line, col, why)
		r.a.barred, r.unclear = true, true
	}
	if strings.HasSuffix(strings.TrimRight(src, "\n"), `\`) {
		r.doubt("bash keeps a backslash at the end of the text at one time and drops it at another")
	}
	control := func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' }
	if strings.ContainsFunc(src, control) {
		r.doubt("control characters, of which the parser drops some and bash none")
	}
}
