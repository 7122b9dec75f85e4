package policy

import (
	"cmp"
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

// speak finds what the rules say to a question: to its command if it has one, else to its effect.
func (r *Rules) speak(q *question) spoken {
	if len(r.rules) == 0 {
		return spoken{}
	}
	var buf [64]int32 // most questions have fewer rules to look at, and cost no memory so
	hits := r.selection(q.subject)
	var s spoken
	var said words
	for _, i := range r.candidates(buf[:0], q) {
		k := &r.rules[i]
		hit := hits[i]
		if hit == never || hit == cross && !k.reachesTo(q) {
			continue
		}
		if !k.meets(q) {
			s.notePassed(k, hit, q)
			continue
		}
		q.trace.step("rule", k.says(), "", k.at)
		if k.layer != said.layer {
			s.close(r, said, q.effect)
			said = words{layer: k.layer}
		}
		said.take(k, hit)
	}
	s.close(r, said, q.effect)
	return s
}

// notePassed notes a rule that has the question's tool and does not count, with the reason.
func (s *spoken) notePassed(k *rule, hit reach, q *question) {
	why := k.passes(hit, q)
	if why == "" {
		return
	}
	s.pass(k, why)
	q.trace.step("rule", k.says(), "does not count: "+why, k.at)
}

// words are the last words of one layer.
type words struct {
	layer  int
	mine   *rule // of a rule that names the tool
	others *rule // of a rule on another tool whose targets are meant, too
}

func (w *words) take(k *rule, hit reach) {
	switch {
	case hit == own:
		w.mine = k
	case k.decision == tool.Allow: // takes back what the same layer said of others' targets
		w.others = nil
	default:
		w.others = k
	}
}

// close notes the last words of one layer. Layers come highest first.
func (s *spoken) close(r *Rules, w words, e tool.Effect) {
	if w.others != nil {
		if w.others.decision == tool.Deny && e.Target != tool.AnyTarget {
			s.denied = cmp.Or(s.denied, w.others)
		} else {
			s.capped = cmp.Or(s.capped, w.others)
		}
	}
	switch mine := w.mine; {
	case mine == nil:
	case mine.decision == tool.Deny:
		s.denied = cmp.Or(s.denied, mine)
	case !r.layers[mine.layer].tightens:
		s.first = cmp.Or(s.first, mine)
	case mine.decision == tool.Ask:
		s.capped = cmp.Or(s.capped, mine)
	default:
		s.pass(mine, "its layer may only take rights away")
	}
}

// counts tells that a rule had a say.
func (s *spoken) counts() bool {
	return s.denied != nil || s.first != nil || s.capped != nil
}

// settle weighs rules, switches and what stands without them. Where no rule counted and one was seen, the reason says
// so.
func (r *Rules) settle(u *subject, s spoken, def tool.Verdict) tool.Verdict {
	v := r.weigh(u, s, def)
	if s.passed == nil || s.counts() || v.Decision == tool.Allow {
		return v
	}
	rule := s.passed.says()
	if at := s.passed.at.String(); at != "" {
		rule += " (" + at + ")"
	}
	v.Reason += "; the rule " + rule + " does not count here: " + s.why
	return v
}

// weigh is what the layers that may give rights say, made stricter by those that only tighten.
func (r *Rules) weigh(u *subject, s spoken, def tool.Verdict) tool.Verdict {
	if s.denied != nil {
		return s.denied.verdict(tool.Deny)
	}
	v := r.given(u, s, def)
	if s.capped != nil {
		v.IfChanged = false // somebody wants to be asked
		if v.Decision > tool.Ask {
			v = s.capped.verdict(tool.Ask)
		}
	}
	for i, e := range u.prefs {
		if e == nil || !r.layers[i].tightens {
			continue
		}
		if d, spoke := e.to.decision(); spoke && (d < v.Decision || d == tool.Ask && v.IfChanged) {
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
	// What is closed by default is opened by a rule that names it, and by nothing else.
	closed := def.Decision == tool.Deny
	switch first := s.first; {
	case first != nil && (!spoke || first.layer <= i):
		if closed && first.decision == tool.Ask && !first.glob.absolute {
			return def
		}
		return first.verdict(first.decision)
	case !spoke, closed && word != tool.Deny:
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
	return verdict(d, reasons[d], e.setting(), e.at)
}

func (c *rule) verdict(d tool.Decision) tool.Verdict {
	return verdict(d, reasons[d], c.says(), c.at)
}

func (c *rule) says() string {
	return c.decision.String() + " " + c.text
}

var reasons = map[tool.Decision]string{
	tool.Deny:  "the configuration denies it",
	tool.Ask:   "the configuration asks for approval",
	tool.Allow: "the configuration allows it",
}
