package toolsearch

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxQuery bounds what of a query is looked at, in bytes, and maxUnits how many parts of it count: a wish is a sentence.
const (
	maxQuery = 2 << 10
	maxUnits = 64
)

// A wish is a query understood: parts that each ask for something, and the kinds of doing that it speaks of.
type wish struct {
	units []unit
	kinds class
}

// A unit is one word of a wish, with what it may be meant by; of these the best counts, not the sum.
type unit struct {
	term   string
	weight float64
	may    []variant
}

type variant struct {
	term   string
	weight float64
}

func read(query string) wish {
	if len(query) > maxQuery {
		query = strings.ToValidUTF8(query[:maxQuery], "")
	}
	t := load()
	r := reader{t: t}
	var run []string
	for _, w := range runs(query) {
		if r0, _ := utf8.DecodeRuneInString(w); wide(r0) {
			r.words(run)
			run = run[:0]
			r.chinese([]rune(w))
			continue
		}
		run = append(run, w)
	}
	r.words(run)
	return r.wish
}

// runs are the words of a text, those of Chinese not taken apart.
func runs(s string) []string {
	var out []string
	han := -1
	from := 0
	flush := func(to int) {
		if to > from {
			if han == 1 {
				out = append(out, s[from:to])
			} else {
				out = append(out, words(s[from:to])...)
			}
		}
		from = to
	}
	for i, r := range s {
		is := 0
		if wide(r) {
			is = 1
		} else if !unicode.IsLetter(r) && !unicode.IsDigit(r) && han == 1 {
			is = 0
		}
		if is != han {
			flush(i)
			han = is
		}
	}
	flush(len(s))
	return out
}

type reader struct {
	t *tables
	wish
}

// words reads English words: the longest phrase at each place, else the word.
func (r *reader) words(list []string) {
	stemmed := make([]string, len(list))
	for i, w := range list {
		stemmed[i] = stem(w)
	}
	for i := 0; i < len(list); {
		n := r.phrase(list[i:], stemmed[i:])
		if n == 0 {
			r.word(list[i], stemmed[i], 1)
			n = 1
		}
		i += n
	}
}

// phrase reads a phrase at the beginning, and tells how many words it has.
func (r *reader) phrase(list, stemmed []string) int {
	for n := min(r.t.longest, len(list)); n > 1; n-- {
		means := r.t.means[strings.Join(stemmed[:n], " ")]
		if means == nil {
			continue
		}
		r.meant("", 0, means, par.phrase/relatedWeight)
		for i := range n {
			if !r.t.stop[list[i]] {
				r.add(unit{term: stemmed[i], weight: par.inPhrase})
			}
		}
		return n
	}
	return 0
}

func (r *reader) word(w, stemmed string, weight float64) {
	r.kinds |= r.t.classes[stemmed]
	means := r.t.means[stemmed]
	if r.t.stop[w] {
		if means != nil {
			r.meant("", 0, means, par.weak/relatedWeight)
		}
		return
	}
	r.meant(stemmed, weight, means, weight)
}

// meant adds the units for a word or phrase with meanings: one for each place in the longest of them.
func (r *reader) meant(term string, weight float64, means []meaning, by float64) {
	u := unit{term: term, weight: weight}
	if term != "" {
		for _, s := range r.t.same[term] {
			u.may = append(u.may, variant{s, weight * par.same})
		}
	}
	places := 1
	for _, m := range means {
		places = max(places, len(m.terms))
	}
	for at := range places {
		if at > 0 {
			u = unit{}
		}
		for _, m := range means {
			if at >= len(m.terms) {
				continue
			}
			w := m.weight * by
			u.may = append(u.may, variant{m.terms[at], w})
			for _, s := range r.t.same[m.terms[at]] {
				u.may = append(u.may, variant{s, w * par.second})
			}
			if term == "" && w >= 1 {
				r.further(&u, m.terms[at], w)
			}
			if at == 0 && term == "" {
				r.kinds |= r.t.classes[m.terms[0]]
			}
		}
		r.add(u)
	}
}

// further adds what the English word of a Chinese one may be called.
func (r *reader) further(u *unit, term string, w float64) {
	for _, m := range r.t.means[term] {
		if len(m.terms) == 1 {
			u.may = append(u.may, variant{m.terms[0], w * par.further})
		}
	}
}

func (r *reader) add(u unit) {
	if len(r.units) >= maxUnits {
		return
	}
	for i := range r.units {
		if u.term != "" && r.units[i].term == u.term {
			return
		}
	}
	r.units = append(r.units, u)
}

// chinese reads Chinese letters: the longest word at each place, and their pairs for descriptions in Chinese.
func (r *reader) chinese(han []rune) {
	for i := 0; i < len(han); {
		n := min(r.t.longHan, len(han)-i)
		for ; n > 0; n-- {
			if means := r.t.means[string(han[i:i+n])]; means != nil {
				r.meant("", 0, means, 1)
				break
			}
		}
		i += max(n, 1)
	}
	for i := 1; i < len(han); i++ {
		r.add(unit{term: string(han[i-1 : i+1]), weight: par.pair})
	}
}
