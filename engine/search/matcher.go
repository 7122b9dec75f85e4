package search

import (
	"bytes"
	"regexp/syntax"
	"slices"
	"sync/atomic"
)

// matcher is a query's patterns, compiled and planned. It is immutable and shared; every worker has a machine of its
// own.
type matcher struct {
	prog       *program
	lits       literals   // what the finder looks for
	all        []literals // a match holds one of each of these
	finder     *finder    // nil: no literal to look for
	literal    bool       // a hit of the finder is a match
	everything bool       // every line matches
}

// machine is a matcher with the memory that one goroutine needs to use it.
type machine struct {
	m     *matcher
	dfa   *dfa
	vm    *vm
	state finderState
	fresh bool         // nothing has been looked for in this text
	stop  *atomic.Bool // set when the search is to end; what is found after that is of no interest
}

// newMatcher compiles a query's patterns, and looks for literals that every match holds.
func newMatcher(q *Query) (*matcher, error) {
	re, err := parsePatterns(q)
	if err != nil {
		return nil, err
	}
	re = re.Simplify()
	prog, err := compile(re, q)
	if err != nil {
		return nil, err
	}
	m := &matcher{prog: prog, everything: newDFA(prog).everything()}
	m.lits, m.all = required(re)
	if m.lits.usable() && !m.everything {
		m.finder = newFinder(m.lits)
		m.literal = !q.Word && !q.WholeLine && isLiteral(re, m.lits)
	}
	return m, nil
}

// isLiteral reports whether finding one of lits is the same as matching re.
func isLiteral(re *syntax.Regexp, lits literals) bool {
	all := exact(re)
	same := slices.Equal(all.set, lits.set) && all.fold == lits.fold
	return same && onlyText(re, lits.fold)
}

// onlyText reports whether re is made of nothing but text, all of it with or all without regard to case.
func onlyText(re *syntax.Regexp, fold bool) bool {
	switch re.Op {
	case syntax.OpLiteral:
		return !fold || re.Flags&syntax.FoldCase != 0
	case syntax.OpCharClass:
		return !fold
	case syntax.OpCapture, syntax.OpConcat, syntax.OpAlternate, syntax.OpQuest, syntax.OpEmptyMatch:
		for _, sub := range re.Sub {
			if !onlyText(sub, fold) {
				return false
			}
		}
		return true
	}
	return false
}

func (m *matcher) machine(stop *atomic.Bool) *machine { return &machine{m: m, stop: stop} }

// lazyDFA and lazyVM are made when they are first needed: many searches for text need neither.
func (x *machine) lazyDFA() *dfa {
	if x.dfa == nil {
		x.dfa = newDFA(x.m.prog)
		x.dfa.stop = x.stop
	}
	return x.dfa
}

func (x *machine) lazyVM() *vm {
	if x.vm == nil {
		x.vm = newVM(x.m.prog)
		x.vm.stop = x.stop
	}
	return x.vm
}

// begin prepares for a new text.
func (x *machine) begin() {
	x.fresh = true
	if x.m.finder != nil {
		x.m.finder.begin(&x.state)
	}
}

// next returns the bounds of the first line at or after pos, which is where a line begins, that matches; start is -1 if
// there is none. The end excludes the line end. Call begin before the first next in a text.
func (x *machine) next(b []byte, pos int) (start, end int) {
	for pos < len(b) && !x.stop.Load() {
		at, sure := x.candidate(b, pos)
		if at < 0 {
			break
		}
		start = bytes.LastIndexByte(b[pos:at], '\n') + 1 + pos
		end = lineEnd(b, at)
		if sure || x.verify(b[start:end]) {
			return start, end
		}
		pos = end + 1
	}
	return -1, -1
}

// candidate returns a place in, or at the end of, the next line that may match, and whether it does.
func (x *machine) candidate(b []byte, pos int) (at int, sure bool) {
	switch {
	case x.m.everything:
		return pos, true
	case x.m.finder != nil:
		return x.m.finder.find(&x.state, b, pos), x.m.literal
	}
	d := x.lazyDFA()
	if x.fresh {
		x.fresh = false
		if d.nothing(b[pos:]) {
			return -1, false
		}
	}
	at, found := d.find(b, pos)
	if found == noMatch {
		return -1, false
	}
	return at, found == matches
}

// verify decides about one line.
func (x *machine) verify(line []byte) bool {
	_, found := x.lazyDFA().find(line, 0)
	if found == unsure {
		start, _ := x.lazyVM().find(line, 0)
		return start >= 0
	}
	return found == matches
}

// span returns the first match in a line known to match.
func (x *machine) span(line []byte) (start, end int) {
	return x.lazyVM().find(line, 0)
}

// lineEnd is where the line that at lies in ends.
func lineEnd(b []byte, at int) int {
	i := bytes.IndexByte(b[at:], '\n')
	if i < 0 {
		return len(b)
	}
	return at + i
}
