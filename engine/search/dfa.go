package search

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"sync/atomic"
	"unicode/utf8"
)

// dfa decides whether there is a match, a byte at a time, by building the states of a deterministic automaton as the
// text needs them. It is exact, but for assertions about words next to characters beyond ASCII: there it is unsure
// and the vm decides. It does not say where a match begins. One goroutine uses it at a time.
type dfa struct {
	p      *program
	next   []int32 // by state and byte: the next state's number times 256, or one of the codes below
	states []dfaState
	known  map[string]int32 // the number of a state, by what it consists of
	start  int32
	resets int
	fed    int  // bytes since the last reset
	tired  bool // the states come faster than they are used: leave it to the vm
	stop   *atomic.Bool

	// What building a state needs.
	set   []thread // of the state being built
	mark  []uint32 // by instruction: the generation that last added it
	gen   uint32   // a set is emptied by counting it up
	stack []uint32
	key   []byte
}

// dfaState is a set of threads, and what comes before them as far as assertions care. A state without assertions has no
// flags: two that differ in them only are the same.
type dfaState struct {
	threads []thread
	looks   bool // some wait for an assertion
	word    bool // the byte before is part of a word
	begins  bool // a line begins here
	text    bool // the text begins here
}

// thread is an instruction that waits for a character, in the upper half, and the bytes of it that have come, in the
// lower.
type thread uint64

const (
	stepUnknown int32 = -1 - iota
	stepMatch         // a match ends before this byte or with it
	stepUnsure        // the vm is to look at this line
)

const (
	// maxStates bounds the memory of one automaton to 4 MB. Almost all patterns need fewer than 100 states.
	maxStates = 4096
	// minUse is how many bytes a state must serve on average for building states to pay.
	minUse = 16
	// stretch is how many bytes are fed between two looks at stop: about half a millisecond.
	stretch = 256 << 10
)

// outcome of a search by the dfa.
type outcome uint8

const (
	noMatch outcome = iota
	matches
	unsure
)

func newDFA(p *program) *dfa {
	d := &dfa{p: p, mark: make([]uint32, len(p.inst))}
	d.reset()
	return d
}

// reset forgets all states and builds the first.
func (d *dfa) reset() {
	d.next = d.next[:0]
	d.states = d.states[:0]
	d.known = map[string]int32{}
	d.fed = 0
	d.set = d.set[:0]
	d.gen++
	d.start = stepMatch
	if !d.follow(d.p.start, 0) {
		d.start = d.intern(dfaState{begins: d.p.looks, text: d.p.looks})
	}
}

// everything reports whether the empty text matches everywhere.
func (d *dfa) everything() bool { return d.start == stepMatch }

// find looks for the first line at or after pos, which is where a line begins, that matches. The position returned
// lies in that line or on the line end after it.
func (d *dfa) find(b []byte, pos int) (int, outcome) {
	s := d.start
	for from := pos; from < len(b) || from == pos; from += stretch {
		if d.stop != nil && d.stop.Load() {
			break
		}
		to := min(len(b), from+stretch)
		at, n := d.run(s, b[:to], from)
		switch n {
		case stepMatch:
			return at, matches
		case stepUnsure:
			return at, unsure
		}
		s = n
	}
	return d.end(s, len(b))
}

// run feeds b from pos on and returns the state after it, or where a code came instead of one.
func (d *dfa) run(s int32, b []byte, pos int) (int, int32) {
	next := d.next
	for i := pos; i < len(b); i++ {
		n := next[s+int32(b[i])]
		if n < 0 {
			if n == stepUnknown {
				d.fed += i - pos
				pos = i
				n = d.step(s, b[i])
				next = d.next
			}
			if n < 0 {
				return i, n
			}
		}
		s = n
	}
	d.fed += len(b) - pos
	return len(b), s
}

// end decides about a text whose last line has no line end.
func (d *dfa) end(s int32, at int) (int, outcome) {
	if d.p.multi {
		if d.p.looks {
			return at, unsure
		}
		return at, noMatch
	}
	n := d.next[s+'\n']
	if n == stepUnknown {
		n = d.step(s, '\n')
	}
	switch n {
	case stepMatch:
		return at, matches
	case stepUnsure:
		return at, unsure
	}
	return at, noMatch
}

// step computes one transition and remembers it.
func (d *dfa) step(from int32, c byte) int32 {
	if d.tired || d.stop != nil && d.stop.Load() {
		return stepUnsure
	}
	if len(d.states) >= maxStates {
		d.resets++
		if d.fed < minUse*maxStates {
			d.tired = true
		}
		from = d.keep(from)
	}
	n := d.advance(from>>8, c)
	d.next[from+int32(c)] = n
	return n
}

// keep empties the cache but for one state.
func (d *dfa) keep(s int32) int32 {
	st := d.states[s>>8]
	d.reset()
	d.set = append(d.set[:0], st.threads...)
	return d.intern(st)
}

// advance computes the state that follows a state on c. First the assertions of the state are settled, which needs to
// know c; then every thread takes c; then a match may begin behind c. With a line's end, outside multi-line mode,
// everything begins anew.
func (d *dfa) advance(from int32, c byte) int32 {
	if d.tired || d.p.words && c >= utf8.RuneSelf {
		return stepUnsure
	}
	st := d.states[from]
	threads := st.threads
	if st.looks {
		var matched bool
		threads, matched = d.resolve(&st, c)
		if matched {
			return stepMatch
		}
	}
	if c == '\n' && !d.p.multi {
		return d.start
	}
	d.set = d.set[:0]
	d.gen++
	for _, t := range threads {
		if d.consume(t, c) {
			return stepMatch
		}
	}
	if d.follow(d.p.start, 0) {
		return stepMatch
	}
	return d.intern(dfaState{word: d.p.words && isWordByte(c), begins: d.p.looks && c == '\n'})
}

