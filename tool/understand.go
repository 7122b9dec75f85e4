package tool

import "context"

// Understand is the call as the door would understand it: found, checked, prepared. Nobody has
// judged it and nothing has run; the job is for those who look at calls before the door does, such
// as hooks. The error is the model's, an *Error.
func (k *Kit) Understand(ctx context.Context, c *Call) (*Job, error) {
	e, own, bad := k.meant(c)
	if bad != nil {
		return nil, bad
	}
	own.Name, own.Kit = e.name, k
	if own.Progress == nil {
		own.Progress = noProgress
	}
	own.Whole = wholeOf(c)
	args, _, bad := e.check(&own)
	if bad != nil {
		return nil, bad
	}
	own.Args = args
	j, bad := k.prepare(ctx, e, &own)
	if bad != nil {
		return nil, bad
	}
	return j, nil
}

// Show is what whoever is asked about a job would see of it; nil: nothing beyond its title. It takes as long as the
// door gives it, and a tool that panics fails it. The error is the model's, an *Error.
func (k *Kit) Show(ctx context.Context, j *Job) (Display, error) {
	d, bad := preview(ctx, j)
	if bad != nil {
		return nil, bad
	}
	return d, nil
}
