package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"helve/engine/schema"
)

const (
	// prepareTime bounds Prepare, which only parses and resolves names: more than a moment means
	// that it waits for something.
	prepareTime = 10 * time.Second
	// previewTime bounds Preview, which may read a large file or ask another host.
	previewTime = 30 * time.Second
)

// Call is the only door: it finds the tool, checks the arguments, prepares the job, asks the policy
// and whoever it names, and runs it. Every failure that the model can adapt to, a panic of the tool
// included, is in the result. The error is not nil only if ctx is done, and then the result may be
// there beside it, if the Ask of the kit failed, or if there is no Call.
func (k *Kit) Call(ctx context.Context, c *Call) (*Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c == nil {
		return nil, errors.New("tool: Kit.Call without a Call")
	}
	if c.Progress == nil && len(k.o.Around) == 0 {
		return k.door(ctx, c) // which works on a copy
	}
	own := *c
	own.Progress = noProgress
	if c.Progress != nil {
		r := newReporter(c.Progress)
		defer r.stop()
		own.Progress = r.report
	}
	return k.call(ctx, &own)
}

// door is the innermost Caller.
func (k *Kit) door(ctx context.Context, c *Call) (res *Result, err error) {
	defer func() {
		if p := recover(); p != nil { // Judge, Ask or a middleware: the job did not run, or runJob would have caught it
			res, err = fail(panicked(c.Name, p)), nil
		}
	}()
	e, own, bad := k.meant(c)
	if bad != nil {
		return fail(bad), nil
	}
	own.Name, own.Kit = e.name, k
	if own.Progress == nil {
		own.Progress = noProgress
	}
	own.Whole = wholeOf(c)
	args, told, bad := e.check(&own)
	if bad != nil {
		if c.Unseen || !e.shown {
			bad = e.taught(bad)
		}
		res = fail(bad)
		res.Repairs, res.Spec = told.notes(), e.spec
		return res, nil
	}
	own.Args = args
	j, bad := k.prepare(ctx, e, &own)
	if bad != nil {
		res = fail(bad)
		res.Spec = e.spec
		told.tell(res)
		return res, stopped(ctx)
	}
	k.tell(ctx, Event{Step: Understood, Job: j})
	res, err = k.decide(ctx, j, told.notes())
	if res != nil {
		res.Job, res.Spec = j, e.spec
		told.tell(res)
	}
	return res, err
}

// enter is the entry that a call may use.
func (v *View) enter(c *Call) (*entry, *Error) {
	e, bad := v.offer(c.Name)
	switch {
	case bad != nil:
		return nil, bad
	case e.spec.Stateful && c.Session == nil:
		err := Verbatim(UnknownTool, "Error: Tool '%s' not found.", e.name).
			WithHint("It needs a session, and this call has none.")
		err.Tool, err.spec = e.name, e.spec
		err.verdict = Verdict{Reason: "it needs a session, and this call has none", Layer: "lookup"}
		return nil, err
	}
	return e, nil
}

// check validates the arguments, mends what can be mended without loss and fills in defaults. What
// became of them is told of calls that are refused, too.
func (e *entry) check(c *Call) (json.RawMessage, telling, *Error) {
	args, spec := c.Args, e.spec
	if c.Whole > 0 && len(spec.Limits) > 0 {
		spec = e.spare()
	}
	m, err := spec.Mend(args)
	told := tellingOf(e.name, m)
	if err == nil {
		return m.Args, told, nil
	}
	bad := &Error{Code: Validation, Tool: e.name, Err: err, verbatim: true}
	if inv, ok := errors.AsType[*schema.Invalid](err); ok {
		bad.Details = inv.Violations
	}
	if len(args) > 0 && !json.Valid(args) {
		bad.Err = errors.New("Error: Failed to parse tool arguments as JSON.") //lint:ignore ST1005 programs match it
		bad.Hint = strings.TrimPrefix(err.Error(), "Parameter validation failed: ")
	}
	return nil, told, bad
}

// maxTaught is the longest schema that an error repeats, in bytes: a larger one is better asked for
// by itself.
const maxTaught = 16 << 10

// taught adds the schema to an error about arguments: a model that was never shown it can only guess again.
func (e *entry) taught(wrong *Error) *Error {
	b := e.spec.Input.JSON()
	if len(b) > maxTaught {
		return wrong
	}
	bad := *wrong
	if bad.Hint != "" {
		bad.Hint += "\n"
	}
	bad.Hint += "The parameters of " + e.name + ": " + string(b)
	return &bad
}

