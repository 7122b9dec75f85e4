package toolsearch

import (
	"maps"
	"math"
	"slices"
	"strings"
)

const fieldCount = 8

// A field is a part of a document: its words, and how much each counts.
type field struct {
	weight float64
	terms  []string
}

// New indexes documents.
func New(docs []Doc) *Index {
	x := &Index{
		terms:   map[string]*entry{},
		classes: make([]class, len(docs)),
		biases:  make([]float32, len(docs)),
		server:  make([]int32, len(docs)),
	}
	t := load()
	fields := make([][fieldCount]field, len(docs))
	var total [fieldCount]float64
	for i := range docs {
		fields[i] = t.split(&docs[i])
		for f := range fields[i] {
			total[f] += float64(len(fields[i][f].terms))
		}
		x.classes[i] = t.doing(&docs[i])
		x.biases[i] = 1
		if strings.Contains(strings.ToLower(docs[i].Title+docs[i].Short), "deprecated") {
			x.biases[i] = deprecatedBias
		}
	}
	for i := range fields {
		x.add(i, &fields[i], &total)
	}
	x.group(docs)
	x.vocab = slices.Sorted(maps.Keys(x.terms))
	return x
}

func (x *Index) add(doc int, fields *[fieldCount]field, total *[fieldCount]float64) {
	weights := map[string]float64{}
	for f, fd := range fields {
		if len(fd.terms) == 0 {
			continue
		}
		average := total[f] / float64(len(x.biases))
		norm := 1 - lengthBias + lengthBias*float64(len(fd.terms))/average
		for _, t := range fd.terms {
			w := fd.weight / norm
			if en, ok := strings.CutPrefix(t, translatedMark); ok {
				t, w = en, w*translated
			}
			weights[t] += w
		}
	}
	for t, w := range weights {
		if x.terms[t] == nil {
			x.terms[t] = &entry{}
		}
		x.terms[t].docs = append(x.terms[t].docs, posting{int32(doc), float32(w)})
	}
}

// group notes what each server's tools speak of, and how rare each term is;
// then the weights of terms are final.
func (x *Index) group(docs []Doc) {
	at := map[string]int32{}
	var size []float32
	for i := range docs {
		n, ok := at[docs[i].Source]
		if !ok {
			n = int32(len(at))
			at[docs[i].Source] = n
			size = append(size, 0)
		}
		size[n]++
		x.server[i] = n
	}
	x.servers = len(size)
	count := make([]float32, len(size))
	for _, e := range x.terms {
		e.idf = rarity(len(e.docs), len(docs))
		for i, p := range e.docs {
			count[x.server[p.doc]] += min(p.weight, 1)
			e.docs[i].weight = p.weight * (saturation + 1) / (p.weight + saturation)
		}
		e.theme(count, size)
	}
}

// themeHalf is the share of a server's tools that must speak of a term to make
// it half a theme of the server's.
const themeHalf = 0.2

// theme takes how often each server's tools have the term, and leaves zeros
// there.
func (e *entry) theme(count, size []float32) {
	for n, c := range count {
		if c > 0 {
			e.themes = append(e.themes, theme{int32(n), c / size[n]})
			count[n] = 0
		}
	}
	idf := rarity(len(e.themes), len(size))
	for i, t := range e.themes {
		e.themes[i].weight = idf * t.weight / (t.weight + themeHalf)
	}
}

// rarity is the weight of what n of all have.
func rarity(n, all int) float32 {
	return float32(math.Log(1 + (float64(all)-float64(n)+0.5)/(float64(n)+0.5)))
}

// split takes a document apart. Sentences that say what a tool is not for count
// little.
func (t *tables) split(d *Doc) [fieldCount]field {
	first, rest, negated := sentences(d.Short, d.Long)
	return [fieldCount]field{
		{weightName, t.terms(d.Name)},
		{weightTitle, t.terms(d.Title)},
		{weightSource, t.terms(d.Source)},
		{weightShort, t.terms(first)},
		{weightRest, t.terms(rest)},
		{weightNegated, t.terms(negated)},
		{weightTags, t.terms(d.Tags...)},
		{weightParams, t.terms(d.Params...)},
	}
}

// sentences cuts a description into its first sentence, the others, and those
// that speak of other tools or of what not to do.
func sentences(short, long string) (first, rest, negated string) {
	first = short
	if i := strings.IndexAny(short, ".:;。；："); i > 20 {
		first, rest = short[:i], short[i:]
	}
	var r, n strings.Builder
	isEnd := func(c rune) bool { return strings.ContainsRune(".\n;。；", c) }
	for s := range strings.FieldsFuncSeq(rest+"\n"+long, isEnd) {
		to := &r
		if negates(strings.ToLower(s)) {
			to = &n
		}
		to.WriteString(s)
		to.WriteByte('\n')
	}
	return first, r.String(), n.String()
}

func negates(s string) bool {
	for _, not := range []string{" not ", "don't", "instead", "never ", "unlike", "error", "cannot", "不要", "不能"} {
		if strings.Contains(s, not) {
			return true
		}
	}
	return false
}

// doing is what a document's name says that it does: by the first of its words
// that is a verb, else the title's, else the description's first.
func (t *tables) doing(d *Doc) class {
	for _, w := range words(d.Name) {
		if c := t.classes[stem(w)]; c != 0 {
			return c
		}
	}
	for _, s := range []string{d.Title, d.Short} {
		if w := words(s); len(w) > 0 && t.classes[stem(w[0])] != 0 {
			return t.classes[stem(w[0])]
		}
	}
	return 0
}

// minNear is the fewest letters that two words must start with together to be
// taken for relatives.
const minNear = 4

// near are the terms that start like one that no description has: auth,
// authentication. maxNear of them are enough.
func (x *Index) near(term string) []*entry {
	if len(term) < minNear || !ascii(term) {
		return nil
	}
	var out []*entry
	i, _ := slices.BinarySearch(x.vocab, term)
	for ; i < len(x.vocab) && strings.HasPrefix(x.vocab[i], term) && len(out) < maxNear; i++ {
		out = append(out, x.terms[x.vocab[i]])
	}
	for n := len(term) - 1; n >= minNear && len(out) == 0; n-- {
		if e := x.terms[term[:n]]; e != nil {
			out = append(out, e)
		}
	}
	return out
}

const maxNear = 16
