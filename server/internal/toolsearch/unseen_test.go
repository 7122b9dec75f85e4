package toolsearch

import (
	"hash/fnv"
	"testing"
)

// A third set, with fifteen servers of its own, was written before anything was tuned by it. Its questions are cut in two by a hash of
// their text: weights and words were found with the misses of the one half in sight, those of the other were never looked at. Questions
// and words are by the same hand, though, so the confirming half flatters; the held-out questions do not.
func tuned(text string) bool {
	h := fnv.New32a()
	h.Write([]byte(text))
	return h.Sum32()%2 == 0
}

// confirmed is the least share of the confirming half that finds its tool among the first five.
const confirmed = 0.92

func TestWishesOfTheConfirmingHalfFindTheirTool(t *testing.T) {
	docs, ids := readTools(t, "testdata/unseen")
	x := New(docs)
	hits := map[string]*[2]int{}
	count := func(what string, hit bool) {
		if hits[what] == nil {
			hits[what] = &[2]int{}
		}
		hits[what][1]++
		if hit {
			hits[what][0]++
		}
	}
	for _, q := range readQuestions(t, "testdata/unseen.tsv") {
		half := "confirming half"
		if tuned(q.text) {
			half = "tuned half"
		}
		hit := false
		var got []string
		for _, h := range x.Search(q.text, 5, nil) {
			got = append(got, ids[h.Doc])
			hit = hit || q.want[ids[h.Doc]]
		}
		if !hit && tuned(q.text) {
			t.Logf("missed: %s\n\twant %v\n\tgot  %v", q.text, q.names, got)
		}
		count(half, hit)
		if inChinese(q.text) {
			count(half+", Chinese", hit)
		}
	}
	for what, h := range hits {
		t.Logf("%s: %d of %d (%.3f)", what, h[0], h[1], float64(h[0])/float64(h[1]))
	}
	if h := hits["confirming half"]; float64(h[0])/float64(h[1]) < confirmed {
		t.Errorf("%d of %d, want %.2f", h[0], h[1], confirmed)
	}
}
