package policy

import (
	"strings"

	"helve/tool"
)

// Lists decides whether a tool is offered at all.
func (r *Rules) Lists(s *tool.Spec) tool.Verdict { return r.of(s).listing }

// list is the listing's decision, with its steps if t is not nil.
func (r *Rules) list(u *subject, t *tracer) tool.Verdict {
	for i := range r.layers {
		if l := &r.layers[i]; len(l.allowed.all) > 0 {
			e := l.allowed.best(u)
			if e == nil {
				v := verdict(tool.Deny, "it is not among the allowed tools", "allowed_tools", l.allowed.all[0].at)
				v.Off = true
				return t.decides("allowed_tools", v)
			}
			t.step("allowed_tools", e.sel.text, "allow", e.at)
		}
	}
	if v, off := r.switchedOff(u, t); off {
		return v
	}
	if r.o.Mode.plans() && !r.plannable(u) {
		return t.decides("mode", r.planned("plan mode offers read-only tools only"))
	}
	v := verdict(tool.Allow, "it is offered", "", defaultAt)
	if e := r.preference(u); e != nil {
		v = verdict(tool.Allow, "it is switched on", e.rule("tools")+" = "+e.to.String(), e.at)
	}
	return t.decides("listing", v)
}

// plannable tells that a tool changes nothing, as far as its word counts: a server's does if it is trusted.
func (r *Rules) plannable(u *subject) bool { return u.spec.ReadOnly && u.trusted }

// switchedOff is disabled_tools and tools. Protected tools are beyond both.
func (r *Rules) switchedOff(u *subject, t *tracer) (tool.Verdict, bool) {
	off := func(what, reason string, e *entry) (tool.Verdict, bool) {
		if u.protected {
			t.step(what, e.sel.text, "kept: the tool is protected", e.at)
			return tool.Verdict{}, false
		}
		if e.sel.kind == 'c' {
			what, reason = e.sel.text, e.reason
		}
		v := verdict(tool.Deny, reason, e.rule(what), e.at)
		v.Off = true
		return t.decides(what, v), true
	}
	for i := range r.layers {
		if e := r.layers[i].disabled.best(u); e != nil {
			if v, ok := off("disabled_tools", "it is disabled", e); ok {
				return v, true
			}
		}
	}
	for i, e := range u.prefs {
		if e != nil && e.to == Off && (r.layers[i].tightens || e == r.preference(u)) {
			if v, ok := off("tools", "it is switched off", e); ok {
				return v, true
			}
		}
	}
	r.traceSwitches(u, t)
	return tool.Verdict{}, false
}

// preference is the switch that counts: that of the highest layer that has one and may give rights.
func (r *Rules) preference(u *subject) *entry {
	if i := r.preferring(u); i >= 0 {
		return u.prefs[i]
	}
	return nil
}

func (r *Rules) preferring(u *subject) int {
	for i, e := range u.prefs {
		if e != nil && !r.layers[i].tightens {
			return i
		}
	}
	return -1
}

// Judge decides about a job: the strictest of what its effects deserve.
func (r *Rules) Judge(j *tool.Job) tool.Verdict { return r.judge(j, nil) }

func (r *Rules) judge(j *tool.Job, t *tracer) tool.Verdict {
	u := r.of(j.Spec)
	if u.listing.Decision == tool.Deny {
		return t.decides("listing", u.listing)
	}
	var worst, lined tool.Verdict
	first := true
	consider := func(v tool.Verdict) {
		if first || weightier(v, worst) {
			worst, first = v, false
		}
	}
	effects := j.Judged()
	switch {
	case len(effects) > 0:
	case ours(u.spec): // rules on the whole tool hold for what it does without an effect, too
		effects = []tool.Effect{nothing}
	default: // that it does nothing is another's word
		effects = []tool.Effect{{Kind: u.spec.Kind, Target: tool.AnyTarget}}
	}
	for _, e := range effects {
		if e.Kind == tool.Exec && e.Target != tool.AnyTarget {
			v := r.line(u, e, j, t)
			if lined.Layer == "" || weightier(v, lined) {
				lined = v
			}
			consider(v)
		}
	}
	for _, e := range effects {
		if e.Kind != tool.Exec || e.Target == tool.AnyTarget {
			consider(r.effect(u, e, lined, t))
		}
	}
	return worst
}

// nothing is the effect of a job of ours that has none.
var nothing = tool.Effect{Kind: tool.State}

// weightier tells that v and not w is what a whole rests on: it is stricter, or as strict and only the mode allows it. That a part
// merely reads is no reason for such a whole, and what the mode allows speaks for nothing beside it.
func weightier(v, w tool.Verdict) bool {
	return v.Decision < w.Decision || v.Decision == w.Decision && v.Rule == autoRule && w.Rule != autoRule
}

