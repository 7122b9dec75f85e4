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

// The weights of the fields, and how much a field's length counts (BM25F). A name says most.
const (
	weightName   = 5.0
	weightTitle  = 2.0
	weightSource = 1.5
	weightShort  = 2.0
	weightLong   = 0.6
	weightTags   = 0.8
	weightParams = 0.3
	lengthBias   = 0.5
	saturation   = 1.4
	// synonymWeight is what a word counts that the query only implies.
	synonymWeight = 0.45
)

type posting struct {
	doc    int
	weight float64 // the term's frequency over the fields, weighted
}

// An Index is a set of documents, ready to be searched. It never changes; its methods are safe for concurrent use.
type Index struct {
	n        int
	postings map[string][]posting
}

// New indexes documents.
func New(docs []Doc) *Index {
	fields := make([][]field, len(docs))
	var total [fieldCount]float64
	for i := range docs {
		fields[i] = split(&docs[i])
		for f := range fields[i] {
			total[f] += float64(len(fields[i][f].terms))
		}
	}
	x := &Index{n: len(docs), postings: map[string][]posting{}}
	for i := range fields {
		x.add(i, fields[i], total)
	}
	return x
}

func (x *Index) add(doc int, fields []field, total [fieldCount]float64) {
	weights := map[string]float64{}
	for f, fd := range fields {
		if len(fd.terms) == 0 {
			continue
		}
		average := total[f] / float64(x.n)
		norm := 1 - lengthBias + lengthBias*float64(len(fd.terms))/average
		for _, t := range fd.terms {
			weights[t] += fd.weight / norm
		}
	}
	for t, w := range weights {
		x.postings[t] = append(x.postings[t], posting{doc, w})
	}
}

const fieldCount = 7

type field struct {
	weight float64
	terms  []string
}

func split(d *Doc) []field {
	return []field{
		{weightName, terms(d.Name)},
		{weightTitle, terms(d.Title)},
		{weightSource, terms(d.Source)},
		{weightShort, terms(d.Short)},
		{weightLong, terms(d.Long)},
		{weightTags, terms(d.Tags...)},
		{weightParams, terms(d.Params...)},
	}
}

// Search is the best limit documents for a query, best first; equal ones stay in the order of New. keep may leave documents out, nil
// keeps all.
func (x *Index) Search(query string, limit int, keep func(doc int) bool) []Hit {
	scores := make([]float64, x.n)
	for _, q := range expand(query) {
		p := x.postings[q.term]
		if len(p) == 0 {
			continue
		}
		idf := math.Log(1 + (float64(x.n)-float64(len(p))+0.5)/(float64(len(p))+0.5))
		for _, at := range p {
			scores[at.doc] += q.weight * idf * at.weight * (saturation + 1) / (at.weight + saturation)
		}
	}
	var hits []Hit
	for i, s := range scores {
		if s > 0 && (keep == nil || keep(i)) {
			hits = append(hits, Hit{i, s})
		}
	}
	slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	return hits[:min(limit, len(hits))]
}
