package policy

import (
	"cmp"
	"slices"
	"strings"

	"helve/tool"
)

// Judge decides about a job: the strictest of what its effects deserve.
func (r *Rules) Judge(j *tool.Job) tool.Verdict { return r.judge(j, nil) }

// judge is Judge, with its steps if t is not nil. What the mode that asks first lets run, as a line that looks where it
// can do nothing else, the freer ones do not ask about: they let it run as that mode does.
func (r *Rules) judge(j *tool.Job, t *tracer) tool.Verdict {
	v := judged(r, j, t)
	if ours(j.Spec) && (j.Line != nil || j.Spec.Calls) && v.Decision != tool.Deny {
		v.Leaves = tool.Leaves{Steer: r.becomes(LeavesSteer).leaving(), New: r.becomes(LeavesNew).leaving()}
		if v.Decision == tool.Ask || v.Rule != "" && !byMode(v) { // somebody said yes to the command itself
			v.Leaves.New = r.o.modes().becomes(AskFirst, LeavesNew).leaving()
		}
	}
	return v
}

// leaving is what the table says of something that a command leaves. A command that ran can be asked about no more.
func (b Becoming) leaving() tool.Leaving {
	switch b {
	case Runs:
		return tool.LeftMade
	case Refused:
		return tool.LeftRefused
	}
	return tool.LeftAsked
}

// judged is judge without what a command leaves.
func judged(r *Rules, j *tool.Job, t *tracer) tool.Verdict {
	before := t.len()
	v := r.decide(j, t)
	freer := r.o.Mode == Review || r.o.Mode == Auto
	if !freer || v.Decision != tool.Ask {
		return v
	}
	careful := r.Under(AskFirst)
	if c := careful.decide(j, nil); c.Decision != tool.Allow || c.Review { // a question that is put off is one
		return v
	}
	t.forget(before)
	return careful.decide(j, t)
}

// decide is judge of the mode alone. Command lines come first, since their verdict speaks for the files that they
// write, too.
func (r *Rules) decide(j *tool.Job, t *tracer) tool.Verdict {
	u := r.of(j.Spec)
	if u.listing.Decision == tool.Deny {
		return t.decides("listing", u.listing)
	}
	effects := u.effects(j)
	var whole, lines strictest
	for _, e := range effects {
		if u.isLine(e) {
			v := r.line(u, e, j, t)
			lines.held = explained(u, e, j).Held && (lines.held || !lines.any)
			lines.consider(v)
			whole.consider(v)
		}
	}
	for _, e := range effects {
		if !u.isLine(e) {
			whole.consider(r.effect(u, e, &lines, j.Drafted, t))
		}
	}
	return whole.answer()
}

// nothing is the effect of a job of ours that has none.
var nothing = tool.Effect{Kind: tool.State}

// effects are those that the job is judged by, one at least: rules on a whole tool hold for what it does without an
// effect, too, and that another's tool does nothing is no more than its word.
func (u *subject) effects(j *tool.Job) []tool.Effect {
	effects := j.Judged()
	believed := j.Effects != nil || ours(u.spec) || u.spec.Touches != tool.Nothing
	switch {
	case len(effects) > 0 && believed:
		return effects
	case ours(u.spec):
		return []tool.Effect{nothing}
	}
	unknown := tool.Effect{Kind: u.spec.Kind, Target: tool.AnyTarget}
	return []tool.Effect{unknown}
}

// touchesNothing tells that the tool says so and is believed: it is part of the program.
func (u *subject) touchesNothing() bool { return u.spec.Touches == tool.Nothing && ours(u.spec) }

// isLine tells that the effect is a command line that is known.
func (u *subject) isLine(e tool.Effect) bool {
	none := u.touchesNothing() && e.Target == tool.NoTarget
	return e.Kind == tool.Exec && e.Target != tool.AnyTarget && !none
}

// strictest is the verdict on a whole: the weightiest of those on its parts.
type strictest struct {
	verdict  tool.Verdict
	any      bool // something was considered
	confined bool // a part is allowed only where it is confined
	review   bool // a part is allowed only if a person sees what it changed before that is made
	plain    bool // one of those is so whether it is in a draft or not
	named    bool // a part is allowed by a rule about repositories
	held     bool // what all lines change is held back until it was looked at
	always   bool // a part is asked about though it may change nothing
}

func (s *strictest) consider(v tool.Verdict) {
	if !s.any || weightier(v, s.verdict) {
		s.verdict = v
	}
	s.any = true
	s.confined = s.confined || v.Confined
	s.review = s.review || v.Review
	s.plain = s.plain || v.Review && !v.Deferred
	s.named = s.named || namesRepository(v)
	s.always = s.always || v.Decision == tool.Ask && !v.IfChanged
}

