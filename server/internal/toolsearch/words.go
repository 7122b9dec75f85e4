package toolsearch

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// translatedMark is before terms that a description has in Chinese only.
const translatedMark = "\x00"

// terms are the stemmed words of texts, names taken apart; of Chinese words the
// English ones too.
func (t *tables) terms(texts ...string) []string {
	var out []string
	for _, s := range texts {
		for _, w := range words(s) {
			if !t.stop[w] {
				out = append(out, stem(w))
			}
		}
		if !ascii(s) {
			out = t.translate(out, s)
		}
	}
	return out
}

func (t *tables) translate(out []string, s string) []string {
	han := []rune(s)
	for i := 0; i < len(han); {
		n := 0
		if wide(han[i]) {
			for n = min(t.longHan, len(han)-i); n > 0; n-- {
				means := t.means[string(han[i:i+n])]
				for _, m := range means {
					for _, w := range m.terms {
						out = append(out, translatedMark+w)
					}
				}
				if means != nil {
					break
				}
			}
		}
		i += max(n, 1)
	}
	return out
}

// words are the lower-case words of a text: readTextFile, read_text_file and
// "read text file" have the same. Letters of Chinese, Japanese and Korean make
// pairs, as these are written without spaces.
func words(s string) []string {
	var out []string
	var cur []rune
	flush := func() {
		if len(cur) > 0 {
			out = append(out, string(cur))
			cur = cur[:0]
		}
	}
	var before rune
	for i, r := range s {
		switch {
		case wide(r):
			flush()
			if wide(before) {
				out = append(out, string([]rune{before, r}))
			}
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if breaks(before, r, s[i+utf8.RuneLen(max(r, 0)):]) {
				flush()
			}
			cur = append(cur, unicode.ToLower(r))
		case r == '\'' || r == '’': // what's, don't
		default:
			flush()
		}
		before = r
	}
	flush()
	return out
}

// breaks tells that a new word starts at r: fileName, HTMLPage, page2.
func breaks(before, r rune, after string) bool {
	switch {
	case unicode.IsUpper(r) && unicode.IsLower(before):
		return true
	case unicode.IsUpper(r) && unicode.IsUpper(before):
		next, _ := utf8.DecodeRuneInString(after)
		return unicode.IsLower(next)
	}
	return unicode.IsDigit(r) != unicode.IsDigit(before) &&
		unicode.IsLetter(before) != unicode.IsLetter(r) &&
		unicode.IsLetter(before)
}

func wide(r rune) bool {
	return r >= 0x2e80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// stem takes the commonest endings off a word, lightly: what it leaves need not
// be a word, only the same for its relatives.
func stem(w string) string {
	if len(w) < 4 || !ascii(w) {
		return w
	}
	switch {
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		w = w[:len(w)-3] + "y"
	case ends(w, "sses", "shes", "ches", "xes"):
		w = w[:len(w)-2]
	case ends(w, "s") && !ends(w, "ss", "us", "is"):
		w = w[:len(w)-1]
	}
	for _, end := range []string{"ization", "ation", "ition", "ment", "ingly", "ing", "edly", "ed", "ion", "er", "or", "ly"} {
		if base, ok := strings.CutSuffix(w, end); ok && len(base) >= 4 {
			return tidy(base)
		}
	}
	for _, end := range []string{"ing", "ed"} {
		base, ok := strings.CutSuffix(w, end)
		if ok && len(base) >= 3 && strings.ContainsAny(base, "aeiouy") {
			return tidy(base)
		}
	}
	return tidy(w)
}

// ends reports whether a word ends with one of these.
func ends(w string, with ...string) bool {
	return slices.ContainsFunc(with, func(end string) bool { return strings.HasSuffix(w, end) })
}

// tidy ends a stem the same way for all its relatives: stopp, stop; create,
// creat.
func tidy(w string) string {
	n := len(w)
	if n > 3 && w[n-1] == w[n-2] && !strings.ContainsRune("lsze", rune(w[n-1])) {
		return w[:n-1]
	}
	if n > 3 && w[n-1] == 'e' {
		return w[:n-1]
	}
	if n > 3 && w[n-1] == 'y' {
		return w[:n-1] + "i"
	}
	return w
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
