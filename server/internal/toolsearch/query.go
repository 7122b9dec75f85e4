package toolsearch

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// maxQuery bounds what of a query is looked at, in bytes, and maxUnits how many
// parts of it count: a wish is a sentence.
const (
	maxQuery = 2 << 10
	maxUnits = 64
)

// A wish is a query understood: parts that each ask for something, and the
// kinds of doing that it speaks of.
type wish struct {
	units []unit
	kinds class
}

// A unit is one word of a wish, with what it may be meant by; of these the best
// counts, not the sum.
type unit struct {
	term   string
	weight float32
	may    []variant
}

type variant struct {
	term   string
	weight float32
}

// read understands a query.
func read(query string) wish {
	if len(query) > maxQuery {
		query = strings.ToValidUTF8(query[:maxQuery], "")
	}
	r := reader{t: load()}
	var run []string
	for _, w := range runs(query) {
		if first, _ := utf8.DecodeRuneInString(w); wide(first) {
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

// runs are the words of a text, what is written without spaces not taken apart.
func runs(s string) []string {
	var out []string
	from, han := 0, false
	flush := func(to int) {
		switch {
		case from == to:
		case han:
			out = append(out, s[from:to])
		default:
			out = append(out, words(s[from:to])...)
		}
		from = to
	}
	for i, r := range s {
		if wide(r) != han {
			flush(i)
			han = wide(r)
		}
	}
	flush(len(s))
	return out
}

// A reader makes a wish of a text.
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
			r.word(list[i], stemmed[i])
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
		r.meant("", means, weightPhrase/weightRelated)
		for i := range n {
			if !r.t.stop[list[i]] {
				r.add(unit{term: stemmed[i], weight: weightSpoken})
			}
		}
		return n
	}
	return 0
}

// word reads one word. One that says little counts only for what it may be
// called.
func (r *reader) word(w, stemmed string) {
	r.kinds |= r.t.classes[stemmed]
	means := r.t.means[stemmed]
	switch {
	case r.t.light[w]:
		r.meant(stemmed, means, weightLight)
	case !r.t.stop[w]:
		r.meant(stemmed, means, 1)
	case means != nil:
		r.meant("", means, weightWeak/weightRelated)
	}
}

// meant adds a unit for a term, "" for none, with what it may be meant by; and
// one more for each further place in the longest of these: what is meant by
// "PR" is "pull request" or "merge request".
func (r *reader) meant(term string, means []meaning, by float32) {
	u := unit{term: term, weight: min(by, 1)}
	for _, s := range r.t.same[term] {
		u.may = append(u.may, variant{s, weightSame * u.weight})
	}
	places := 1
	for _, m := range means {
		places = max(places, len(m.terms))
	}
	for at := range places {
		for _, m := range means {
			if at < len(m.terms) {
				r.may(&u, m.terms[at], m.weight*by)
			}
			if at == 0 && term == "" {
				r.kinds |= r.t.classes[m.terms[0]]
			}
		}
		r.add(u)
		u = unit{}
	}
}

// may adds to a unit a word that it may be meant by, with the words that are
// for this one.
func (r *reader) may(u *unit, term string, weight float32) {
	u.may = append(u.may, variant{term, weight})
	for _, s := range r.t.same[term] {
		u.may = append(u.may, variant{s, weight * weightSecond})
	}
	if u.term != "" || weight < 1 {
		return
	}
	for _, m := range r.t.means[term] {
		if len(m.terms) == 1 {
			u.may = append(u.may, variant{m.terms[0], weight * weightFurther})
		}
	}
}

// add keeps a unit; a word that comes twice counts once.
func (r *reader) add(u unit) {
	again := u.term != "" && slices.ContainsFunc(r.units, func(o unit) bool { return o.term == u.term })
	if !again && len(r.units) < maxUnits {
		r.units = append(r.units, u)
	}
}

// chinese reads Chinese letters: the longest word at each place, and their
// pairs for descriptions in Chinese.
func (r *reader) chinese(han []rune) {
	for i := 0; i < len(han); {
		n := min(r.t.longHan, len(han)-i)
		for ; n > 0; n-- {
			if means := r.t.means[string(han[i:i+n])]; means != nil {
				r.meant("", means, 1)
				break
			}
		}
		i += max(n, 1)
	}
	for i := 1; i < len(han); i++ {
		r.add(unit{term: string(han[i-1 : i+1]), weight: weightPair})
	}
}
