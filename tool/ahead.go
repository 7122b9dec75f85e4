package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Ahead are calls that a job is certain to make, as long as none of them fails, before it makes any. What of them needs
// approval is asked about in one question: this job, these calls.
type Ahead struct {
	Calls []*Call
	Job   string  // what the job is made of, for whoever is asked: the text of a script
	More  bool    // it may make further calls, which are asked about when they are made
	Round *Resume // the answer to the Need of an earlier round; nil: this is the first
}

// An Agreement is what became of the question about calls that are certain. The zero value agrees to nothing: each call
// is asked about when it is made.
type Agreement struct {
	Consent *Consent
	Need    *Need  // the client must be asked; its answer comes back as Ahead.Round
	Refused *Error // somebody said no to all of it
	Note    string // words for the model
}

const (
	// maxAhead bounds the calls of one question: nobody reads more.
	maxAhead = 40
	// maxAheadCall is how long a call may be that is one of several, in bytes, and maxAheadCalls how long all of
	// them: a dialogue shows so much. What is longer is asked about by itself.
	maxAheadCall  = 1 << 10
	maxAheadCalls = 3 << 10
	// maxAheadDiffs bounds what all of them would change, as it is shown.
	maxAheadDiffs = 128 << 10
)

// A Consent is a yes to calls before they are made, to each of them as often as it was shown. Only a kit gives it.
// It is safe for concurrent use. The nil Consent agrees to nothing.
type Consent struct {
	by Approver

	mu   sync.Mutex
	left map[Digest]int
}

// take uses the yes to a job up.
func (c *Consent) take(j *Job) (by Approver, ok bool) {
	if c == nil {
		return by, false
	}
	key := j.Digest(nil)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left[key] == 0 {
		return by, false
	}
	c.left[key]--
	return c.by, true
}

// A certain call is one that would be asked about, as it is shown.
type certain struct {
	job  *Job
	line string
	diff string // what it would change; "": the line says all
}

// ahead is what Call.Ahead is for a job.
func (k *Kit) ahead(j *Job, said *lateAnswers) func(context.Context, Ahead) (Agreement, error) {
	if k.o.Ask == nil && k.o.Grants == nil {
		return nil
	}
	return func(ctx context.Context, a Ahead) (Agreement, error) {
		list := k.certain(ctx, a.Calls)
		if len(list) < 2 { // one alone is asked about when it is made, with all that there is to show
			return Agreement{}, ctx.Err()
		}
		q := together(j, a, list)
		if id, ok := k.granted(q.Job); ok {
			return Agreement{Consent: q.consent(Approver{Kind: ByGrant, Grant: id})}, nil
		}
		if k.o.Ask == nil {
			return Agreement{}, nil
		}
		return k.agree(ctx, q, a.Round, said)
	}
}

// certain are those of the calls that would be asked about by themselves, and can be shown among others. What is left
// out loses nothing: it is judged and asked about when it is made.
func (k *Kit) certain(ctx context.Context, calls []*Call) []certain {
	var out []certain
	shown, changed, before := 0, 0, map[Effect]bool{}
	for _, c := range calls {
		if len(out) == maxAhead || ctx.Err() != nil {
			break
		}
		j, err := k.Understand(ctx, c)
		if err != nil {
			continue
		}
		v := k.o.Policy.Judge(j)
		_, known := k.granted(j)
		again := repeats(j, before)
		if v.Decision != Ask || known || again {
			continue
		}
		one, ok := certainty(ctx, j, v)
		if !ok || shown+len(one.line) > maxAheadCalls || changed+len(one.diff) > maxAheadDiffs {
			continue
		}
		shown += len(one.line)
		changed += len(one.diff)
		out = append(out, one)
	}
	return out
}

// repeats tells that a job changes what another one before it changes: what it would find then cannot be shown now.
func repeats(j *Job, before map[Effect]bool) (again bool) {
	for _, e := range j.Judged() {
		if e.Kind != Write || e.Target == AnyTarget {
			continue
		}
		again = again || before[e]
		before[e] = true
	}
	return again
}