// prepare has the tool understand the call. What the tool returns cannot pass itself off as
// another's job.
func (k *Kit) prepare(ctx context.Context, e *entry, c *Call) (*Job, *Error) {
	t, drafted := e.within(c.Draft)
	j, err := understand(ctx, t, e.name, c)
	if err != nil {
		bad := *asError(err).of(e.name)
		if bad.Code == Permission { // the tool's own floor: no policy was asked
			bad.verdict = Verdict{Reason: bad.reason(), Layer: "tool"}
		}
		return nil, &bad
	}
	if j == nil || j.Run == nil {
		return nil, ErrorOf(Unknown, e.name, "prepared no job")
	}
	own := *j
	own.Spec, own.Call, own.definition, own.Drafted = e.spec, c, e.definition, drafted
	if own.Title == "" {
		own.Title = e.name
	}
	return &own, nil
}

// understand is a tool's Prepare, bounded where it may wait for something.
func understand(ctx context.Context, t Tool, name string, c *Call) (*Job, error) {
	u := understanding{t, c}
	if _, ok := t.(Immediate); ok {
		return u.safely(ctx, name)
	}
	return bounded(ctx, prepareTime, name, u)
}

// decide asks the policy and acts on its word.
func (k *Kit) decide(ctx context.Context, j *Job, repairs []string) (*Result, error) {
	v := concluded
	if j.Call.concludes == nil {
		v = k.o.Policy.Judge(j)
	}
	k.tell(ctx, Event{Step: Judged, Job: j, Verdict: v})
	switch v.Decision {
	case Allow:
		by := unasked(v)
		if id, ok := k.spared(j, v); ok {
			v.Review, v.Deferred, v.Reason = false, false, approvedBefore
			by = Approver{Kind: ByGrant, Grant: id}
		}
		return k.proceed(ctx, j, v, approval{by: by})
	case Ask:
		return k.ask(ctx, &Question{Job: j, Verdict: v, Repairs: repairs})
	}
	return barred(j, v, "refused by policy"), nil
}

// barred is the result of a job that the verdict keeps from running.
func barred(j *Job, v Verdict, words string) *Result {
	return refused(j, v, ErrorOf(Permission, j.Call.Name, "%s", words).WithHint("%s", v.Why()))
}

func refused(j *Job, v Verdict, e *Error) *Result {
	e.Tool = j.Call.Name
	r := fail(e)
	r.Verdict = v
	return r
}

// ask runs the job if it was approved before, or is now.
func (k *Kit) ask(ctx context.Context, q *Question) (*Result, error) {
	j, v := q.Job, q.Verdict
	if id, ok := k.granted(j); ok {
		v.Reason = approvedBefore
		return k.proceed(ctx, j, v, approval{by: Approver{Kind: ByGrant, Grant: id}})
	}
	if by, ok := j.Call.Consent.take(j); ok {
		v.Reason = "approved with the calls that it was one of"
		return k.proceed(ctx, j, v, approval{by: by})
	}
	if k.o.Ask == nil && !v.IfChanged {
		return barred(j, v, nobodyAsked), nil
	}
	var bad *Error
	q.Preview, bad = preview(ctx, j)
	if bad != nil {
		return refused(j, v, bad), stopped(ctx)
	}
	if d, ok := q.Preview.(Diff); ok && v.IfChanged && d.Unchanged {
		v.Decision, v.Reason = Allow, "it changes nothing"
		return k.proceed(ctx, j, v, approval{by: unasked(v)})
	}
	if k.o.Ask == nil {
		return barred(j, v, nobodyAsked), nil
	}
	key := j.Digest(q.Preview)
	round := openRound(j.Call.Resume, key)
	if round.Approved {
		return k.proceed(ctx, j, v, approval{round.By, key})
	}
	q.Job = round.in(j)
	k.tell(ctx, Event{Step: Asked, Job: j, Verdict: v, Question: q})
	asking := time.Now()
	a, err := k.put(ctx, q)
	asked := time.Since(asking)
	if err == nil {
		k.tell(ctx, Event{Step: Answered, Job: j, Verdict: v, Question: q, Answer: a})
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("ask about %s: %w", j.Call.Name, err)
	case a.Need != nil:
		return &Result{Verdict: v, Need: round.next(key, Approver{}, a.Need)}, nil
	case !a.Yes:
		res := refused(j, v, declined(j, a))
		res.Asked, res.Took = asked, round.waited(q.Job)
		if !a.Unasked {
			res.Approver = a.by()
		}
		return res, nil
	}
	a.Note = k.remember(j, a)
	waited := round.waited(q.Job)
	res, err := k.proceed(ctx, j, v, approval{a.by(), key})
	if res == nil {
		return nil, err
	}
	res.Asked += asked
	res.Took = waited
	if a.Note != "" {
		res.Parts = append(res.Parts, Text(a.Note))
	}
	return res, err
}