// answer is the verdict: an allowed whole is confined, or looked at, if one of its parts is.
func (s *strictest) answer() tool.Verdict {
	v := s.verdict
	v.Confined = s.confined && v.Decision == tool.Allow
	v.Review = s.review && v.Decision == tool.Allow
	v.Deferred = v.Review && !s.plain
	v.IfChanged = v.Decision == tool.Ask && !s.always
	if v.Review { // what is run to be looked at may change what it likes of the workspace
		v.Confined = false
	}
	return v
}

// weightier tells that v and not w is what a whole rests on: it is stricter, or as strict and only the mode allows it.
// That a part merely reads is no reason for such a whole, and what the mode allows speaks for nothing beside it.
func weightier(v, w tool.Verdict) bool {
	if v.Decision != w.Decision {
		return v.Decision < w.Decision
	}
	return byMode(v) && !byMode(w)
}

// byMode tells that nothing but the mode allows it.
func byMode(v tool.Verdict) bool {
	return v.Decision == tool.Allow && strings.HasPrefix(v.Rule, modeRule)
}

// effect judges one effect. lines is the verdict on the command lines that have it.
func (r *Rules) effect(u *subject, e tool.Effect, lines *strictest, draft bool, t *tracer) tool.Verdict {
	t.about(e)
	q := question{
		subject: u,
		effect:  e,
		place:   newPlace(e.Target),
		trace:   t,

		held:  lines.held && byMode(lines.verdict),
		draft: draft,
	}
	if strings.HasPrefix(e.Target, tool.SpillScheme) { // the session's own
		q.place.absolute = false
	}
	if v, denied := r.floor(&q); denied {
		return t.decides("floor", v)
	}
	def := r.fallback(&q)
	whole := def.Rule == repositoryRule
	asks := def.Decision == tool.Ask || def.Deferred
	if asks && lines.speakFor(e) || whole && lines.named && lines.speakFor(e) {
		def, q.asked = byDefault(tool.Allow, "the command line is judged as a whole"), false
	}
	if len(r.rules) == 0 {
		v := r.settle(u, spoken{}, def)
		r.tabled(&q, v, def)
		return t.decides("default", v)
	}
	said := r.speak(&q)
	if whole && said.first != nil && !namesRepository(said.first.verdict(tool.Allow)) {
		said.pass(said.first, "it does not name the repository")
		said.first = nil
	}
	v := r.settle(u, said, def)
	r.tabled(&q, v, def)
	return t.decides("call", v)
}

// speakFor tells that the verdict on the command lines covers an effect of theirs: the files that they name, and their
// hosts if somebody allowed the lines. What only the mode allows speaks for nothing: the mode has its own word on each
// effect. Nothing speaks for what is not known: that is how a tool says that no sandbox holds the command.
func (s *strictest) speakFor(e tool.Effect) bool {
	if !s.any || e.Target == tool.AnyTarget {
		return false
	}
	allowed := s.verdict.Decision == tool.Allow
	if allowed && byMode(s.verdict) {
		return false
	}
	if e.Kind != tool.Net {
		return true
	}
	byRule := s.verdict.Rule != ""
	return allowed && byRule
}

// line judges a command line: each of its commands, the files that it names, and the whole if there is more to it than
// they.
func (r *Rules) line(u *subject, e tool.Effect, j *tool.Job, t *tracer) tool.Verdict {
	t.about(e)
	q := question{subject: u, effect: e, trace: t, line: true, draft: j.Drafted}
	if v, denied := r.floor(&q); denied {
		return t.decides("floor", v)
	}
	l := explained(u, e, j)
	q.under = &l
	if a := lineAct(&l); ours(u.spec) && l.Decision == tool.Ask && !l.Tried && r.becomes(a) == Refused {
		return t.decides("floor", r.planned(r.o.Mode.refusal(a)))
	}
	if l.Decision == tool.Deny {
		return t.decides("floor", verdict(tool.Deny, l.Reason, "catastrophic", floorAt))
	}
	def := r.unsaid(&q, &l)
	if named := r.secretAmong(l.Mentions); named != "" && byMode(def) {
		def = byDefault(tool.Ask, secretReason(named))
	}
	var whole strictest
	r.commands(&q, &l, def, &whole)
	for _, m := range l.Mentions {
		whole.consider(r.mention(u, m, t))
	}
	v := whole.answer()
	r.tabled(&q, v, def)
	if r.o.Mode.plans() && l.Tried { // a yes to what it names is none to what else it could do
		v.Confined = v.Decision != tool.Deny
	}
	return t.decides("call", v)
}

