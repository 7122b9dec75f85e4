package refactor

import (
	"bytes"
	"strings"

	"helve/engine/code/internal/store"
)

// This file finds the lines of a definition, with the comment above them.

// wholeLines are those of a definition, with the comment right above them.
func (p *subject) wholeLines(y store.DefID, src []byte) (from, end int, err error) {
	d := p.r.Def(y)
	from, end = lineStart(src, int(d.Start)), int(d.End)
	if p.lang.grouped(d.Kind) {
		return 0, 0, byHand("%s is declared together with others, or may be", p.id())
	}
	head := strings.TrimSpace(string(src[from:d.Start]))
	if onlyModifiers(head) {
		head = ""
	}
	rest := end
	for rest < len(src) && (src[rest] == ' ' || src[rest] == '\t' || src[rest] == ';' || src[rest] == ',') {
		rest++
	}
	if bytes.HasPrefix(src[rest:], []byte("`")) { // the tag of a field
		if i := bytes.IndexByte(src[rest+1:], '`'); i >= 0 {
			rest += i + 2
		}
	}
	if bytes.HasPrefix(src[rest:], []byte("//")) || bytes.HasPrefix(src[rest:], []byte(p.lang.comment())) {
		rest += max(bytes.IndexByte(src[rest:], '\n'), 0)
	}
	line := bytes.TrimRight(src[rest:lineEnd(src, rest)], "\r\n\t ")
	if head != "" || len(line) > 0 {
		return 0, 0, byHand("%s shares its line with something else", p.id())
	}
	return p.commentAbove(src, from), lineEnd(src, rest), nil
}

// commentAbove is where the lines of comment right above a line begin.
func (p *subject) commentAbove(src []byte, from int) int {
	mark := []byte(p.lang.comment())
	for from > 0 {
		above := lineStart(src, from-1)
		line := bytes.TrimSpace(src[above:from])
		switch {
		case bytes.HasPrefix(line, mark) && !bytes.HasPrefix(line, []byte("//go:build")) && !bytes.HasPrefix(line, []byte("#!")):
			from = above
		case bytes.HasSuffix(line, []byte("*/")) && p.lang.comment() == "//":
			open := bytes.LastIndex(src[:from], []byte("/*"))
			if open < 0 || len(bytes.TrimSpace(src[lineStart(src, open):open])) > 0 {
				return from
			}
			from = lineStart(src, open)
		default:
			return from
		}
	}
	return from
}
