package refactor

import (
	"bytes"
	"strings"

	"helve/engine/code/internal/meaning"
)

func lineStart(src []byte, at int) int { return bytes.LastIndexByte(src[:at], '\n') + 1 }

// lineEnd is behind the line break of the line at an offset.
func lineEnd(src []byte, at int) int {
	if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(src)
}

// emptyBefore reports whether the line before an offset, where a line begins, is empty.
func emptyBefore(src []byte, at int) bool {
	return at > 0 && len(bytes.TrimSpace(src[lineStart(src, at-1):at])) == 0
}

// emptyBetween counts the empty lines between two offsets.
func emptyBetween(src []byte, from, end int) int {
	part := src[from:max(from, end)]
	return bytes.Count(part, []byte("\n\n")) + bytes.Count(part, []byte("\n\r\n"))
}

// gap takes out whole lines, and one of two empty ones that would meet.
func gap(src []byte, from, end int) TextEdit {
	next := lineEnd(src, end)
	switch {
	case from > 0 && !emptyBefore(src, from):
	case end == len(src) && from > 0:
		from = lineStart(src, from-1)
	case len(bytes.TrimSpace(src[end:next])) == 0:
		end = next
	}
	return TextEdit{from, end, ""}
}

// modifiers are what may stand before a definition on its line and goes with it.
var modifiers = meaning.WordSet("export default declare abstract async const type public private protected static")

func onlyModifiers(head string) bool {
	for word := range strings.FieldsSeq(head) {
		if !modifiers[word] {
			return false
		}
	}
	return true
}

const blanks = " \t\r\n"

// nameBefore is the name that ends before an offset; what it has in brackets is passed over.
func nameBefore(src []byte, end int) string {
	text := bytes.TrimRight(src[max(0, end-maxUnion):end], blanks)
	for depth := 0; len(text) > 0; text = text[:len(text)-1] {
		switch text[len(text)-1] {
		case '>', ']', ')':
			depth++
		case '<', '[', '(':
			depth--
		default:
			if depth > 0 {
				continue
			}
			from := len(text)
			for from > 0 && meaning.IsNameByte(text[from-1]) {
				from--
			}
			return string(text[from:])
		}
		if depth < 0 {
			break
		}
	}
	return ""
}

// maxUnion bounds how far from a | its type is looked for, in bytes.
const maxUnion = 400

// nameBehind is the name behind an offset, the last of several with dots between.
func nameBehind(src []byte, from int) string {
	text := bytes.TrimLeft(src[from:min(len(src), from+maxUnion)], blanks)
	for {
		name := meaning.WordAt(text, 0)
		text = text[len(name):]
		if len(text) == 0 || text[0] != '.' || name == "" {
			return name
		}
		text = text[1:]
	}
}

// maxBack bounds how far back the bracket around a place is looked for, in bytes.
const maxBack = 64 << 10

// bracketAround is the offset of the bracket that is open at a place, or -1. Brackets in strings may mislead it.
func bracketAround(src []byte, at int) int {
	depth := 0
	for i := at - 1; i >= 0 && i > at-maxBack; i-- {
		switch src[i] {
		case '}', ')', ']':
			depth++
		case '{', '(', '[':
			if depth == 0 {
				return i
			}
			depth--
		}
	}
	return -1
}

// lineOf is the number of the line at an offset.
func lineOf(src []byte, at int) int { return 1 + bytes.Count(src[:at], []byte("\n")) }