// unsaid is the verdict on a command of a line about which no rule says anything.
func (r *Rules) unsaid(q *question, l *tool.CommandLine) tool.Verdict {
	def := r.fallback(q)
	switch held, deferred := q.becoming(r, RunsHeld); {
	case l.Decision == tool.Allow:
		return r.word(q, Looks, onlyReads, "looking needs approval")
	case l.Tried && r.o.Mode != Auto:
		return r.word(q, Looks, onlyTried, "looking needs approval")
	case l.Gap != "" && def.Decision == tool.Ask && held == Runs:
		def.Reason = "mode " + r.o.Mode.String() + " asks, as " + l.Gap
	case l.Held && def.Decision == tool.Allow && held == AsksBeforeKept:
		return r.lookedAt(deferred)
	case l.Reason != "" && def.Decision == tool.Ask:
		def.Reason = l.Reason
	}
	return def
}

// lineAct is what running a line is to the modes: it can be held back, it cannot, or nobody knows.
func lineAct(l *tool.CommandLine) Act {
	switch {
	case l.Held:
		return RunsHeld
	case l.Gap != "":
		return RunsOpen
	}
	return Changes
}

// secretAmong is the first of the files that a line names which may hold secrets, "" for none.
func (r *Rules) secretAmong(mentions []string) string {
	i := slices.IndexFunc(mentions, r.secret)
	if i < 0 {
		return ""
	}
	return mentions[i]
}

var onlyReads = byDefault(tool.Allow, "it only reads")

// onlyTried allows a line that wants to look, as far as its words say, where it can do nothing else.
var onlyTried = tool.Verdict{
	Decision: tool.Allow,
	Reason:   "it looks, and runs where it can change, send and learn nothing",
	Layer:    defaultAt.Layer,
	Confined: true,
}

// lookedAt allows what it is about if a person sees what it changed before that is made.
func (r *Rules) lookedAt(deferred bool) tool.Verdict {
	v := verdict(tool.Allow, "what it changes is shown before it is made", modeRule+r.o.Mode.String(), r.modeAt())
	v.Review, v.Deferred = true, deferred
	return v
}

// explained is the command line as its tool understood it. Another's word explains nothing.
func explained(u *subject, e tool.Effect, j *tool.Job) tool.CommandLine {
	understood := j.Line != nil && j.Line.Text == e.Target
	if understood && ours(u.spec) {
		return *j.Line
	}
	return unanalysed(e.Target)
}

// commands considers the commands of a line; def is the verdict on a command about which nobody says anything.
func (r *Rules) commands(q *question, l *tool.CommandLine, def tool.Verdict, whole *strictest) {
	more := !l.Whole && l.Decision != tool.Allow
	if more || len(l.Commands) == 0 {
		unread := more && len(l.Commands) == 0
		rest := r.rest(q, unread)
		whole.consider(r.settle(q.subject, rest, def))
	}
	for i := range l.Commands {
		one := *q
		one.command = &l.Commands[i]
		own := def
		if one.command.ReadOnly {
			own = onlyReads
		}
		said := r.speak(&one)
		whole.consider(r.settle(q.subject, said, own))
		if one.command.Unread {
			whole.consider(r.settle(q.subject, r.rest(q, true), def))
		}
	}
}

// rest is what the rules say to the part of a line that is none of its commands. What it does is not known, so that
// only a rule on the whole tool can allow it, and only if no stricter one may mean it. Of a line that was not read at
// all, or that runs what nobody reads here, every command may be one that a stricter rule means: it is asked about,
// though the tool is switched to allow.
func (r *Rules) rest(line *question, unread bool) spoken {
	unknown := tool.Effect{Kind: line.effect.Kind, Target: tool.AnyTarget}
	s := r.speak(&question{subject: line.subject, effect: unknown})
	allowed := s.first != nil && s.first.decision == tool.Allow
	switch {
	case unread && !allowed:
		return spoken{capped: cmp.Or(s.denied, s.capped, s.first)}
	case !allowed:
		return spoken{}
	case s.denied == nil && s.capped == nil:
		return s
	}
	return spoken{
		passed: s.first,
		why:    "a stricter rule may mean a part of the line that is not known before it runs",
	}
}

// mention judges a file that a command line only names: it may be read by what the line runs.
func (r *Rules) mention(u *subject, target string, t *tracer) tool.Verdict {
	read := tool.Effect{Kind: tool.Read, Target: target}
	s := r.speak(&question{
		subject: u,
		effect:  read,
		place:   newPlace(target),
		trace:   t,
	})
	switch {
	case s.denied != nil:
		return s.denied.verdict(tool.Deny)
	case s.capped != nil:
		return s.capped.verdict(tool.Ask)
	}
	return tool.Verdict{Decision: tool.Allow}
}
