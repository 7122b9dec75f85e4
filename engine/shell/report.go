package shell

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A report is what an analysis has found so far, and where in the text it is.
type report struct {
	a      Analysis
	grants []string // of the commands that are not read-only

	depth int         // scripts inside scripts
	outer *syntax.Pos // of the word that holds the script, for a script inside another

	// What has a line do more than look, whatever its commands are.
	unclear   bool // a person may read the text otherwise than bash
	assigns   bool // it has an assignment without a command
	evaluates bool // it has bash evaluate values in which commands may stand
	steers    bool // it sets a variable that programs obey
}

// raise moves the verdict: from ReadOnly to Ask, from anything to Catastrophic. The first cause gives the reason.
func (r *report) raise(v Verdict, line, col int, reason string) {
	if r.a.Verdict == Catastrophic || r.a.Verdict == Ask && v != Catastrophic {
		return
	}
	r.a.Verdict = v
	r.a.Reason = reason
	r.a.Line, r.a.Col = line, col
}

// ask is for what is around commands: no pattern covers it, so it cannot be remembered.
func (r *report) ask(pos syntax.Pos, format string, args ...any) {
	r.a.barred = true
	line, col := r.place(pos)
	r.raise(Ask, line, col, fmt.Sprintf(format, args...))
}

// catastrophe is for what no answer of a person may allow.
func (r *report) catastrophe(pos syntax.Pos, format string, args ...any) {
	line, col := r.place(pos)
	r.raise(Catastrophic, line, col, fmt.Sprintf(format, args...))
}

// fail notes a text that is not judged. Of a text inside the command, only that it is no bash counts as an error of the
// analysis: what is too long there is asked about like anything else.
func (r *report) fail(err error) {
	line, col := 1, 1
	if r.outer != nil {
		line, col = int(r.outer.Line()), int(r.outer.Col())
	}
	r.raise(Ask, line, col, strings.TrimPrefix(err.Error(), "shell: "))
	r.a.barred = true
	if r.a.Err == nil && (r.depth == 0 || isSyntax(err)) {
		r.a.Err = err
	}
}

// doubt notes that bash may read the text in another way than it was read here. It is judged all the same.
func (r *report) doubt(why string) {
	if r.a.Err == nil {
		r.a.Err = fmt.Errorf("%w: %s", ErrSyntax, why)
	}
}

// place is where a person finds the cause: in a script inside another, the word that holds it.
func (r *report) place(pos syntax.Pos) (line, col int) {
	if r.outer != nil {
		pos = *r.outer
	}
	return int(pos.Line()), int(pos.Col())
}

// effect notes what a command does, as far as it is seen; result removes what is there twice.
func (r *report) effect(kind EffectKind, target string) {
	r.a.Effects = append(r.a.Effects, Effect{kind, target})
}

// result is the analysis in the form that callers get: effects sorted, and the pattern that may be remembered.
func (r *report) result() Analysis {
	sort.SliceStable(r.a.Effects, func(i, j int) bool { return compareEffects(r.a.Effects[i], r.a.Effects[j]) < 0 })
	r.a.Effects = slices.Compact(r.a.Effects)
	if r.a.Verdict == Ask && !r.a.barred && r.a.Err == nil {
		r.a.Grant = oneGrant(r.grants)
	}
	return r.a
}

// oneGrant returns the pattern of all commands that ask, if they share one.
func oneGrant(grants []string) string {
	if len(grants) == 0 {
		return ""
	}
	for _, g := range grants {
		if g != grants[0] {
			return ""
		}
	}
	return grants[0]
}

// compareEffects orders effects, so that one command line has one list.
func compareEffects(a, b Effect) int {
	rank := func(e Effect) int { return slices.Index(effectOrder, e.Kind) }
	return cmp.Or(
		cmp.Compare(rank(a), rank(b)),
		strings.Compare(a.Target, b.Target),
	)
}

// isSyntax reports a text that bash may read in another way.
func isSyntax(err error) bool { return errors.Is(err, ErrSyntax) }

// effectOrder is from harmless to far-reaching.
var effectOrder = []EffectKind{Read, Write, Exec, Net}
