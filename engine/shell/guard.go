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

// odd returns the place of the first character that a person would not see, or see as another, and what is wrong with it.
func odd(src string) (offset int, why string) {
	for i := 0; i < len(src); {
		r, n := rune(src[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(src[i:])
		}
		if why := oddRune(r, n); why != "" {
			return i, why
		}
		i += n
	}
	if cut := strings.TrimRight(src, "\n"); (len(cut)-len(strings.TrimRight(cut, `\`)))%2 == 1 {
		return len(cut) - 1, "the command ends in a backslash: a line is missing"
	}
	return 0, ""
}

func oddRune(r rune, size int) string {
	switch {
	case r == '\n' || r == '\t' || r >= 0x20 && r < 0x7f:
		return ""
	case r == utf8.RuneError && size == 1:
		return "the command is not valid UTF-8"
	case r < 0x20 || r >= 0x7f && r < 0xa0:
		return fmt.Sprintf("control character %U", r)
	case unicode.IsSpace(r):
		return fmt.Sprintf("%U looks like a space and is none", r)
	case unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r) || r >= 0xE0000 && r <= 0xE0FFF || r >= 0xFE00 && r < 0xFE0F:
		return fmt.Sprintf("invisible character %U", r)
	case r == 0x3164 || r == 0x115F || r == 0x1160 || r == 0xFFA0 || r == 0x2800:
		return fmt.Sprintf("%U looks like a space and is none", r)
	}
	return ""
}

// position turns a byte offset into a line and a column, both from 1.
func position(src string, offset int) (line, col int) {
	before := src[:offset]
	return strings.Count(before, "\n") + 1, offset - strings.LastIndexByte(before, '\n')
}
