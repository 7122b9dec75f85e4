// Package toolsearch finds tools by what they do: the words of a wish, in
// English or Chinese, against names, descriptions and parameters.
package toolsearch

import (
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

// A Hit is a document, by its place in New's list, with how well it fits: only
// the order of scores means anything.
type Hit struct {
	Doc   int
	Score float64
}

// A posting is a document that has a term, with the term's weight there: its
// frequency over the fields, weighted and saturated.
type posting struct {
	doc    int32
	weight float32
}

// A theme is a server whose tools speak of a term, with how much they do.
type theme struct {
	server int32
	weight float32
}

// An entry is what is known of one term. idf is greater the fewer documents
// have it.
type entry struct {
	idf    float32
	docs   []posting
	themes []theme
}

// An Index is a set of documents, ready to be searched. It never changes; its
// methods are safe for concurrent use.
type Index struct {
	terms   map[string]*entry
	vocab   []string  // the terms, sorted
	classes []class   // by document: what kind of thing its name says that it does
	biases  []float32 // by document: what its score is multiplied with
	server  []int32   // by document
	servers int
}

// Search is the best limit documents for a query, best first; equal ones stay
// in the order of New. keep may leave documents out, nil keeps all.
func (x *Index) Search(query string, limit int, keep func(doc int) bool) []Hit {
	w := read(query)
	n := len(x.biases)
	space := make([]float32, 3*n+2*x.servers)
	s := tally{
		x:      x,
		best:   space[:n],
		score:  space[n : 2*n],
		cover:  space[2*n : 3*n],
		topic:  space[3*n : 3*n+x.servers],
		topics: space[3*n+x.servers:],
	}
	for i := range w.units {
		s.unit(&w.units[i])
	}
	return s.hits(w.kinds, limit, keep)
}

// A tally adds up what the parts of a wish find. best and topic are of the part
// at hand, the others of the whole wish so far.
type tally struct {
	x                  *Index
	best, score, cover []float32  // by document
	topic, topics      []float32  // by server
	terms              []weighted // of the part at hand
	touched            []int32    // the documents of the part at hand
	asked              float32    // what a document would have that is the best for every part
}

type weighted struct {
	entry  *entry
	weight float32
}

// unit counts for each document the best of the words that one part of the wish
// may be meant by: not their sum, or a description that says the same thing in
// three ways would win over one that says it once. A word that implies a rare
// one counts no more than itself.
func (s *tally) unit(u *unit) {
	most := float32(math.MaxFloat32)
	s.terms = s.terms[:0]
	if e := s.x.terms[u.term]; e != nil {
		most = e.idf
		s.term(e, u.weight)
	}
	for _, v := range u.may {
		if e := s.x.terms[v.term]; e != nil {
			s.term(e, v.weight)
		}
	}
	if len(s.terms) == 0 {
		for _, e := range s.x.near(u.term) {
			s.term(e, u.weight*weightNear)
		}
	}
	for _, t := range s.terms {
		s.put(t.entry, t.weight, most)
	}
	s.add()
}

// term notes a term of the part at hand; one that several words imply has the
// highest of their weights.
func (s *tally) term(e *entry, weight float32) {
	for i := range s.terms {
		if s.terms[i].entry == e {
			s.terms[i].weight = max(s.terms[i].weight, weight)
			return
		}
	}
	s.terms = append(s.terms, weighted{e, weight})
}

func (s *tally) put(e *entry, weight, most float32) {
	for _, t := range e.themes {
		s.topic[t.server] = max(s.topic[t.server], weight*t.weight)
	}
	weight *= min(e.idf, most)
	for _, p := range e.docs {
		if s.best[p.doc] == 0 {
			s.touched = append(s.touched, p.doc)
		}
		s.best[p.doc] = max(s.best[p.doc], weight*p.weight)
	}
}

// add brings the part at hand into the whole.
func (s *tally) add() {
	top := float32(0)
	for _, d := range s.touched {
		top = max(top, s.best[d])
	}
	s.asked += top
	for _, d := range s.touched {
		s.score[d] += s.best[d]
		s.cover[d] += min(top, s.best[d]*coverGain)
		s.best[d] = 0
	}
	s.touched = s.touched[:0]
	for i, v := range s.topic {
		s.topics[i] += v
		s.topic[i] = 0
	}
}

// hits are the best documents.
func (s *tally) hits(kinds class, limit int, keep func(doc int) bool) []Hit {
	var hits []Hit
	for i, v := range s.score {
		if v <= 0 || keep != nil && !keep(i) {
			continue
		}
		v *= 1 - coverShare + coverShare*s.cover[i]/s.asked
		v += themeShare * s.topics[s.x.server[i]]
		v *= s.x.biases[i] * fit(kinds, s.x.classes[i])
		hits = insert(hits, Hit{i, float64(v)}, limit)
	}
	return hits
}

// insert puts a hit into its place among the best, the later of equals behind.
func insert(hits []Hit, h Hit, limit int) []Hit {
	if len(hits) == limit && (limit == 0 || hits[limit-1].Score >= h.Score) {
		return hits
	}
	at := len(hits)
	for at > 0 && hits[at-1].Score < h.Score {
		at--
	}
	if len(hits) == limit {
		hits = hits[:limit-1]
	}
	return slices.Insert(hits, at, h)
}

// fit compares the doing that a tool's name speaks of with the wish's: who asks
// to see something does not want it deleted.
func fit(wish, doc class) float32 {
	switch {
	case wish == 0 || doc == 0:
		return 1
	case wish&doc != 0:
		return kindSame
	case doc&grave != 0:
		return kindGrave
	}
	return kindOther
}
