package policy

import "helve/tool"

// A question is one effect of a call, as the rules are asked about it. About a command line they are asked once for
// each of its commands.
type question struct {
	subject *subject // whose effect it is
	effect  tool.Effect
	place   place               // of the effect's target
	command *tool.SimpleCommand // nil: the effect as a whole

	under *tool.CommandLine // what is understood of the line that the effect is; nil: it is none
	act   Act               // the row of the table that has a word on it
	asked bool              // act is set, and counts

	line  bool // it is a command line that was understood
	held  bool // it is an effect of a line whose changes are held back until they were looked at
	draft bool // what it changes lies in a draft
	trace *tracer
}

// touchesNothing tells that the effect is that of a tool which touches nothing that a pattern could mean.
func (q *question) touchesNothing() bool {
	return q.effect.Target == tool.NoTarget && q.subject != nil && q.subject.touchesNothing()
}

// becomes is what becomes of an act in the mode of these rules.
func (r *Rules) becomes(a Act) Becoming { return r.o.modes().becomes(r.o.Mode, a) }

// becoming is becomes for a question: a draft holds what tools for files and held commands change. deferred says that
// it is asked then, and not before.
func (q *question) becoming(r *Rules, a Act) (b Becoming, deferred bool) {
	if q.draft && (a == RunsHeld || q.effect.Kind == tool.Write) {
		return r.o.modes().drafted(r.o.Mode, a)
	}
	return r.becomes(a), false
}

// word is what the table says of an act: yes is the verdict where it runs, why is what a person is asked for.
func (r *Rules) word(q *question, a Act, yes tool.Verdict, why string) tool.Verdict {
	q.act, q.asked = a, true
	b, deferred := q.becoming(r, a)
	switch b {
	case Runs:
		return yes
	case Waits, AsksBeforeKept:
		if deferred && q.under == nil && !q.held { // of a line it is said with the line
			return r.lookedAt(true)
		}
		return byDefault(tool.Allow, "it is looked at before it is kept")
	case Refused:
		return r.planned(r.o.Mode.refusal(a))
	}
	v := byDefault(tool.Ask, why)
	v.IfChanged = b == AsksIfChanged && ours(q.subject.spec)
	return v
}

// allowed is a yes by the mode.
func (r *Rules) allowed() tool.Verdict {
	mode := r.o.Mode.String()
	return verdict(tool.Allow, "mode "+mode+" allows it inside the sandbox", modeRule+mode, r.modeAt())
}

// tabled notes the rows of the table that had a say in a verdict, if it is theirs: what a rule or a switch decides the
// table does not. What a command leaves is told with the command, where it runs.
func (r *Rules) tabled(q *question, v, def tool.Verdict) {
	if q.trace == nil || !q.asked || v.Decision != def.Decision || v.Rule != def.Rule {
		return
	}
	rows := []Act{q.act}
	if q.act == RunsHeld && q.under != nil && v.Decision != tool.Deny {
		rows = append(rows, LeavesSteer, LeavesNew)
	}
	for _, a := range rows {
		b, _ := q.becoming(r, a)
		q.trace.row(r.o.Mode.String()+": "+a.String(), b, r.modeAt())
	}
}

// modeRule begins the rule of a verdict that nothing but the mode gave; its name follows.
const modeRule = "mode:"

var (
	floorAt   = Place{Layer: "floor"}
	defaultAt = Place{Layer: "default"}
)

// byDefault is a verdict that nobody configured.
func byDefault(d tool.Decision, reason string) tool.Verdict {
	return verdict(d, reason, "", defaultAt)
}

// planned is a denial by the mode.
func (r *Rules) planned(reason string) tool.Verdict {
	return verdict(tool.Deny, reason, modeRule+r.o.Mode.String(), r.modeAt())
}

func (r *Rules) modeAt() Place {
	if r.o.ModeAt == (Place{}) {
		return Place{Layer: "mode"}
	}
	return r.o.ModeAt
}