// resolve follows the assertions that hold between the state's text and c.
func (d *dfa) resolve(st *dfaState, c byte) ([]thread, bool) {
	before := noWord
	if st.word {
		before = inWord
	}
	flags := boundary(before, byteSide(c))
	if st.begins {
		flags |= syntax.EmptyBeginLine
	}
	if st.text || st.begins && !d.p.multi {
		flags |= syntax.EmptyBeginText
	}
	if c == '\n' {
		flags |= syntax.EmptyEndLine
		if !d.p.multi {
			flags |= syntax.EmptyEndText
		}
	}
	d.set = d.set[:0]
	d.gen++
	for _, t := range st.threads {
		if uint32(t) != 0 { // within a character there is no place for an assertion
			d.set = append(d.set, t)
			continue
		}
		if d.follow(uint32(t>>32), flags) {
			return nil, true
		}
	}
	return slices.Clone(d.set), false
}

// side is what there is on one side of a place in the text, as far as assertions about words care.
type side uint8

const (
	noWord side = iota // also where the text begins or ends
	inWord
	garbled // not UTF-8: \B and the half boundaries do not hold next to it, as in ripgrep
)

func byteSide(c byte) side {
	if isWordByte(c) {
		return inWord
	}
	return noWord
}

// boundary returns the assertions about words that hold between two characters.
func boundary(before, after side) syntax.EmptyOp {
	var flags syntax.EmptyOp
	switch {
	case (before == inWord) != (after == inWord):
		flags = syntax.EmptyWordBoundary
	case before != garbled && after != garbled:
		flags = syntax.EmptyNoWordBoundary
	}
	if before == noWord {
		flags |= emptyHalfStart
	}
	if after == noWord {
		flags |= emptyHalfEnd
	}
	return flags
}

// follow adds what can be reached from pc without a character. With no flags assertions wait; with flags those that
// do not hold end. It reports whether that reaches a match.
func (d *dfa) follow(pc uint32, flags syntax.EmptyOp) bool {
	d.stack = append(d.stack[:0], pc)
	for len(d.stack) > 0 {
		pc = d.stack[len(d.stack)-1]
		d.stack = d.stack[:len(d.stack)-1]
		if d.mark[pc] == d.gen {
			continue
		}
		d.mark[pc] = d.gen
		switch in := &d.p.inst[pc]; in.Op {
		case syntax.InstMatch:
			return true
		case syntax.InstAlt, syntax.InstAltMatch:
			d.stack = append(d.stack, in.Out, in.Arg)
		case syntax.InstCapture, syntax.InstNop:
			d.stack = append(d.stack, in.Out)
		case syntax.InstFail:
		case syntax.InstEmptyWidth:
			switch {
			case flags == 0:
				d.set = append(d.set, thread(pc)<<32)
			case syntax.EmptyOp(in.Arg)&^flags == 0:
				d.stack = append(d.stack, in.Out)
			}
		default:
			d.set = append(d.set, thread(pc)<<32)
		}
	}
	return false
}

// consume moves one thread over c and reports whether that is a match.
func (d *dfa) consume(t thread, c byte) bool {
	pc, came := uint32(t>>32), uint32(t)
	in := &d.p.inst[pc]
	if in.Op == syntax.InstEmptyWidth {
		return false
	}
	if c < utf8.RuneSelf {
		return came == 0 && accepts(in, rune(c)) && d.follow(in.Out, 0)
	}
	if !d.p.wide[pc] {
		return false
	}
	came = came<<8 | uint32(c)
	r, state := assemble(came)
	switch {
	case state == whole && (d.p.any[pc] || accepts(in, r)):
		return d.follow(in.Out, 0)
	case state == partial:
		if d.p.any[pc] {
			came = canonical(came)
		}
		d.set = append(d.set, thread(pc)<<32|thread(came))
	}
	return false
}

// intern returns the number of the state that consists of d.set.
func (d *dfa) intern(st dfaState) int32 {
	slices.Sort(d.set)
	d.set = slices.Compact(d.set)
	for _, t := range d.set {
		in := &d.p.inst[t>>32]
		st.looks = st.looks || in.Op == syntax.InstEmptyWidth
	}
	if !st.looks {
		st.word, st.begins, st.text = false, false, false
	}
	flags := flagByte(st.word) | flagByte(st.begins)<<1 | flagByte(st.text)<<2
	d.key = append(d.key[:0], flags)
	for _, t := range d.set {
		d.key = binary.LittleEndian.AppendUint64(d.key, uint64(t))
	}
	n, ok := d.known[string(d.key)]
	if ok {
		return n
	}
	n = int32(len(d.states)) << 8
	st.threads = slices.Clone(d.set)
	d.states = append(d.states, st)
	d.known[string(d.key)] = n
	for range 256 {
		d.next = append(d.next, stepUnknown)
	}
	return n
}

func flagByte(b bool) byte {
	if b {
		return 1
	}
	return 0
}
