package toolsearch

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxQuery bounds what of a query is looked at, in bytes, and maxTerms how many words of it count: a wish is a sentence.
const (
	maxQuery = 2 << 10
	maxTerms = 64
)

// terms are the stemmed words of texts, names taken apart.
func terms(texts ...string) []string {
	var out []string
	for _, s := range texts {
		for _, w := range words(s) {
			if !stop[w] {
				out = append(out, stem(w))
			}
		}
	}
	return out
}

// words are the lower-case words of a text: readTextFile, read_text_file and "read text file" have the same. Letters of Chinese,
// Japanese and Korean make pairs, as these are written without spaces.
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
	return unicode.IsDigit(r) != unicode.IsDigit(before) && unicode.IsLetter(before) != unicode.IsLetter(r) && unicode.IsLetter(before)
}

func wide(r rune) bool {
	return r >= 0x2e80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// stem takes the commonest endings off a word, lightly: what it leaves need not be a word, only the same for its relatives.
func stem(w string) string {
	if len(w) < 4 || !ascii(w) {
		return w
	}
	switch {
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		w = w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "shes"), strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "xes"):
		w = w[:len(w)-2]
	case strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		w = w[:len(w)-1]
	}
	for _, end := range []string{"ization", "ation", "ition", "ment", "ingly", "ing", "edly", "ed", "ion", "er", "or", "ly"} {
		if base, ok := strings.CutSuffix(w, end); ok && len(base) >= 4 {
			return tidy(base)
		}
	}
	for _, end := range []string{"ing", "ed"} {
		if base, ok := strings.CutSuffix(w, end); ok && len(base) >= 3 && strings.ContainsAny(base, "aeiouy") {
			return tidy(base)
		}
	}
	return tidy(w)
}

// tidy ends a stem the same way for all its relatives: stopp, stop; create, creat.
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

type queryTerm struct {
	term   string
	weight float64
}

// expand is a query's terms with what they imply: synonyms, and for Chinese words the English ones.
func expand(query string) []queryTerm {
	if len(query) > maxQuery {
		query = strings.ToValidUTF8(query[:maxQuery], "")
	}
	q := &expansion{at: map[string]int{}}
	for _, w := range words(query) {
		if !stop[w] {
			q.word(w, 1)
		}
	}
	q.chinese(query)
	return q.terms
}

// An expansion collects terms; one that comes twice keeps its higher weight.
type expansion struct {
	terms []queryTerm
	at    map[string]int
}

func (q *expansion) word(w string, weight float64) {
	q.add(stem(w), weight)
	for _, s := range synonyms[stem(w)] {
		q.add(s, weight*synonymWeight)
	}
}

func (q *expansion) add(term string, weight float64) {
	if i, ok := q.at[term]; ok {
		q.terms[i].weight = max(q.terms[i].weight, weight)
		return
	}
	if len(q.terms) < 4*maxTerms {
		q.at[term] = len(q.terms)
		q.terms = append(q.terms, queryTerm{term, weight})
	}
}

// chinese adds the English words of the Chinese ones, the longest first at each place.
func (q *expansion) chinese(s string) {
	runes := []rune(s)
	for i := 0; i < len(runes); {
		if !wide(runes[i]) {
			i++
			continue
		}
		n := min(longestChinese, len(runes)-i)
		for ; n > 0; n-- {
			if en, ok := chinese[string(runes[i:i+n])]; ok {
				for _, w := range strings.Fields(en) {
					q.word(w, 1)
				}
				break
			}
		}
		i += max(n, 1)
	}
}