// certainty is a job as it is shown among others. ok is false where it cannot be, or would fail as things stand.
func certainty(ctx context.Context, j *Job, v Verdict) (one certain, ok bool) {
	one = certain{job: j, line: j.Call.Name + " " + string(orEmpty(j.Call.Args))}
	switch {
	case j.Line != nil:
		one.line = j.Call.Name + ": " + j.Line.Text
		if j.Line.Gap != "" { // what no sandbox holds is looked at alone
			return one, false
		}
	case ours(j.Spec):
		d, bad := preview(ctx, j)
		if bad != nil {
			return one, false
		}
		if diff, changes := d.(Diff); changes {
			one.diff, one.line = diff.String(), j.Title
		}
	}
	one.line = strings.ReplaceAll(one.line, "\n", "\n   ") // no call looks like two
	if why := v.Why(); why != "" {
		one.line += "\n   asked because: " + why
	}
	return one, len(one.line) <= maxAheadCall
}

// together is the question about several calls of a job.
func together(j *Job, a Ahead, list []certain) *Question {
	own, call := *j, *j.Call
	var effects []Effect
	var digests []Digest
	q := &Question{Job: &own, Verdict: Verdict{
		Decision: Ask,
		Reason:   "it is certain to make these calls, unless one fails, and they need approval",
		Layer:    "tool",
	}}
	if a.More {
		q.Verdict.Reason += "; others are asked about as they come"
	}
	for _, c := range list {
		q.Calls = append(q.Calls, c.job)
		digests = append(digests, c.job.Digest(nil))
		for _, e := range c.job.Judged() {
			if !slices.Contains(effects, e) {
				effects = append(effects, e)
			}
		}
	}
	own.Title = fmt.Sprintf("%s with %d calls", j.Title, len(list))
	own.Effects, own.Rule, own.Line, own.Preview = effects, "", nil, nil
	own.Call = &call
	call.Args = argsWith(call.Args, digests)
	first := a.Calls[0]
	call.Parent, call.Waiting, call.Resume = first.Parent, first.Waiting, nil
	q.Preview = Summary(aheadText(list, a.Job))
	return q
}

// argsWith are arguments with the calls that a question is about: its digest, and that of a grant, so says which job
// and which calls.
func argsWith(args json.RawMessage, calls []Digest) json.RawMessage {
	fields := map[string]json.RawMessage{}
	if json.Unmarshal(orEmpty(args), &fields) != nil {
		fields["arguments"] = args
	}
	fields["calls"], _ = json.Marshal(calls) // texts: nothing in it can fail
	out, _ := json.Marshal(fields)
	return out
}

// aheadText is what is shown: first all calls, then what they would change, then what the job is made of.
func aheadText(list []certain, job string) string {
	var b strings.Builder
	for i, c := range list {
		fmt.Fprintf(&b, "%d. %s\n", i+1, c.line)
	}
	for i, c := range list {
		if c.diff != "" {
			fmt.Fprintf(&b, "\nCall %d:\n%s\n", i+1, strings.TrimSuffix(c.diff, "\n"))
		}
	}
	if job != "" {
		b.WriteString("\nAll of it:\n" + job)
	}
	return b.String()
}

// consent is a yes to the calls of a question.
func (q *Question) consent(by Approver) *Consent {
	c := &Consent{by: by, left: map[Digest]int{}}
	for _, j := range q.Calls {
		c.left[j.Digest(nil)]++
	}
	return c
}

// agree puts the question about several calls.
func (k *Kit) agree(ctx context.Context, q *Question, resume *Resume, said *lateAnswers) (Agreement, error) {
	key := q.Job.Digest(q.Preview)
	round := openRound(resume, key)
	asked := q.Job
	q.Job = round.in(asked)
	k.tell(ctx, Event{Step: Asked, Job: asked, Verdict: q.Verdict, Question: q})
	asking := time.Now()
	a, err := k.put(ctx, q)
	said.add(a, time.Since(asking))
	if err != nil {
		return Agreement{}, fmt.Errorf("ask about the calls of %s: %w", asked.Call.Name, err)
	}
	k.tell(ctx, Event{Step: Answered, Job: asked, Verdict: q.Verdict, Question: q, Answer: a})
	switch {
	case a.Need != nil:
		return Agreement{Need: round.next(key, Approver{}, a.Need)}, nil
	case a.Each:
		return Agreement{Note: a.Note}, nil
	case a.Unasked:
		return Agreement{}, nil
	case !a.Yes:
		return Agreement{Refused: declined(asked, a)}, nil
	}
	return Agreement{Consent: q.consent(a.by()), Note: k.remember(asked, a)}, nil
}
