package fetch

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

// passagesShown is how many characters of fitting passages come back.
const passagesShown = 6000

// passages are the paragraphs of a text that fit a question's words best, in their order; the note says that it
// is a choice.
func passages(text, question string) (chosen, note string) {
	paras := paragraphs(text)
	terms := keywords(question)
	scores := rate(paras, terms)
	places := make([]int, len(paras))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int {
		return cmp.Compare(scores[b], scores[a])
	})
	var take []int // at least one, however long it is
	room := passagesShown
	for _, i := range places {
		full := room < len(paras[i].text) && len(take) > 0
		if full || scores[i] == 0 {
			break
		}
		take = append(take, i)
		room -= len(paras[i].text)
	}
	if len(take) == 0 {
		head, _ := cutRunes(text, passagesShown)
		return head, "nothing on the page has the words of the prompt; this is its beginning"
	}
	if len(take) == len(paras) {
		return text, ""
	}
	slices.Sort(take)
	return join(paras, take), "these are the passages that fit the prompt's words, not the whole page"
}

// A paragraph is a block of a text, and the heading that it stands under.
type paragraph struct{ heading, text string }

// paragraphs are the blocks between empty lines. A heading is none of its own: it goes with those below.
func paragraphs(text string) []paragraph {
	var out []paragraph
	heading := ""
	for block := range strings.SplitSeq(text, "\n\n") {
		block = strings.TrimRight(block, "\n")
		if strings.TrimSpace(block) == "" {
			continue
		}
		if strings.HasPrefix(block, "#") && !strings.Contains(block, "\n") {
			heading = block
			continue
		}
		out = append(out, paragraph{heading, block})
	}
	return out
}

// join writes the chosen paragraphs under their headings, with a mark where others are left out.
func join(paras []paragraph, take []int) string {
	var b strings.Builder
	heading, last := "", -1
	for _, i := range take {
		if last >= 0 && i != last+1 {
			b.WriteString("[…]\n\n")
		}
		p := paras[i]
		if p.heading != heading {
			heading = p.heading
			b.WriteString(heading + "\n\n")
		}
		b.WriteString(paras[i].text + "\n\n")
		last = i
	}
	return strings.TrimRight(b.String(), "\n")
}

// small words say nothing about what a question is about.
const small = " " +
	"the and for are was what which how does this that with from page about tell list all find give show " +
	"its can you there have has into use is of to in on a an it do me or "

// keywords are the words of a question that say what it is about, each once.
func keywords(s string) []string {
	var out []string
	for _, w := range words(s) {
		if !strings.Contains(small, " "+w+" ") && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// words are lower case and without a plural's end, so that "options" finds "option".
func words(s string) []string {
	out := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_'
	})
	for i, w := range out {
		if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
			out[i] = w[:len(w)-1]
		}
	}
	return out
}

// The constants of BM25 as it is commonly used: how soon a further occurrence adds nothing, and how much the length
// of a paragraph counts.
const (
	saturation   = 1.2
	lengthWeight = 0.75
)

// rate scores paragraphs by how many of the rare terms they have, a long one not more for its length (BM25).
func rate(paras []paragraph, terms []string) []float64 {
	counts := make([]map[string]int, len(paras))
	sizes := make([]int, len(paras))
	in := map[string]int{}
	total := 0
	for i, p := range paras {
		all := words(p.heading + " " + p.text)
		sizes[i], total = len(all), total+len(all)
		counts[i] = map[string]int{}
		for _, w := range all {
			if slices.Contains(terms, w) {
				counts[i][w]++
			}
		}
		for w := range counts[i] {
			in[w]++
		}
	}
	mean := float64(total+1) / float64(len(paras)+1)
	out := make([]float64, len(paras))
	for i := range paras {
		for _, w := range terms { // in their order: a sum of floats depends on it
			have := float64(in[w])
			rare := math.Log(1 + (float64(len(paras))-have+0.5)/(have+0.5))
			often := float64(counts[i][w])
			long := 1 - lengthWeight + lengthWeight*float64(sizes[i])/mean
			out[i] += rare * often * (saturation + 1) / (often + saturation*long)
		}
	}
	return out
}
