package edit

import (
	"bytes"
	"sort"
	"strings"

	"golang.org/x/text/unicode/norm"

	"helve/internal/diff"
)

// Bounds of the search for the nearest place: how much of a text and of an old text is compared, how many places are
// named, how alike they must be (the share of three-byte sequences that both have), and how much the diff shows.
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
	old := strings.Split(strings.TrimSuffix(lf(e.Old[:min(len(e.Old), nearOld)]), "\n"), "\n")
	found := f.similar(old)
	if s := f.unescaped(e); len(s) > 0 {
		found = s[:min(len(s), nearPlaces)]
	}
	if len(found) == 0 {
		return r
	}
	r.Places = f.places(found)
	near := f.cutLines(found[0])
	for i := range old {
		old[i] = cut(old[i])
	}
	if r.Cause == Unknown {
		r.Cause = compare(string(f.content[found[0].start:found[0].end]), e.Old)
	}
	d := diff.Of(strings.Join(near, "\n")+"\n", strings.Join(old, "\n")+"\n", diff.Options{MaxLines: nearDiff})
	for i := range d.Hunks {
		d.Hunks[i].Old += r.Places[0].Line - 1
		d.Hunks[i].New += r.Places[0].Line - 1
	}
	r.Diff = d.Body()
	return r
}

func (f finder) cutLines(s span) []string {
	var out []string
	for _, l := range splitLines(f.content[s.start:s.end], f.style.nl) {
		out = append(out, cut(string(l)))
	}
	return out
}

// cause knows the reasons that show in the old text itself.
func (f finder) cause(e Edit) Cause {
	for _, l := range strings.Split(lf(e.Old), "\n") {
		if isPlaceholder(strings.TrimSpace(l)) {
			return Shortened
		}
	}
	if len(f.unescaped(e)) > 0 {
		return Escapes
	}
	return Unknown
}

// unescaped finds the old text with one layer of escapes taken off.
func (f finder) unescaped(e Edit) []span {
	if !strings.Contains(e.Old, `\`) {
		return nil
	}
	plain := strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\"`, `"`, `\'`, `'`, "\\`", "`").Replace(e.Old)
	if plain == e.Old || strings.TrimSpace(plain) == "" {
		return nil
	}
	return newPattern(lf(plain), f.style.nl).some(f.content)
}

// compare names the one kind of difference between two texts that a canonical form removes.
func compare(there, old string) Cause {
	for _, c := range []struct {
		cause Cause
		form  func(string) string
	}{
		{Separation, func(s string) string { return strings.Join(words(s), "") }},
		{Composition, func(s string) string { return norm.NFC.String(oneSpace(s)) }},
		{Quotes, func(s string) string { return plainMarks.Replace(oneSpace(s)) }},
		{LetterCase, func(s string) string { return strings.ToLower(oneSpace(s)) }},
	} {
		if want := c.form(old); want != "" && strings.Contains(c.form(there), want) {
			return c.cause
		}
	}
	return Unknown
}

func oneSpace(s string) string { return strings.Join(words(s), " ") }

var plainMarks = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`, "‘", "'", "’", "'", "‚", "'",
	"–", "-", "—", "-", "−", "-", "‐", "-", "‑", "-", "…", "...")

// A window is as many lines as the old text has, and how much of it they hold.
type window struct {
	line  int
	score float64
}

// similar finds the runs of lines that share the most three-byte sequences with the old text, best first. It passes the
// text once.
func (f finder) similar(old []string) []span {
	want, total := grams(old)
	if total == 0 {
		return nil
	}
	lines := f.scan(want)
	best := f.rank(lines, len(old), total)
	var out []span
	for _, w := range best {
		end := min(w.line+len(old), len(lines))
		out = append(out, span{lines[w.line].start, lines[end-1].end})
	}
	return out
}

// A scanned line: where it is, how many sequences it has, and how many of them the old text has too.
type scanned struct {
	span
	all, hits int
}

// gram hashes three bytes into a bucket.
func gram(a, b, c byte) uint32 {
	h := uint32(a)<<16 | uint32(b)<<8 | uint32(c)
	return h * 2654435761 >> 16 % gramBuckets
}

// grams marks the sequences of the old text's lines; white space and the case of ASCII letters do not count.
func grams(old []string) (*[gramBuckets]bool, int) {
	set, total := new([gramBuckets]bool), 0
	for _, l := range old {
		total += eachGram([]byte(l), func(h uint32) { set[h] = true })
	}
	return set, total
}

func eachGram(l []byte, visit func(uint32)) int {
	var a, b byte
	n := 0
	for _, c := range l {
		switch {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
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

func (f finder) scan(want *[gramBuckets]bool) []scanned {
	text := f.content[:min(len(f.content), nearBytes)]
	lines := make([]scanned, 0, 1024)
	for at := 0; at < len(text); {
		end := len(text)
		if i := bytes.IndexByte(text[at:], f.style.nl); i >= 0 {
			end = at + i + 1
		}
		l := scanned{span: span{at, end}}
		l.all = eachGram(text[at:end], func(h uint32) {
			if want[h] {
				l.hits++
			}
		})
		lines = append(lines, l)
		at = end
	}
	return lines
}

// rank scores every run of n lines: what it shares with the old text, of what either has.
func (f finder) rank(lines []scanned, n, total int) []window {
	var all, hits int
	var list []window
	for i := range lines {
		all += lines[i].all
		hits += lines[i].hits
		if i >= n {
			all -= lines[i-n].all
			hits -= lines[i-n].hits
		}
		if i < n-1 && i < len(lines)-1 {
			continue
		}
		shared := min(hits, total)
		if score := float64(shared) / float64(all+total-shared); score >= nearLeast {
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
		if len(out) == nearPlaces || len(out) > 0 && w.score < nearBest*out[0].score {
			break
		}
		free := true
		for _, o := range out {
			free = free && (w.line >= o.line+n || o.line >= w.line+n)
		}
		if free {
			out = append(out, w)
		}
	}
	return out
}
