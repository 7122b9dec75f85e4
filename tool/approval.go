package tool

import (
	"context"
	"strings"
)

// AskInTurn asks the first, and where that says that nobody was there to ask (Answer.Unasked) the next, and so on: what
// the last says counts. One that is nil is nobody. In a second round, in which Question.Job.Call.Resume has the answers
// to what one of them wanted to know, all are asked again: an Asker that finds no answer of its own there says Unasked.
// Without anybody it is nil, which a kit takes for nobody, too.
func AskInTurn(askers ...Asker) Asker {
	var there []Asker
	for _, a := range askers {
		if a != nil {
			there = append(there, a)
		}
	}
	if len(there) == 0 {
		return nil
	}
	return func(ctx context.Context, q *Question) (a Answer, err error) {
		for _, ask := range there {
			a, err = ask(ctx, q)
			if err != nil || !a.Unasked {
				return a, err
			}
		}
		return a, nil
	}
}

const approvedBefore = "approved before"

// granted is the earlier yes that covers a job.
func (k *Kit) granted(j *Job) (id string, ok bool) {
	if k.o.Grants == nil {
		return "", false
	}
	return k.o.Grants.Granted(j)
}

// by is who answered.
func (a *Answer) by() Approver {
	if a.By.Kind == "" {
		return Approver{Kind: ByProgram}
	}
	return a.By
}

// modeRule begins what policies name as the rule where nothing but the mode decided: mode:auto.
const modeRule = "mode:"

// unasked is what stood for a person where a policy allowed a call.
func unasked(v Verdict) Approver {
	if v.Rule == "" || strings.HasPrefix(v.Rule, modeRule) {
		return Approver{Kind: ByMode}
	}
	return Approver{Kind: ByRule}
}

// An approval is why a job may run: who decided, and the digest under which they did, "" if nobody was asked.
type approval struct {
	by  Approver
	key Digest
}
