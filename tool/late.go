package tool

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// A Late question is about something that showed only when a job had run: a command is about to leave a file that other
// programs run. Whoever approved the job, or allowed all such jobs, has not seen it.
type Late struct {
	Title   string   // what would happen: "let bash change .git/config"
	Why     string   // a sentence: why it is asked about
	Effects []Effect // what a yes makes, and nothing beside it
	Preview Display  // what it looks like

	// Parent is that of the calls whose own questions were put off until now (Verdict.Deferred): what would have answered
	// those answers this one. "": it stands for no other question.
	Parent string
}

// late is what Call.Ask is for a job. The policy is not asked: it has allowed the job, and this is more than it knew
// of.
func (k *Kit) late(j *Job, said *lateAnswers) func(context.Context, Late) (Answer, error) {
	return func(ctx context.Context, l Late) (Answer, error) {
		if k.o.Ask == nil {
			return Answer{Unasked: true, Note: "nobody can be asked"}, nil
		}
		own := *j
		own.Title, own.Effects, own.Signature = l.Title, l.Effects, ""
		own.Rule, own.Line, own.Preview = "", nil, nil
		q := &Question{
			Job:     &own,
			Verdict: Verdict{Decision: Ask, Reason: l.Why, Layer: "tool"},
			Preview: l.Preview,
			Late:    true,
		}
		if l.Parent != "" {
			call := *j.Call
			call.Parent = l.Parent
			own.Call, q.Deferred = &call, true
		}
		k.tell(ctx, Event{Step: Asked, Job: &own, Verdict: q.Verdict, Question: q})
		asking := time.Now()
		a, err := k.put(ctx, q)
		said.add(a, time.Since(asking))
		if err != nil {
			return Answer{}, fmt.Errorf("ask about what %s did: %w", j.Call.Name, err)
		}
		k.tell(ctx, Event{Step: Answered, Job: &own, Verdict: q.Verdict, Question: q, Answer: a})
		a.For, a.Rule = Once, "" // another time it is another thing
		return a, nil
	}
}

// lateAnswers are what was said while a job ran, for the record. The zero value is ready.
type lateAnswers struct {
	mu    sync.Mutex
	by    Approver
	asked time.Duration
}

func (l *lateAnswers) add(a Answer, asked time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked += asked
	if !a.Unasked && a.Need == nil {
		l.by = a.by()
	}
}

// outcome is who decided, where before the job ran it was first, and how long it waited for answers.
func (l *lateAnswers) outcome(first Approver) (by Approver, asked time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.by.Kind != "" { // who saw what it had come to
		return l.by, l.asked
	}
	return first, l.asked
}
