package files

import (
	"strings"

	"helve/internal/diff"
)

// mixedEnds writes a text with plain line ends in a file whose line ends are of both kinds: a line that stays keeps
// its own, a new one takes that of the line before it.
func mixedEnds(old, text string) []byte {
	var was []bool // line i of old ends with a carriage return
	for l := range strings.Lines(old) {
		was = append(was, strings.HasSuffix(l, "\r\n"))
	}
	kept := keptLines(strings.ReplaceAll(old, "\r\n", "\n"), text)
	out := make([]byte, 0, len(text)+len(text)/32)
	last, i := was[0], 0 // lines that are added at the top end as the first one did
	for l := range strings.Lines(text) {
		if at, ok := kept[i]; ok {
			last = was[at]
		}
		i++
		body, ended := strings.CutSuffix(l, "\n")
		out = append(out, body...)
		if ended && last {
			out = append(out, '\r')
		}
		if ended {
			out = append(out, '\n')
		}
	}
	return out
}

// keptLines maps the lines of the new text that were there before to their number in the old one, both from 0.
func keptLines(old, text string) map[int]int {
	kept := map[int]int{}
	from, to := 0, 0
	same := func(end int) {
		for ; from < end; from, to = from+1, to+1 {
			kept[to] = from
		}
	}
	for _, h := range diff.Of(old, text, diff.Options{Context: -1}).Hunks {
		start := h.Old - 1
		if h.OldLines == 0 { // an insertion stands behind the line that it names
			start = h.Old
		}
		same(start)
		from, to = from+h.OldLines, to+h.NewLines
	}
	same(strings.Count(old, "\n") + 1)
	return kept
}
