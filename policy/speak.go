package policy

import (
	"path"
	"slices"
	"strings"

	"helve/tool"
)

// spoken is what the rules say to one effect.
type spoken struct {
	denied *rule // the last word of some layer
	first  *rule // the last word, ask or allow, of the highest layer that has one and may give rights
	capped *rule // asked about at least

	passed *rule  // a rule that allows and is about this, and does not count
	why    string // it does not
}

// pass notes the first rule that was seen and does not count.
func (s *spoken) pass(c *rule, why string) {
	if s.passed == nil {
		s.passed, s.why = c, why
	}
}

// speak finds what the rules say: to a command if c is not nil, else to the effect.
func (r *Rules) speak(u *subject, e tool.Effect, p *place, c *tool.SimpleCommand, t *tracer) spoken {
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
		if hit == never || hit == cross && !k.reaches.has(e.Kind) {
			continue
		}
		if !k.meets(u.spec, e, p, c) {
			if why := k.passes(hit, e, p, c); why != "" {
				s.pass(k, why)
				t.step("rule", k.says(), "does not count: "+why, k.at)
			}
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
	default:
		s.pass(mine, "its layer may only take rights away")
	}
}

func cmpOr(a, b *rule) *rule {
	if a != nil {
		return a
	}
	return b
}

// settle weighs rules, switches and what stands without them. Where no rule counted and one was seen, the reason says so.
func (r *Rules) settle(u *subject, s spoken, def tool.Verdict) tool.Verdict {
	v := r.weigh(u, s, def)
	if s.passed != nil && v.Decision != tool.Allow && s.denied == nil && s.first == nil && s.capped == nil {
		at := s.passed.at.String()
		if at != "" {
			at = " (" + at + ")"
		}
		v.Reason += "; the rule " + s.passed.says() + at + " does not count here: " + s.why
	}
	return v
}

func (r *Rules) weigh(u *subject, s spoken, def tool.Verdict) tool.Verdict {
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
	return verdict(d, reasons[d], e.rule("tools")+" = "+e.to.String(), e.at)
}

func (c *rule) verdict(d tool.Decision) tool.Verdict { return verdict(d, reasons[d], c.says(), c.at) }

func (c *rule) says() string { return c.decision.String() + " " + c.text }

var reasons = map[tool.Decision]string{
	tool.Deny:  "the configuration denies it",
	tool.Ask:   "the configuration asks for approval",
	tool.Allow: "the configuration allows it",
}

// meets tells whether the pattern has the effect, or the command, in it. s is whose effect it is; nil: nobody's in particular.
func (c *rule) meets(s *tool.Spec, e tool.Effect, p *place, cmd *tool.SimpleCommand) bool {
	switch {
	case !c.about.has(e.Kind):
		return false
	case c.whole && c.decision == tool.Allow && s != nil && ours(s):
		return cmd != nil || !leaves(e, p) || !staysInside(s)
	case e.Target == tool.AnyTarget:
		return c.decision != tool.Allow // unknown: denied and asked about, never allowed
	case cmd != nil && c.decision == tool.Allow:
		return c.all && cmd.Static && !cmd.Wrapped || !c.all && c.words.allows(cmd)
	case cmd != nil:
		return c.all || c.words.meets(cmd)
	case c.all:
		return c.decision != tool.Allow || !leaves(e, p)
	case e.Kind == tool.Net:
		return matchesHost(c.host, cleanHost(e.Target))
	}
	return c.glob.matches(p)
}

// leaves tells that the effect is on a path outside the workspace.
func leaves(e tool.Effect, p *place) bool { return paths.has(e.Kind) && outside(p) }

// staysInside tells that a tool of ours works inside the workspace alone, as long as no rule names a place outside.
func staysInside(s *tool.Spec) bool { return s.Origin.Kind == tool.Builtin && s.Kind != tool.Exec }

// passes tells why a rule that allows does not count, although it names the tool and is about what the call does; "" for all others.
func (c *rule) passes(hit reach, e tool.Effect, p *place, cmd *tool.SimpleCommand) string {
	switch {
	case hit != own || c.decision != tool.Allow || !c.about.has(e.Kind):
		return ""
	case e.Target == tool.AnyTarget:
		return "what the call will do is not known before it runs"
	case cmd != nil && !c.all && !c.words.meets(cmd):
		return ""
	case cmd != nil && !cmd.Static:
		return "the words of the command are not known before it runs"
	case cmd != nil && cmd.Wrapped:
		return "the command stands behind another one"
	case cmd == nil && c.all && leaves(e, p):
		return p.text + " is outside the workspace, which a pattern must name"
	}
	return ""
}

// candidates are the rules that may have the target in them, in their order.
func (r *Rules) candidates(out []int32, e tool.Effect, p *place, c *tool.SimpleCommand) []int32 {
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
