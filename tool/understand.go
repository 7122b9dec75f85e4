package tool

import "context"

// Understand is the call as the door would understand it: found, checked, prepared. Nobody has
// judged it and nothing has run; the job is for those who look at calls before the door does, such
// as hooks. The error is the model's, an *Error.
func (k *Kit) Understand(ctx context.Context, c *Call) (*Job, error) {
	e, bad := k.View().enter(c)
	if bad != nil {
		return nil, bad
	}
	own := *c
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
