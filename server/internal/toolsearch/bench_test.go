package toolsearch

import (
	"fmt"
	"testing"
)

// Bar: 50 µs a query.
func BenchmarkSearch(b *testing.B) {
	docs, _ := corpus(b)
	searches(b, docs)
}

// BenchmarkSearchThousand is a query among a thousand tools: all the real ones, as often as it takes under other servers' names.
func BenchmarkSearchThousand(b *testing.B) {
	real, _ := corpus(b)
	more, _ := readTools(b, "testdata/unseen")
	real = append(real, more...)
	var docs []Doc
	for i := 0; len(docs) < 1000; i++ {
		d := real[i%len(real)]
		d.Source = fmt.Sprint(d.Source, i/len(real))
		docs = append(docs, d)
	}
	searches(b, docs)
}

func searches(b *testing.B, docs []Doc) {
	x := New(docs)
	qs := append(questions(b), readQuestions(b, "testdata/unseen.tsv")...)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		x.Search(qs[i%len(qs)].text, 5, nil)
		i++
	}
}

// BenchmarkNew is what the first search of a list costs, without the tables, which are read once.
func BenchmarkNew(b *testing.B) {
	docs, _ := corpus(b)
	b.ReportAllocs()
	for b.Loop() {
		New(docs)
	}
}

func BenchmarkReadTables(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		readTables()
	}
}
