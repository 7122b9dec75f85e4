package toolsearch

import (
	_ "embed"
	"strings"
	"sync"
)

// stop are words that say nothing about what a tool does.
const stopText = ` a an and are as at be been but by can could did do does for from had has have how i if in into is it its me my of off on or our out
please should so some than that the their them then there these this those to us was we were what when where which who whose will with would you your
tool tools using use used lets let im via also just any given say said says somebody else ever anything up want know need needs like
much more own here he she him her they about again very really am not no dont doesnt now while `

//go:embed words/en.txt
var englishText string

//go:embed words/said.txt
var saidText string

//go:embed words/zh.txt
var chineseText string

// load reads the tables when the first wish comes: who never searches pays nothing.
var load = sync.OnceValue(readTables)

// A meaning is what a word or a phrase may be called in a description: stemmed words that belong together.
type meaning struct {
	terms  []string
	weight float32
}

// A class is a set of kinds of doing.
type class uint32

// grave is the kind that the table names first: deleting.
const grave class = 1

// tables hold what words mean. They never change once read.
type tables struct {
	stop     map[string]bool
	same     map[string][]string  // stem: the stems that stand for it as it does for them
	means    map[string][]meaning // a stem, stems with spaces between, or a Chinese word
	classes  map[string]class
	longest  int // words in the longest phrase
	longHan  int // letters in the longest Chinese word
	classBit map[string]class
}

func readTables() *tables {
	t := &tables{stop: map[string]bool{}, same: map[string][]string{}, means: map[string][]meaning{}, classes: map[string]class{}, classBit: map[string]class{}}
	for _, w := range strings.Fields(stopText) {
		t.stop[w] = true
	}
	for line := range strings.Lines(englishText) {
		t.english(strings.TrimSpace(line))
	}
	for line := range strings.Lines(saidText) {
		t.said(strings.TrimSpace(line))
	}
	for line := range strings.Lines(chineseText) {
		t.chinese(strings.TrimSpace(line))
	}
	return t
}

// english reads a line: words that stand for each other, "@kind" before those that are verbs of one kind; or, with ">", a word or
// phrase and what it may be called.
func (t *tables) english(line string) {
	left, right, oneWay := strings.Cut(line, " > ")
	if oneWay {
		words := strings.Fields(left)
		t.longest = max(t.longest, len(words))
		t.mean(stems(words), right, weightRelated)
		return
	}
	group := strings.Fields(line)
	if len(group) == 0 {
		return
	}
	if kind, ok := strings.CutPrefix(group[0], "@"); ok {
		group = group[1:]
		for _, w := range group {
			t.classes[stem(w)] |= t.bit(kind)
		}
	}
	for _, w := range group {
		for _, o := range group {
			if stem(o) != stem(w) {
				t.same[stem(w)] = append(t.same[stem(w)], stem(o))
			}
		}
	}
}

// said reads a line: a word of tool names, and after "<" what people say for it.
func (t *tables) said(line string) {
	name, ways, ok := strings.Cut(line, " < ")
	if !ok {
		return
	}
	for way := range strings.SplitSeq(ways, ", ") {
		words := strings.Fields(way)
		t.longest = max(t.longest, len(words))
		t.mean(stems(words), name, weightRelated)
	}
}

// chinese reads a line: English words, and after "=" the Chinese ones that mean them.
func (t *tables) chinese(line string) {
	right, left, ok := strings.Cut(line, "=")
	if !ok {
		return
	}
	for _, w := range strings.Fields(left) {
		t.longHan = max(t.longHan, len([]rune(w)))
		t.mean(w, right, 1)
	}
}

func (t *tables) mean(key, what string, weight float32) {
	for _, w := range strings.Fields(what) {
		t.means[key] = append(t.means[key], meaning{strings.Fields(stems(strings.Split(w, "+"))), weight})
	}
}

func (t *tables) bit(kind string) class {
	if t.classBit[kind] == 0 {
		t.classBit[kind] = 1 << len(t.classBit)
	}
	return t.classBit[kind]
}

func stems(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = stem(strings.ToLower(w))
	}
	return strings.Join(out, " ")
}
