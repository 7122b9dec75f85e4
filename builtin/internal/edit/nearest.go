package edit

import (
	"slices"
	"sort"
	"strings"

	"golang.org/x/text/unicode/norm"

	"helve/internal/diff"
)

// Bounds of the search for the nearest place: how much of a text and of an old text is compared,
// how many places are named, how alike they must be (the share of three-byte sequences that both
// have), and how much the diff shows.
const (
	nearBytes   = 16 << 20
	nearOld     = 64 << 10
	nearPlaces  = 3
	nearLeast   = 0.3
	nearBest    = 0.8 // of the best place's likeness: less is not worth naming
	nearDiff    = 60
	gramBuckets = 1 << 16
)

// nearest refuses an edit with the place that is most like its old text.
func (f finder) nearest(e Edit) *Refusal {
	r := &Refusal{Kind: NotFound, Cause: f.cause(e)}
	head := lf(e.Old[:min(len(e.Old), nearOld)])
	old := strings.Split(strings.TrimSuffix(head, "\n"), "\n")
	found := f.unescaped(e)
	if len(found) == 0 {
		found = f.similar(old)
	}
	if len(found) == 0 {
		return r
	}
	found = found[:min(len(found), nearPlaces)]
	r.Places = f.places(found)
	if r.Cause == Unknown {
		r.Cause = compare(string(f.text(found[0])), e.Old)
	}
	there, want := readable(f.lines(found[0])), readable(old)
	d := diff.Of(there, want, diff.Options{MaxLines: nearDiff})
	above := r.Places[0].Line - 1
	for i := range d.Hunks {
		d.Hunks[i].Old += above
		d.Hunks[i].New += above
	}
	r.Diff = d.Body()
	return r
}

// readable are lines as a diff shows them, none too long to read.
func readable(lines []string) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(cut(l))
		b.WriteByte('\n')
	}
	return b.String()
}

// cause knows the reasons that show in the old text itself.
func (f finder) cause(e Edit) Cause {
	for _, l := range linesOf(e.Old) {
		if isPlaceholder(strings.TrimSpace(l)) {
			return Shortened
		}
	}
	if len(f.unescaped(e)) > 0 {
		return Escapes
	}
	return Unknown
}

// escapes are those of strings in most languages, which models put into texts that are none.
var escapes = strings.NewReplacer(
	`\\`, `\`,
	`\n`, "\n",
	`\t`, "\t",
	`\"`, `"`,
	`\'`, `'`,
	"\\`", "`",
)

// unescaped finds the old text with one layer of escapes taken off.
func (f finder) unescaped(e Edit) []span {
	plain := escapes.Replace(e.Old)
	if plain == e.Old || strings.TrimSpace(plain) == "" {
		return nil
	}
	return f.some(plain)
}

// A form is what is left of a text when one kind of difference is taken out of it.
type form struct {
	cause Cause
	of    func(words []string) string
}

var forms = [...]form{
	{Separation, func(words []string) string { return strings.Join(words, "") }},
	{Composition, func(words []string) string { return norm.NFC.String(oneSpace(words)) }},
	{Quotes, func(words []string) string { return plainMarks.Replace(oneSpace(words)) }},
	{LetterCase, func(words []string) string { return strings.ToLower(oneSpace(words)) }},
}

// compare names the one kind of difference between two texts that a form removes.
func compare(there, old string) Cause {
	theirs, ours := words(there), words(old)
	for _, form := range forms {
		want := form.of(ours)
		if want != "" && strings.Contains(form.of(theirs), want) {
			return form.cause
		}
	}
	return Unknown
}

// oneSpace puts one blank between words, so that white space differs in no form.
func oneSpace(words []string) string {
	return strings.Join(words, " ")
}

// plainMarks writes typographic marks as keyboards have them.
var plainMarks = strings.NewReplacer(
	"“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`,
	"‘", "'", "’", "'", "‚", "'",
	"–", "-", "—", "-", "−", "-", "‐", "-", "‑", "-",
	"…", "...",
)

// A window is as many lines as the old text has, and how much of it they hold.
type window struct {
	line  int
	score float64
}

// similar finds the runs of lines that share the most three-byte sequences with the old text, best
// first. It passes the text once.
func (f finder) similar(old []string) []span {
	want, total := grams(old)
	if total == 0 {
		return nil
	}
	lines := f.scan(want)
	var out []span
	for _, w := range rank(lines, len(old), total) {
		run := lines[w.line:min(w.line+len(old), len(lines))]
		last := run[len(run)-1]
		out = append(out, span{run[0].start, last.end})
	}
	return out
}

// A scanned line: where it is, how many sequences it has, and how many of them the old text has
// too.
type scanned struct {
	span
	all, hits int
}

// gram hashes three bytes into a bucket, by Knuth's multiplier.
func gram(a, b, c byte) uint32 {
	h := uint32(a)<<16 | uint32(b)<<8 | uint32(c)
	h *= 2654435761
	return (h >> 16) % gramBuckets
}

// grams marks the sequences of the old text's lines; white space and the case of ASCII letters do
// not count.
func grams(old []string) (*[gramBuckets]bool, int) {
	set, total := new([gramBuckets]bool), 0
	mark := func(h uint32) { set[h] = true }
	for _, l := range old {
		total += eachGram([]byte(l), mark)
	}
	return set, total
}

// eachGram visits the sequences of a line, and returns how many there are.
func eachGram(l []byte, visit func(uint32)) int {
	var a, b byte
	n := 0
	for _, c := range l {
		switch {
		case c == ' ', c == '\t', c == '\r', c == '\n':
			continue
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		if n >= 2 {
			visit(gram(a, b, c))
		}
		a, b = b, c
		n++
	}
	return max(n-2, 0)
}

// scan counts for each line what it shares with the old text. The last of too long a text is cut.
func (f finder) scan(want *[gramBuckets]bool) []scanned {
	size := min(len(f.content), nearBytes)
	lines := make([]scanned, 0, 1024)
	for at := 0; at < size; {
		l := scanned{span: span{at, min(f.nextLine(at), size)}}
		l.all = eachGram(f.text(l.span), func(h uint32) {
			if want[h] {
				l.hits++
			}
		})
		lines = append(lines, l)
		at = l.end
	}
	return lines
}

// rank scores every run of n lines: what it shares with the old text, of what either has.
func rank(lines []scanned, n, total int) []window {
	var all, hits int
	var list []window
	for i, l := range lines {
		all += l.all
		hits += l.hits
		if i >= n {
			all -= lines[i-n].all
			hits -= lines[i-n].hits
		}
		whole := i >= n-1 || i == len(lines)-1 // a text of fewer lines is one run
		if !whole {
			continue
		}
		shared := min(hits, total)
		either := all + total - shared
		score := float64(shared) / float64(either)
		if score >= nearLeast {
			list = append(list, window{max(0, i-n+1), score})
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].score > list[j].score })
	return apart(list, n)
}

// apart keeps the best windows that do not overlap.
func apart(list []window, n int) []window {
	var out []window
	for _, w := range list {
		if len(out) == nearPlaces {
			break
		}
		if len(out) > 0 && w.score < nearBest*out[0].score {
			break
		}
		over := slices.ContainsFunc(out, func(o window) bool {
			return w.line < o.line+n && o.line < w.line+n
		})
		if !over {
			out = append(out, w)
		}
	}
	return out
}
