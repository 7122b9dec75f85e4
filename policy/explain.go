package policy

import (
	"slices"
	"strings"

	"helve/tool"
)

// A Step is one thing that had a say in a decision.
type Step struct {
	About   tool.Effect // what was judged; zero for the listing
	What    string      // allowed_tools, disabled_tools, tools, rule, mode, floor, default, listing, call, answers
	Text    string      // the rule, the switch, the reason
	Says    string      // what it says: a word
	At      Place
	Decides bool
}

// An Explanation is a verdict with the chain that led to it. Steps stand in the order in which they were looked at,
// highest layer first; those that decide close their part.
type Explanation struct {
	Verdict tool.Verdict
	Steps   []Step
}

// ExplainListing is Lists with its steps, by the same code.
func (r *Rules) ExplainListing(s *tool.Spec) Explanation {
	t := &tracer{}
	v := r.list(r.of(s), t)
	return Explanation{Verdict: v, Steps: t.steps}
}

// ExplainCall is Judge with its steps, by the same code.
func (r *Rules) ExplainCall(j *tool.Job) Explanation {
	t := &tracer{}
	r.traceSwitches(r.of(j.Spec), t)
	v := r.judge(j, t)
	t.answers(v)
	return Explanation{Verdict: v, Steps: t.steps}
}

// A tracer notes steps. A nil one does not.
type tracer struct {
	steps  []Step
	effect tool.Effect
	asks   []Becoming // ways of asking that had a say
}

// len is how many steps there are.
func (t *tracer) len() int {
	if t == nil {
		return 0
	}
	return len(t.steps)
}

// forget drops the steps behind the first n: another judgement counts.
func (t *tracer) forget(n int) {
	if t != nil {
		t.steps, t.asks = t.steps[:n], nil
	}
}

func (t *tracer) about(e tool.Effect) {
	if t != nil {
		t.effect = e
	}
}

func (t *tracer) step(what, text, says string, at Place) {
	if t == nil {
		return
	}
	t.add(Step{What: what, Text: text, Says: says, At: at})
}

func (t *tracer) add(s Step) {
	said := func(o Step) bool { // a line names a file, and its effect is to read it: that is one thing to a reader
		o.About = s.About
		return o == s
	}
	if slices.ContainsFunc(t.steps, said) {
		return
	}
	s.About = t.effect
	t.steps = append(t.steps, s)
}

// decides notes a verdict and returns it.
func (t *tracer) decides(what string, v tool.Verdict) tool.Verdict {
	if t == nil {
		return v
	}
	text := v.Reason
	if v.Rule != "" {
		text = v.Rule + ": " + v.Reason
	}
	t.add(Step{
		What:    what,
		Text:    text,
		Says:    v.Decision.String(),
		At:      Place{Layer: v.Layer, File: v.File, Line: v.Line},
		Decides: true,
	})
	return v
}

// traceSwitches notes every layer's switch, the one that counts and those that it hides.
func (r *Rules) traceSwitches(u *subject, t *tracer) {
	if t == nil {
		return
	}
	for _, e := range u.prefs {
		if e != nil {
			t.step("tools", e.sel.text, e.to.String(), e.at)
		}
	}
}

// row notes a row of the table.
func (t *tracer) row(text string, b Becoming, at Place) {
	t.step("mode", text, b.String(), at)
	t.becomes(b)
}

// becomes notes a way of asking.
func (t *tracer) becomes(b Becoming) {
	if t != nil && len(b.Answers()) > 0 && !slices.Contains(t.asks, b) {
		t.asks = append(t.asks, b)
	}
}

// answers notes who may say yes, if anybody is asked.
func (t *tracer) answers(v tool.Verdict) {
	if v.Decision == tool.Deny {
		return
	}
	if v.Decision == tool.Ask && !v.IfChanged {
		t.becomes(AsksBefore)
	}
	t.effect = tool.Effect{}
	for _, b := range t.asks {
		who := b.Answers()
		if b == AsksBeforeKept && v.Deferred {
			who = append(who, AsksBefore.Answers()[1:3]...)
		}
		t.step("answers", b.String()+": "+strings.Join(who, "; "), "", Place{})
	}
}
