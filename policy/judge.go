package policy

import (
	"path"
	"slices"
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
		v = verdict(tool.Allow, "it is switched on", "tools: "+e.sel.text+" = "+e.to.String(), e.at)
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
		v := verdict(tool.Deny, reason, what+": "+e.sel.text, e.at)
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
	worst := tool.Verdict{Decision: tool.Allow, Reason: "it does nothing that needs a word", Layer: "default"}
	lined := tool.Verdict{}
	first := true
	consider := func(v tool.Verdict) {
		if first || v.Decision < worst.Decision {
			worst, first = v, false
		}
	}
	effects := j.Judged()
	if len(effects) == 0 && !ours(u.spec) { // that it does nothing is another's word
		effects = []tool.Effect{{Kind: u.spec.Kind, Target: tool.AnyTarget}}
	}
	for _, e := range effects {
		if e.Kind == tool.Exec && e.Target != tool.AnyTarget {
			v := r.line(u, e, j, t)
			if lined.Layer == "" || v.Decision < lined.Decision {
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

// line judges a command line: each of its commands, and the whole if there is more to it than they.
func (r *Rules) line(u *subject, e tool.Effect, j *tool.Job, t *tracer) tool.Verdict {
	t.about(e)
	none := place{}
	if v, denied := r.floor(u, e, &none); denied {
		return t.decides("floor", v)
	}
	l := unanalysed(e.Target)
	if r.o.Commands != nil {
		l = r.o.Commands(e.Target, j)
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
	worst := def
	if len(l.Commands) == 0 || !l.Whole && l.Decision != tool.Allow {
		worst = r.settle(u, spoken{}, def)
	} else {
		worst.Decision = tool.Allow + 1 // above everything
	}
	for i := range l.Commands {
		c := &l.Commands[i]
		own := def
		if c.ReadOnly {
			own = verdict(tool.Allow, "it only reads", "", defaultAt)
		}
		if v := r.settle(u, r.speak(u, e, &none, c, t), own); v.Decision < worst.Decision {
			worst = v
		}
	}
	return t.decides("call", worst)
}

// spoken is what the rules say to one effect.
type spoken struct {
	denied *rule // the last word of some layer
	first  *rule // the last word, ask or allow, of the highest layer that has one and may give rights
	capped *rule // asked about at least
}

// speak finds what the rules say: to a command if c is not nil, else to the effect.
func (r *Rules) speak(u *subject, e tool.Effect, p *place, c *Command, t *tracer) spoken {
	if len(r.rules) == 0 {
		return spoken{}
	}
	var buf [64]int32
	found := r.candidates(buf[:0], e, p, c)
	hits := r.selection(u)
	var s spoken
	var mine, others *rule
	layer := -1
	for _, i := range found {
		k := &r.rules[i]
		hit := hits[i]
		if hit == never || hit == cross && !k.reaches.has(e.Kind) || !k.meets(e, p, c) {
			continue
		}
		t.step("rule", k.says(), "", k.at)
		if k.layer != layer {
			s.close(r, mine, others, e)
			mine, others, layer = nil, nil, k.layer
		}
		switch {
		case hit == own:
			mine = k
		case k.decision == tool.Allow: // takes back what the same layer said of others' targets
			others = nil
		default:
			others = k
		}
	}
	s.close(r, mine, others, e)
	return s
}

// close notes the last words of one layer. Layers come highest first.
func (s *spoken) close(r *Rules, mine, others *rule, e tool.Effect) {
	if others != nil {
		if others.decision == tool.Deny && e.Target != tool.AnyTarget {
			s.denied = cmpOr(s.denied, others)
		} else {
			s.capped = cmpOr(s.capped, others)
		}
	}
	switch {
	case mine == nil:
	case mine.decision == tool.Deny:
		s.denied = cmpOr(s.denied, mine)
	case !r.layers[mine.layer].tightens:
		s.first = cmpOr(s.first, mine)
	case mine.decision == tool.Ask:
		s.capped = cmpOr(s.capped, mine)
	}
}

func cmpOr(a, b *rule) *rule {
	if a != nil {
		return a
	}
	return b
}

// settle weighs rules, switches and what stands without them.
func (r *Rules) settle(u *subject, s spoken, def tool.Verdict) tool.Verdict {
	if s.denied != nil {
		return s.denied.verdict(tool.Deny)
	}
	v := r.given(u, s, def)
	if s.capped != nil && v.Decision > tool.Ask {
		v = s.capped.verdict(tool.Ask)
	}
	for i, e := range u.prefs {
		if e == nil || !r.layers[i].tightens {
			continue
		}
		if d, ok := e.to.decision(); ok && d < v.Decision {
			v = e.verdict(d)
		}
	}
	return v
}

// given is what the layers that may give rights say: a rule, unless a higher layer's switch has a word of its own.
func (r *Rules) given(u *subject, s spoken, def tool.Verdict) tool.Verdict {
	i := r.preferring(u)
	word, spoke := tool.Deny, false
	if i >= 0 {
		word, spoke = u.prefs[i].to.decision()
	}
	switch {
	case s.first != nil && (!spoke || s.first.layer <= i):
		if def.Decision == tool.Deny && s.first.decision == tool.Ask && !s.first.glob.absolute {
			return def // a question does not open what is closed by default
		}
		return s.first.verdict(s.first.decision)
	case !spoke, word != tool.Deny && def.Decision == tool.Deny:
		return def
	}
	return u.prefs[i].verdict(word)
}

// decision is what a setting says about calls; false if it only says that the tool is there.
func (s Setting) decision() (tool.Decision, bool) {
	switch s {
	case Off, Denied:
		return tool.Deny, true
	case Asked:
		return tool.Ask, true
	case Allowed:
		return tool.Allow, true
	}
	return tool.Deny, false
}

func (e *entry) verdict(d tool.Decision) tool.Verdict {
	return verdict(d, reasons[d], "tools: "+e.sel.text+" = "+e.to.String(), e.at)
}

func (c *rule) verdict(d tool.Decision) tool.Verdict { return verdict(d, reasons[d], c.says(), c.at) }

func (c *rule) says() string { return c.decision.String() + " " + c.text }

var reasons = map[tool.Decision]string{
	tool.Deny:  "the configuration denies it",
	tool.Ask:   "the configuration asks about it",
	tool.Allow: "the configuration allows it",
}

// meets tells whether the pattern has the effect, or the command, in it.
func (c *rule) meets(e tool.Effect, p *place, cmd *Command) bool {
	switch {
	case !c.about.has(e.Kind):
		return false
	case e.Target == tool.AnyTarget:
		return c.decision != tool.Allow // unknown: denied and asked about, never allowed
	case cmd != nil && c.decision == tool.Allow:
		return c.all && cmd.Static && !cmd.Wrapped || !c.all && c.words.allows(cmd)
	case cmd != nil:
		return c.all || c.words.meets(cmd)
	case c.all:
		return c.decision != tool.Allow || !outside(p)
	case e.Kind == tool.Net:
		return matchesHost(c.host, cleanHost(e.Target))
	}
	return c.glob.matches(p)
}

// candidates are the rules that may have the target in them, in their order.
func (r *Rules) candidates(out []int32, e tool.Effect, p *place, c *Command) []int32 {
	x := &r.index
	switch {
	case e.Target == tool.AnyTarget, c != nil && c.Program == "":
		for i := range r.rules {
			out = append(out, int32(i))
		}
		return out
	case c != nil:
		out = append(out, x.words...)
		out = append(out, x.programs[c.Program]...)
		if len(c.Words) > 0 && path.Base(c.Words[0]) != c.Program {
			out = append(out, x.programs[path.Base(c.Words[0])]...)
		}
	case e.Kind == tool.Net:
		host := cleanHost(e.Target)
		out = append(out, x.hosts...)
		bare, _, _ := strings.Cut(host, ":")
		out = append(out, x.byHost[strings.TrimSuffix(bare, ".")]...)
	default:
		out = append(out, x.globs...)
		for s := range strings.SplitSeq(p.folded, "/") {
			out = append(out, x.segments[s]...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
