package toolsearch

import (
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
	x := &Index{n: len(docs), postings: map[string][]posting{}, classes: make([]class, len(docs)), biases: make([]float32, len(docs)),
		themes: map[string][]theme{}, server: make([]int32, len(docs))}
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
			x.biases[i] = float32(par.deprecated)
		}
	}
	for i := range fields {
		x.add(i, &fields[i], &total)
	}
	x.group(docs)
	for w := range x.postings {
		x.vocab = append(x.vocab, w)
	}
	slices.Sort(x.vocab)
	return x
}

func (x *Index) add(doc int, fields *[fieldCount]field, total *[fieldCount]float64) {
	weights := map[string]float64{}
	for f, fd := range fields {
		if len(fd.terms) == 0 {
			continue
		}
		average := total[f] / float64(x.n)
		norm := 1 - par.lengthBias + par.lengthBias*float64(len(fd.terms))/average
		for _, t := range fd.terms {
			w := fd.weight / norm
			if en, ok := strings.CutPrefix(t, translatedMark); ok {
				t, w = en, w*par.translated
			}
			weights[t] += w
		}
	}
	for t, w := range weights {
		p := posting{doc: int32(doc), weight: float32(w)}
		if slices.Contains(fields[0].terms, t) {
			p.name = 1 / float32(len(fields[0].terms))
		}
		x.postings[t] = append(x.postings[t], p)
	}
}

// group notes what each server's tools speak of.
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
	for term, list := range x.postings {
		count := map[int32]float32{}
		for _, p := range list {
			count[x.server[p.doc]] += min(p.weight, 1)
		}
		for n, c := range count {
			share := c / size[n]
			x.themes[term] = append(x.themes[term], theme{n, share / (share + 0.2)})
		}
	}
}

// split takes a document apart. Sentences that say what a tool is not for count little.
func (t *tables) split(d *Doc) [fieldCount]field {
	first, rest, negated := sentences(d.Short, d.Long)
	return [fieldCount]field{
		{par.name, t.terms(d.Name)},
		{par.title, t.terms(d.Title)},
		{par.source, t.terms(d.Source)},
		{par.short, t.terms(first)},
		{par.rest, t.terms(rest)},
		{par.negated, t.terms(negated)},
		{par.tags, t.terms(d.Tags...)},
		{par.params, t.terms(d.Params...)},
	}
}

// sentences cuts a description into its first sentence, the others, and those that speak of other tools or of what not to do.
func sentences(short, long string) (first, rest, negated string) {
	first = short
	if i := strings.IndexAny(short, ".:;。；："); i > 20 {
		first, rest = short[:i], short[i:]
	}
	var r, n strings.Builder
	for s := range strings.FieldsFuncSeq(rest+"\n"+long, func(c rune) bool { return strings.ContainsRune(".\n;。；", c) }) {
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

// doing is what a document's name says that it does: by the first of its words that is a verb, else the title's, else the
// description's first.
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

// near are the postings of words that start like one that no description has: auth, authentication.
func (x *Index) near(term string) [][]posting {
	if len(term) < minNear || !ascii(term) {
		return nil
	}
	var out [][]posting
	i, _ := slices.BinarySearch(x.vocab, term)
	for ; i < len(x.vocab) && strings.HasPrefix(x.vocab[i], term); i++ {
		out = append(out, x.postings[x.vocab[i]])
	}
	for n := len(term) - 1; n >= minNear && len(out) == 0; n-- {
		if p := x.postings[term[:n]]; len(p) > 0 {
			out = append(out, p)
		}
	}
	return out
}

// minNear is the fewest letters that two words must start with together to be taken for relatives.
const minNear = 4