// effect judges one effect. lined is the verdict on the command line that has it, zero if there is none.
func (r *Rules) effect(u *subject, e tool.Effect, lined tool.Verdict, t *tracer) tool.Verdict {
	t.about(e)
	p := newPlace(e.Target)
	if strings.HasPrefix(e.Target, tool.SpillScheme) { // the session's own
		p.absolute = false
	}
	if v, denied := r.floor(u, e, &p); denied {
		return t.decides("floor", v)
	}
	def := r.fallback(u, e, &p)
	if def.Decision == tool.Ask && lined.Layer != "" && spokenFor(e, lined) {
		def = verdict(tool.Allow, "the command line is judged as a whole", "", defaultAt)
	}
	if len(r.rules) == 0 {
		return t.decides("default", r.settle(u, spoken{}, def))
	}
	return t.decides("call", r.settle(u, r.speak(u, e, &p, nil, t), def))
}

// spokenFor tells that a command line's verdict covers an effect of it: the files that it names, and its hosts if somebody allowed the
// line. What only the mode allows speaks for nothing: the mode has its own word on each effect. Nothing speaks for what is not known:
// that is how a tool says that no sandbox holds the command.
func spokenFor(e tool.Effect, lined tool.Verdict) bool {
	if e.Target == tool.AnyTarget || lined.Decision == tool.Allow && lined.Rule == autoRule {
		return false
	}
	return e.Kind != tool.Net || lined.Decision == tool.Allow && lined.Rule != ""
}

// line judges a command line: each of its commands, the files that it names, and the whole if there is more to it than they.
func (r *Rules) line(u *subject, e tool.Effect, j *tool.Job, t *tracer) tool.Verdict {
	t.about(e)
	none := place{}
	if v, denied := r.floor(u, e, &none); denied {
		return t.decides("floor", v)
	}
	l := unanalysed(e.Target)
	if j.Line != nil && j.Line.Text == e.Target && ours(u.spec) { // another's word explains nothing
		l = *j.Line
	}
	if l.Decision == tool.Deny {
		return t.decides("floor", verdict(tool.Deny, l.Reason, "catastrophic", floorAt))
	}
	def := r.fallback(u, e, &none)
	if l.Decision == tool.Allow {
		def = verdict(tool.Allow, "it only reads", "", defaultAt)
	} else if l.Reason != "" && def.Decision == tool.Ask {
		def.Reason = l.Reason
	}
	worst := r.commands(u, e, &l, def, t)
	for _, m := range l.Mentions {
		if v := r.mention(u, m, t); weightier(v, worst) {
			worst = v
		}
	}
	return t.decides("call", worst)
}

// commands is the strictest verdict on the commands of a line; def is that on a command about which nobody says anything.
func (r *Rules) commands(u *subject, e tool.Effect, l *tool.CommandLine, def tool.Verdict, t *tracer) tool.Verdict {
	var worst tool.Verdict
	first := true
	if len(l.Commands) == 0 || !l.Whole && l.Decision != tool.Allow {
		worst, first = r.settle(u, r.rest(u, e), def), false
	}
	for i := range l.Commands {
		c := &l.Commands[i]
		own := def
		if c.ReadOnly {
			own = verdict(tool.Allow, "it only reads", "", defaultAt)
		}
		v := r.settle(u, r.speak(u, e, &place{}, c, t), own)
		if first || weightier(v, worst) {
			worst, first = v, false
		}
	}
	return worst
}

// rest is what the rules say to the part of a line that is none of its commands. What it does is not known, so that only a rule on the
// whole tool can allow it, and only if no stricter one may mean it.
func (r *Rules) rest(u *subject, e tool.Effect) spoken {
	s := r.speak(u, tool.Effect{Kind: e.Kind, Target: tool.AnyTarget}, &place{}, nil, nil)
	switch {
	case s.first == nil || s.first.decision != tool.Allow:
		return spoken{}
	case s.denied == nil && s.capped == nil:
		return s
	}
	return spoken{passed: s.first, why: "a stricter rule may mean a part of the line that is not known before it runs"}
}

// mention judges a file that a command line only names: it may be read by what the line runs.
func (r *Rules) mention(u *subject, target string, t *tracer) tool.Verdict {
	e, p := tool.Effect{Kind: tool.Read, Target: target}, newPlace(target)
	switch s := r.speak(u, e, &p, nil, t); {
	case s.denied != nil:
		return s.denied.verdict(tool.Deny)
	case s.capped != nil:
		return s.capped.verdict(tool.Ask)
	}
	return tool.Verdict{Decision: tool.Allow}
}
