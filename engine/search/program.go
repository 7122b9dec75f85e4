package search

import (
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// program is a compiled pattern with what the two matchers, dfa and vm, want to know about it.
type program struct {
	inst  []syntax.Inst
	start uint32
	looks bool   // it has assertions
	words bool   // among them, about words
	multi bool   // lines do not end a match
	wide  []bool // by instruction: a byte beyond ASCII may begin a match of it
	any   []bool // by instruction: every character beyond ASCII does
}

// Two assertions beyond syntax.EmptyOp: no word character before, none after. Together they are ripgrep's -w, which
// differs from \b where the pattern begins or ends with something that is no word character.
const (
	emptyHalfStart syntax.EmptyOp = 1 << 6
	emptyHalfEnd   syntax.EmptyOp = 1 << 7

	emptyWords = syntax.EmptyWordBoundary | syntax.EmptyNoWordBoundary | emptyHalfStart | emptyHalfEnd
)

// compile turns the patterns' tree into a program. One that is too large is refused: its time is its size times the
// text's.
func compile(re *syntax.Regexp, q *Query) (*program, error) {
	compiled, err := syntax.Compile(re)
	if err != nil {
		return nil, explain(q.Patterns[0], err)
	}
	p := &program{inst: compiled.Inst, start: uint32(compiled.Start), multi: q.Multiline}
	if len(p.inst) > maxProgram {
		return nil, &PatternError{
			Pattern: q.Patterns[0],
			Offset:  -1,
			Reason:  "too large when its repeats are unrolled",
			Hint:    "use * or + instead of counted repeats",
		}
	}
	if q.Word && !q.WholeLine {
		p.asWord()
	}
	p.wide = make([]bool, len(p.inst))
	p.any = make([]bool, len(p.inst))
	for i := range p.inst {
		in := &p.inst[i]
		if in.Op == syntax.InstEmptyWidth {
			p.looks = true
			p.words = p.words || syntax.EmptyOp(in.Arg)&emptyWords != 0
		}
		p.wide[i], p.any[i] = reachesBeyondASCII(in)
	}
	return p, nil
}

// asWord puts the program between the two half boundaries.
func (p *program) asWord() {
	match := uint32(len(p.inst))
	p.inst = append(slices.Clone(p.inst),
		syntax.Inst{Op: syntax.InstMatch},
		lookFor(emptyHalfStart, p.start))
	for i := range p.inst[:match] {
		if p.inst[i].Op == syntax.InstMatch {
			p.inst[i] = lookFor(emptyHalfEnd, match)
		}
	}
	p.start = match + 1
}

// lookFor is an instruction that goes on where an assertion holds.
func lookFor(what syntax.EmptyOp, next uint32) syntax.Inst {
	return syntax.Inst{Op: syntax.InstEmptyWidth, Arg: uint32(what), Out: next}
}

// reachesBeyondASCII reports whether an instruction consumes some characters beyond ASCII, and whether all of them. Of
// ranges, which come in pairs and in order, the last says both.
func reachesBeyondASCII(in *syntax.Inst) (wide, all bool) {
	switch in.Op {
	case syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		return true, true
	case syntax.InstRune1:
		return in.Rune[0] >= utf8.RuneSelf, false
	case syntax.InstRune:
		if len(in.Rune) == 1 {
			return in.Rune[0] >= utf8.RuneSelf || foldsBeyondASCII(in.Rune[0]), false
		}
		n := len(in.Rune)
		if n == 0 {
			return false, false
		}
		first, last := in.Rune[n-2], in.Rune[n-1]
		return last >= utf8.RuneSelf, first <= utf8.RuneSelf && last == unicode.MaxRune
	}
	return false, false
}

// accepts reports whether an instruction that consumes a character consumes r.
func accepts(in *syntax.Inst, r rune) bool {
	switch in.Op {
	case syntax.InstRuneAny:
		return true
	case syntax.InstRuneAnyNotNL:
		return r != '\n'
	case syntax.InstRune1:
		return r == in.Rune[0]
	}
	return in.MatchRune(r)
}

// decode returns the character at the start of b. One that is not UTF-8 is -1, which nothing accepts, as in ripgrep.
func decode(b []byte) (rune, int) {
	if b[0] < utf8.RuneSelf {
		return rune(b[0]), 1
	}
	r, n := utf8.DecodeRune(b)
	if r == utf8.RuneError && n == 1 {
		return -1, 1
	}
	return r, n
}
