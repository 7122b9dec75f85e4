package history

import (
	"bytes"
	"sort"
	"strings"
	"unicode/utf8"

	"helve/internal/diff"
)

// merge makes both changes of a text: base became ours, and base became theirs. It
// tells false where they touch, or where one of the three is no text.
func merge(base, ours, theirs []byte) ([]byte, bool) {
	for _, b := range [][]byte{base, ours, theirs} {
		if !isText(b) {
			return nil, false
		}
	}
	a, b := hunks(base, ours), hunks(base, theirs)
	for _, x := range a {
		for _, y := range b {
			if x.touches(y) {
				return nil, false
			}
		}
	}
	all := append(a, b...)
	sort.SliceStable(all, func(i, j int) bool { return all[i].start < all[j].start })
	lines := strings.SplitAfter(string(base), "\n")
	var out strings.Builder
	at := 0
	for _, h := range all {
		for ; at < h.start; at++ {
			out.WriteString(lines[at])
		}
		out.WriteString(h.text)
		at = h.end
	}
	for ; at < len(lines); at++ {
		out.WriteString(lines[at])
	}
	return []byte(out.String()), true
}

// isText tells a text, of which lines may be shown and merged.
func isText(b []byte) bool { return utf8.Valid(b) && bytes.IndexByte(b, 0) < 0 }

// A hunk says that lines of a text, from start up to but not including end, became another text. Lines
// count from 0.
type hunk struct {
	start, end int
	text       string
}

// touches tells that two hunks have a line in common, or that nothing stands between them.
func (h hunk) touches(o hunk) bool { return h.start <= o.end && o.start <= h.end }

func hunks(from, to []byte) []hunk {
	var out []hunk
	for _, h := range diff.Of(string(from), string(to), diff.Options{Context: -1}).Hunks {
		start := h.Old - 1
		if h.OldLines == 0 {
			start = h.Old // the unified form names the line before
		}
		var text strings.Builder
		for _, l := range h.Lines {
			if l.Kind != diff.Insert {
				continue
			}
			text.WriteString(l.Text)
			if !l.Open {
				text.WriteByte('\n')
			}
		}
		out = append(out, hunk{start, start + h.OldLines, text.String()})
	}
	return out
}
