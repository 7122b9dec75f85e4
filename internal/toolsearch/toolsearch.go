// Package toolsearch finds tools by what they do: the words of a wish, in English or Chinese, against names, descriptions and parameters.
package toolsearch

import (
	"cmp"
	"math"
	"slices"
)

// A Doc is what is known of one tool. Every field may be empty.
type Doc struct {
	Name   string // as its server calls it
	Title  string
	Source string // the server's name
	Short  string // the first line of the description
	Long   string // the rest
	Tags   []string
	Params []string // each a name and its description
}

// A Hit is a document, by its place in New's list, with how well it fits: only the order of scores means anything.
type Hit struct {
	Doc   int
	Score float64
}

type posting struct {
	doc    int32
	weight float32 // the term's frequency over the fields, weighted
	name   float32 // the term's share of the document's name
}

// A theme is how much of a server's tools speak of a term.
type theme struct {
	server int32
	weight float32
}

// An Index is a set of documents, ready to be searched. It never changes; its methods are safe for concurrent use.
type Index struct {
	n        int
	postings map[string][]posting
	vocab    []string // sorted
	classes  []class  // by document: what kind of thing its name says that it does
	biases   []float32
	themes   map[string][]theme
	servers  int
	server   []int32 // by document
}

// Search is the best limit documents for a query, best first; equal ones stay in the order of New. keep may leave documents out, nil
// keeps all.
func (x *Index) Search(query string, limit int, keep func(doc int) bool) []Hit {
	w := read(query)
	s := tally{x: x, best: make([]float32, x.n), named: make([]float32, x.n), score: make([]float32, x.n), cover: make([]float32, x.n),
		name: make([]float32, x.n), topic: make([]float32, x.servers), topics: make([]float32, x.servers)}
	for _, u := range w.units {
		s.unit(u)
	}
	return s.hits(w.kinds, limit, keep)
}

// A tally adds up what the parts of a wish find.
type tally struct {
	x                  *Index
	best, score, cover []float32
	named, name        []float32
	topic, topics      []float32 // by server: of this part, of the wish
	touched            []int32
	asked              float32 // the weight of all parts that anything was found for
}

// unit counts for each document the best of the words that one part of the wish may be meant by.
func (s *tally) unit(u unit) {
	own := math.Inf(1)
	if p := s.x.postings[u.term]; len(p) > 0 {
		own = s.x.idf(len(p))
		s.put(p, u.weight*own, u.weight)
	}
	s.theme(u.term, u.weight)
	for _, v := range u.may {
		if p := s.x.postings[v.term]; len(p) > 0 {
			s.put(p, v.weight*min(own, s.x.idf(len(p))), v.weight)
			s.theme(v.term, v.weight)
		}
	}
	for i, v := range s.topic {
		s.topics[i] += v
		s.topic[i] = 0
	}
	if len(s.touched) == 0 {
		for _, p := range s.x.near(u.term) {
			s.put(p, u.weight*par.near*s.x.idf(len(p)), u.weight*par.near)
		}
	}
	if len(s.touched) == 0 {
		return
	}
	top := float32(0)
	for _, d := range s.touched {
		top = max(top, s.best[d])
	}
	s.asked += top
	for _, d := range s.touched {
		s.score[d] += s.best[d]
		s.cover[d] += min(top, s.best[d]*float32(par.coverGain))
		s.name[d] += s.named[d]
		s.best[d], s.named[d] = 0, 0
	}
	s.touched = s.touched[:0]
}

// theme counts for each server the best of the words of a part.
func (s *tally) theme(term string, weight float64) {
	list := s.x.themes[term]
	idf := math.Log(1 + (float64(s.x.servers)-float64(len(list))+0.5)/(float64(len(list))+0.5))
	for _, t := range list {
		s.topic[t.server] = max(s.topic[t.server], float32(weight*idf)*t.weight)
	}
}

func (s *tally) put(list []posting, weight, share float64) {
	w, k := float32(weight), float32(par.saturation)
	for _, p := range list {
		v := w * p.weight * (k + 1) / (p.weight + k)
		if s.best[p.doc] == 0 {
			s.touched = append(s.touched, p.doc)
		}
		s.best[p.doc] = max(s.best[p.doc], v)
		s.named[p.doc] = max(s.named[p.doc], p.name*float32(share))
	}
}

func (x *Index) idf(n int) float64 {
	return math.Log(1 + (float64(x.n)-float64(n)+0.5)/(float64(n)+0.5))
}

// hits are the best documents, the doing that their names speak of compared with the wish's.
func (s *tally) hits(kinds class, limit int, keep func(doc int) bool) []Hit {
	var hits []Hit
	for i, v := range s.score {
		if v <= 0 || keep != nil && !keep(i) {
			continue
		}
		v *= 1 - float32(par.cover) + float32(par.cover)*s.cover[i]/s.asked
		v += float32(par.theme) * s.topics[s.x.server[i]]
		v *= s.x.biases[i] * (1 + float32(par.whole)*min(s.name[i], 1))
		switch c := s.x.classes[i]; {
		case kinds == 0 || c == 0:
		case c&kinds != 0:
			v *= float32(1 + par.kind)
		case c&grave != 0:
			v *= float32(1 - par.grave)
		default:
			v *= float32(1 - par.other)
		}
		hits = append(hits, Hit{i, float64(v)})
	}
	slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	return hits[:min(limit, len(hits))]
}
