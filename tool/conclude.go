package tool

import "context"

// Conclude carries the end of several calls through the kit, such as the commit of what they drafted, as one more call,
// by the name of c: it is on record, Watch is told, and work asks by the Ask of the call that it gets. No policy judges
// it: the calls were judged, and work must do nothing beyond them. Failures are in the result, as those of Call are.
func (k *Kit) Conclude(
	ctx context.Context, c *Call, work func(context.Context, *Call) (*Result, error),
) (*Result, error) {
	t, err := Make(Spec{
		Name:   c.Name,
		Origin: Origin{Kind: Builtin, Name: c.Name},
		Doc:    Doc{Short: "Ends calls that belong together."},
		Kind:   Write,
		Calls:  true, // it waits for persons, which costs no time
	}, func(ctx context.Context, c *Call, _ struct{}) (*Result, error) { return work(ctx, c) })
	if err != nil {
		return nil, err
	}
	own := *c
	own.concludes = t
	return k.Call(ctx, &own)
}
