package search

import (
	"regexp/syntax"
	"sync/atomic"
	"unicode/utf8"
)

// vm finds where the first match begins and ends, with the preference for earlier alternatives that Perl has. It runs
// all alternatives at once, so its time is at most the program's size times the text's length. One goroutine uses it
// at a time.
type vm struct {
	p        *program
	now, new queue
	stack    []uint32
	stop     *atomic.Bool
}

// stopEvery is how many characters are looked at between two looks at stop: some tenths of a millisecond.
const stopEvery = 1 << 10

// queue is a set of instructions in order of preference, each with the place where its match began.
//
// It is a sparse set: sparse says where in dense an instruction would be, and what it says is believed only if that
// instruction is there. So emptying it is setting a length.
type queue struct {
	sparse []uint32
	dense  []vmThread
}

type vmThread struct {
	pc    uint32
	start int
}

func newVM(p *program) *vm {
	n := len(p.inst)
	return &vm{p: p, now: newQueue(n), new: newQueue(n)}
}

// newQueue makes an empty set with room for all instructions of a program.
func newQueue(n int) queue {
	return queue{sparse: make([]uint32, n), dense: make([]vmThread, 0, n)}
}

func (q *queue) has(pc uint32) bool {
	i := q.sparse[pc]
	return int(i) < len(q.dense) && q.dense[i].pc == pc
}

func (q *queue) add(pc uint32, start int) {
	q.sparse[pc] = uint32(len(q.dense))
	q.dense = append(q.dense, vmThread{pc, start})
}

// find returns the bounds of the first match that begins at pos or later; start is -1 if there is none.
func (v *vm) find(b []byte, pos int) (start, end int) {
	start, end = -1, -1
	v.now.dense = v.now.dense[:0]
	for i, n := pos, 1; ; {
		if i%stopEvery < n && v.stop != nil && v.stop.Load() {
			return -1, -1
		}
		if len(v.now.dense) == 0 && start >= 0 {
			return start, end
		}
		flags := v.flags(b, i)
		if start < 0 {
			v.follow(&v.now, v.p.start, i, flags)
		}
		r := rune(-1) // behind the text: nothing accepts it
		n = 1
		if i < len(b) {
			r, n = decode(b[i:])
		}
		v.new.dense = v.new.dense[:0]
		after := v.flags(b, min(i+n, len(b)))
		for _, t := range v.now.dense {
			in := &v.p.inst[t.pc]
			if in.Op == syntax.InstMatch { // the threads behind it are less preferred
				start, end = t.start, i
				break
			}
			if r >= 0 && accepts(in, r) {
				v.follow(&v.new, in.Out, t.start, after)
			}
		}
		if i >= len(b) {
			return start, end
		}
		v.now, v.new = v.new, v.now
		i += n
	}
}

// follow adds what can be reached without a character, the preferred first.
func (v *vm) follow(q *queue, pc uint32, start int, flags syntax.EmptyOp) {
	v.stack = append(v.stack[:0], pc)
	for len(v.stack) > 0 {
		pc = v.stack[len(v.stack)-1]
		v.stack = v.stack[:len(v.stack)-1]
		if q.has(pc) {
			continue
		}
		q.add(pc, start)
		switch in := &v.p.inst[pc]; in.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			v.stack = append(v.stack, in.Arg, in.Out)
		case syntax.InstCapture, syntax.InstNop:
			v.stack = append(v.stack, in.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(in.Arg)&^flags == 0 {
				v.stack = append(v.stack, in.Out)
			}
		}
	}
}

// flags returns the assertions that hold at i.
func (v *vm) flags(b []byte, i int) syntax.EmptyOp {
	if !v.p.looks {
		return 0
	}
	var f syntax.EmptyOp
	switch {
	case i == 0:
		f |= syntax.EmptyBeginText | syntax.EmptyBeginLine
	case b[i-1] == '\n':
		f |= syntax.EmptyBeginLine
	}
	switch {
	case i == len(b):
		f |= syntax.EmptyEndText | syntax.EmptyEndLine
	case b[i] == '\n':
		f |= syntax.EmptyEndLine
	}
	if v.p.words {
		f |= boundary(wordBefore(b, i), wordAfter(b, i))
	}
	return f
}

// wordBefore and wordAfter look at the characters on both sides of i.
func wordBefore(b []byte, i int) side {
	if i == 0 {
		return noWord
	}
	if b[i-1] < utf8.RuneSelf {
		return byteSide(b[i-1])
	}
	r, n := utf8.DecodeLastRune(b[:i])
	if r == utf8.RuneError && n == 1 {
		return garbled
	}
	return runeSide(r)
}

func wordAfter(b []byte, i int) side {
	if i == len(b) {
		return noWord
	}
	r, _ := decode(b[i:])
	if r < 0 {
		return garbled
	}
	return runeSide(r)
}

func runeSide(r rune) side {
	if isWord(r) {
		return inWord
	}
	return noWord
}
