package schema

import (
	"slices"
	"strings"
)

// allOf judges by every form and tells what is wrong with any.
func (e *evaluator) allOf(forms, n *node, s *spot, m marks) bool {
	ok := true
	for i := range forms.Kids {
		if ok = e.schema(&forms.Kids[i], n, s, m) && ok; !ok && e.quiet {
			return false
		}
	}
	return ok
}

// choice judges by anyOf and oneOf.
func (e *evaluator) choice(forms, n *node, s *spot, m marks) bool {
	var fit []int
	for i := range forms.Kids {
		if e.silently(&forms.Kids[i], n, m) {
			fit = append(fit, i)
		}
		if len(fit) > 1 && forms.Name == "oneOf" {
			return e.say(s, "matches two of the allowed forms (%d and %d), want exactly one", fit[0]+1, fit[1]+1)
		}
		if len(fit) > 0 && forms.Name == "anyOf" && m == nil {
			return true
		}
	}
	if len(fit) == 0 && !e.quiet {
		e.noneFits(forms, n, s)
	}
	return len(fit) > 0
}

// condition judges by if, then and else.
func (e *evaluator) condition(k, sch, n *node, s *spot, m marks) bool {
	next := sch.Get("else")
	if e.silently(k, n, m) {
		next = sch.Get("then")
	}
	return next == nil || e.schema(next, n, s, m)
}

// noneFits explains a value that matches none of several forms: by the types they want, or by what
// is wrong with the one form that it was surely meant to have.
func (e *evaluator) noneFits(forms, n *node, s *spot) {
	var want []string
	var meant [][]problem
	for i := range forms.Kids {
		told := e.problems(&forms.Kids[i], n, s)
		if len(told) == 1 && told[0].want != nil && told[0].Path == s.path() {
			want = append(want, told[0].want...)
			continue
		}
		meant = append(meant, told)
	}
	switch {
	case len(meant) == 0:
		e.wrongType(want, n, s)
	case len(meant) == 1:
		for _, p := range meant[0] {
			e.tell(p)
		}
	default:
		e.say(s, "matches none of the %d allowed forms: %s", len(forms.Kids), summary(meant))
	}
}

// problems collects what is wrong with n by one form.
func (e *evaluator) problems(form, n *node, s *spot) []problem {
	found, more := e.found, e.more
	e.found = nil
	e.schema(form, n, s, nil)
	told := e.found
	e.found, e.more = found, more
	return told
}

// summary tells the first trouble of each form.
func summary(forms [][]problem) string {
	var parts []string
	for _, told := range forms {
		if len(told) == 0 {
			continue
		}
		first := slices.MinFunc(told, compareProblems)
		message := withKnown(first.Message, first.known)
		parts = append(parts, strings.TrimPrefix(shortPath(first.Path)+": "+message, ": "))
	}
	slices.Sort(parts)
	parts = slices.Compact(parts)
	const shown = 4 // forms told; more would bury the message
	if len(parts) > shown {
		parts = append(parts[:shown], "…")
	}
	return strings.Join(parts, " | ")
}
