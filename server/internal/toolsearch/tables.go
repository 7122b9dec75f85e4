package toolsearch

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"helve/internal/packed"
)

// stop are words that say nothing about what a tool does.
const stopText = `
a an and are as at be been but by can could did do does for from had has have how i if in into is it its me my of off on
or our out please should so some than that the their them then there these this those to us was we were what when where
which who whose will with would you your
tool tools using use used lets let im via also just any given say said says somebody else ever anything up want know
need needs like much more own here he she him her they about again very really am not no dont doesnt now while `

// lightText are words that say little by themselves: take a look, put aside,
// most of all.
const lightText = `
take put give make go come bring keep hold turn let most many few each every all one first please start new other another
still today now number something thing things place way kind part time times `

// wordsPacked has the files of words, one after the other with a NUL between. `go test -update` makes it from them.
//
//go:embed words.zst
var wordsPacked []byte

// A wordlist is one of the files in words.
type wordlist int

const (
	english wordlist = iota
	said
	chinese
	wordlists
)

var wordFiles = [wordlists]string{"en.txt", "said.txt", "zh.txt"}

// shared are the tables that all searches have. Nothing is made when a program starts: one that never searches does not
// even link the words.
var shared struct {
	once   sync.Once
	tables *tables
}

// load reads the tables when the first wish comes.
func load() *tables {
	shared.once.Do(func() { shared.tables = readTables() })
	return shared.tables
}

// A meaning is what a word or a phrase may be called in a description: stemmed
// words that belong together.
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
	stop, light map[string]bool
	same        map[string][]string  // stem: the stems that mean it, as it means them
	means       map[string][]meaning // a stem, stems with spaces between, or a Chinese word
	classes     map[string]class
	kinds       map[string]class
	longest     int // words in the longest phrase
	longHan     int // letters in the longest Chinese word
}

func readTables() *tables {
	t := &tables{
		stop:    map[string]bool{},
		light:   map[string]bool{},
		same:    make(map[string][]string, wordsExpected),
		means:   make(map[string][]meaning, keysExpected),
		classes: map[string]class{},
		kinds:   map[string]class{},
	}
	for w := range strings.FieldsSeq(stopText) {
		t.stop[w] = true
	}
	for w := range strings.FieldsSeq(lightText) {
		t.light[w] = true
	}
	words := packed.Texts(wordsPacked)
	for line := range strings.Lines(words[english]) {
		t.english(strings.TrimSuffix(line, "\n"))
	}
	for line := range strings.Lines(words[said]) {
		if name, ways, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " < "); ok {
			means := meanings(name, weightRelated)
			for way := range strings.SplitSeq(ways, ", ") {
				t.mean(way, means)
			}
		}
	}
	for line := range strings.Lines(words[chinese]) {
		if english, han, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "="); ok {
			t.chinese(han, meanings(english, 1))
		}
	}
	return t
}

// The tables' sizes, about, so that the maps need not grow.
const (
	wordsExpected = 1 << 11
	keysExpected  = 1 << 13
)

// english reads a line: words that mean each other, "@kind" before those
// that are verbs of one kind; or, with ">", a word or phrase and what it may be
// called.
func (t *tables) english(line string) {
	if left, right, oneWay := strings.Cut(line, " > "); oneWay {
		t.mean(left, meanings(right, weightRelated))
		return
	}
	group := strings.Fields(line)
	if len(group) == 0 {
		return
	}
	kind, verbs := strings.CutPrefix(group[0], "@")
	if verbs {
		group = group[1:]
	}
	for i, w := range group {
		group[i] = stem(w)
	}
	for _, w := range group {
		if verbs {
			t.classes[w] |= t.kind(kind)
		}
		list := slices.Grow(t.same[w], len(group))
		for _, o := range group {
			if o != w {
				list = append(list, o)
			}
		}
		t.same[w] = list
	}
}

func (t *tables) chinese(words string, means []meaning) {
	for w := range strings.FieldsSeq(words) {
		t.longHan = max(t.longHan, utf8.RuneCountInString(w))
		t.put(w, means)
	}
}

// mean gives meanings to an English word or phrase.
func (t *tables) mean(phrase string, means []meaning) {
	t.longest = max(t.longest, 1+strings.Count(phrase, " "))
	t.put(stems(phrase), means)
}

func (t *tables) put(key string, means []meaning) {
	t.means[key] = append(t.means[key][:len(t.means[key]):len(t.means[key])], means...)
}

// kind is the bit for a kind of doing: the first that is asked for has the first.
func (t *tables) kind(name string) class {
	if t.kinds[name] == 0 {
		t.kinds[name] = 1 << len(t.kinds)
	}
	return t.kinds[name]
}

// meanings reads words, a plus between those that belong together.
func meanings(words string, weight float32) []meaning {
	out := make([]meaning, 0, 1+strings.Count(words, " "))
	for w := range strings.FieldsSeq(words) {
		if first, second, two := strings.Cut(w, "+"); two {
			out = append(out, meaning{[]string{stem(first), stem(second)}, weight})
		} else {
			out = append(out, meaning{[]string{stem(w)}, weight})
		}
	}
	return slices.Clip(out)
}

// stems are a phrase's words, stemmed.
func stems(phrase string) string {
	if !strings.Contains(phrase, " ") {
		return stem(phrase)
	}
	out := make([]byte, 0, len(phrase))
	for w := range strings.SplitSeq(phrase, " ") {
		if len(out) > 0 {
			out = append(out, ' ')
		}
		out = append(out, stem(w)...)
	}
	return string(out)
}
