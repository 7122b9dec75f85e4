package shell

import (
	"slices"
	"strconv"

	"mvdan.cc/sh/v3/syntax"
)

// maxBraces bounds the words that one word with braces becomes: {1..9}{1..9}{1..9} are 729 already. Beyond it the word
// counts as computed at run time.
const maxBraces = 64

// braces returns the words that {a,b} and {1..3} make of one word, or the word itself. ok is false where they are too
// many or not understood.
func braces(x *syntax.Word) (list []*syntax.Word, ok bool) {
	copied := *x
	if !syntax.SplitBraces(&copied) {
		return []*syntax.Word{x}, true
	}
	parts, ok := expandParts(copied.Parts)
	for _, p := range parts {
		list = append(list, &syntax.Word{Parts: p})
	}
	return list, ok
}

// expandParts returns every sequence of parts that the braces in them stand for.
func expandParts(parts []syntax.WordPart) ([][]syntax.WordPart, bool) {
	out := [][]syntax.WordPart{nil}
	for _, p := range parts {
		choices := [][]syntax.WordPart{{p}}
		b, isBrace := p.(*syntax.BraceExp)
		if isBrace {
			var ok bool
			choices, ok = expandBrace(b)
			if !ok {
				return nil, false
			}
		}
		if len(out)*len(choices) > maxBraces { // before anything is made
			return nil, false
		}
		var next [][]syntax.WordPart
		for _, head := range out {
			for _, c := range choices {
				next = append(next, append(slices.Clone(head), c...))
			}
		}
		out = next
	}
	return out, true
}

// expandBrace returns what one pair of braces stands for: its elements, in which there may be others, or a sequence.
func expandBrace(b *syntax.BraceExp) ([][]syntax.WordPart, bool) {
	if b.Sequence {
		return expandSequence(b)
	}
	var out [][]syntax.WordPart
	for _, e := range b.Elems {
		list, ok := expandParts(e.Parts)
		if !ok || len(out)+len(list) > maxBraces {
			return nil, false
		}
		out = append(out, list...)
	}
	return out, true
}

// expandSequence knows {1..9} and {a..f}; steps, signs and leading zeros are left to bash.
func expandSequence(b *syntax.BraceExp) ([][]syntax.WordPart, bool) {
	if len(b.Elems) != 2 {
		return nil, false
	}
	from, to := b.Elems[0].Lit(), b.Elems[1].Lit()
	first, isNumber := plainNumber(from)
	last, isNumber2 := plainNumber(to)
	text := strconv.Itoa
	switch {
	case letter(from) && letter(to):
		first, last = int(from[0]), int(to[0])
		text = func(n int) string { return string(rune(n)) }
	case !isNumber || !isNumber2:
		return nil, false
	}
	step := 1
	if last < first {
		step = -1
	}
	if (last-first)*step >= maxBraces {
		return nil, false
	}
	var out [][]syntax.WordPart
	for n := first; n != last+step; n += step {
		one := &syntax.Lit{ValuePos: b.Pos(), ValueEnd: b.End(), Value: text(n)}
		out = append(out, []syntax.WordPart{one})
	}
	return out, true
}

// plainNumber reads a number that is written as bash would write it: with a zero in front, bash pads the others too.
func plainNumber(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && strconv.Itoa(n) == s
}

// letter reports one small letter. A sequence from a large one to a small one has other characters between them.
func letter(s string) bool { return len(s) == 1 && s >= "a" && s <= "z" }