const nobodyAsked = "needs approval, and nobody can be asked"

// remember keeps a yes for as long as it says. The note is what the model is told beside it.
func (k *Kit) remember(j *Job, a Answer) (note string) {
	if a.For == Once || k.o.Grants == nil {
		return a.Note
	}
	if err := k.o.Grants.Remember(j, a); err != nil {
		return fmt.Sprintf("The approval holds once only: it could not be remembered: %v", err)
	}
	return a.Note
}

// put puts a question to whoever is there. Whose time runs is told that it stands still.
func (k *Kit) put(ctx context.Context, q *Question) (Answer, error) {
	if waiting := q.Job.Call.Waiting; waiting != nil {
		waiting(true)
		defer waiting(false)
	}
	return k.o.Ask(ctx, q)
}

func declined(j *Job, a Answer) *Error {
	if a.Unasked {
		return ErrorOf(Permission, j.Call.Name, "needs approval, and nobody was asked").WithHint("%s", a.Note)
	}
	e := ErrorOf(Permission, j.Call.Name, "declined")
	if a.Note != "" {
		return e.WithHint("The person says: %s", a.Note)
	}
	return e.WithHint("Do not retry; ask what to do instead.")
}

// preview shows what the job would do. A tool whose preview fails would fail at its work: the error
// is the call's.
func preview(ctx context.Context, j *Job) (Display, *Error) {
	if j.Preview == nil {
		return nil, nil
	}
	d, err := bounded(ctx, previewTime, j.Call.Name, showing(j.Preview))
	if err != nil {
		return nil, asError(err).of(j.Call.Name)
	}
	return d, nil
}

// proceed runs the job.
func (k *Kit) proceed(ctx context.Context, j *Job, v Verdict, a approval) (*Result, error) {
	switch {
	case v.Confined && j.Confine == nil:
		return barred(j, v, "cannot be confined"), nil
	case v.Review && j.Review == nil:
		return barred(j, v, "cannot be looked at first"), nil
	}
	if v.Confined {
		j.Confine()
	}
	if v.Review {
		j.Review()
	}
	round := openRound(j.Call.Resume, a.key)
	j.Call.Resume = round.inner()
	var said lateAnswers
	j.Call.By, j.Call.Ask, j.Call.Consent, j.Call.Leaves = a.by, k.late(j, &said), nil, v.Leaves
	if j.Spec.Calls {
		j.Call.Ahead = k.ahead(j, &said)
	}
	k.tell(ctx, Event{Step: Began, Job: j, Verdict: v, Approver: a.by})
	res, err := k.run(ctx, j)
	if err != nil {
		res = fail(asError(err).of(j.Call.Name))
	} else if res == nil {
		res = fail(ErrorOf(Unknown, j.Call.Name, "returned no result"))
	}
	res = res.bounded(j)
	res.finish(j, v)
	res.Approver, res.Asked = said.outcome(a.by)
	if res.Need != nil {
		res.Need = round.next(a.key, a.by, res.Need)
	}
	return res, stopped(ctx)
}

// finish makes the result whole: an error that a tool returned gets the tool's name, also in the
// text, and one without a text gets its own.
func (r *Result) finish(j *Job, v Verdict) {
	r.Verdict = v
	if r.Err == nil {
		return
	}
	nameless := *r.Err
	r.Err = nameless.of(j.Call.Name)
	if len(r.Parts) == 0 || len(r.Parts) == 1 && r.Parts[0] == Part(Text(nameless.Text())) {
		r.Parts = []Part{Text(r.Err.Text())}
	}
	if r.Display == Display(Summary(nameless.Error())) {
		r.Display = Summary(r.Err.Error())
	}
}

// stopped is the host's error of a call whose context is done.
func stopped(ctx context.Context) error { return ctx.Err() }

// runJob is the innermost Runner. It catches what the tool throws in the goroutine that runs it.
func runJob(ctx context.Context, j *Job) (res *Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			res, err = nil, panicked(j.Call.Name, p)
		}
	}()
	res, err = j.Run(ctx)
	if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil, ended(ctx, j.Call.Name)
	}
	return res, err
}

// ended is the error of work that stopped because its context is done.
func ended(ctx context.Context, name string) *Error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return ErrorOf(TimedOut, name, "timed out")
	}
	return ErrorOf(Cancelled, name, "cancelled")
}
