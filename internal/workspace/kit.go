package workspace

import (
	"context"
	"fmt"
	"slices"
	"time"

	"helve/internal/programs"
	"helve/tool"
	"helve/tool/telemetry"
	"helve/wrap"
)

// NewKit makes a further kit of the workspace's tools, under the same configuration and approvals: for another profile,
// or for another mode, as after a plan was approved.
func (w *Assembly) NewKit(o KitOptions) (*tool.Kit, error) {
	options, err := w.kitOptions(o)
	if err != nil {
		return nil, err
	}
	return w.registry.Kit(options), nil
}

func (w *Assembly) kitOptions(o KitOptions) (tool.KitOptions, error) {
	bounds := wrap.Options{ResultBytes: w.settings.Limits.ResultBytes, Endless: w.o.Attached != nil}
	out := tool.KitOptions{
		Ask:    o.Ask,
		Grants: w.grants,
		Watch:  w.watching(),
		Around: slices.Concat(w.around, o.Around),
		Wrap:   slices.Concat(w.o.Wrap, wrap.Standard(bounds)),
		Names:  w.o.Names,
	}
	if w.o.Telemetry != nil { // the innermost: what works, without what it waits for
		out.Wrap = append(out.Wrap, telemetry.Calls{To: w.o.Telemetry}.Wrap)
	}
	if o.Ask == nil {
		out.Ask = w.o.Ask
	}
	live, s, err := w.policyOf(o)
	if err != nil {
		return out, err
	}
	out.Policy = live
	if shows := w.brought.shows; shows != nil {
		out.Show = func(t *tool.Spec) bool { return shows(s.set, t) }
	}
	if !w.o.Worker { // who knows the tools by their own definitions, and says which is meant
		out.Listing = s.listing(o.todos)
	}
	return out, nil
}

// watching is who is told of the steps of calls; nil: nobody.
func (w *Assembly) watching() func(context.Context, tool.Event) {
	own, to := w.o.Watch, w.o.Telemetry
	if to == nil {
		return own
	}
	spans := telemetry.Calls{To: to}.Watch
	if own == nil {
		return spans
	}
	return func(ctx context.Context, e tool.Event) {
		own(ctx, e)
		spans(ctx, e)
	}
}

// hooks are the configuration's commands around calls. One that cannot be understood is an error: what it was
// to prevent would happen.
func (w *Assembly) hooks() (*wrap.Hooks, error) {
	out := &wrap.Hooks{Dir: w.Dir(), Environ: w.o.Environ}
	out.Understand = func(ctx context.Context, c *tool.Call) (*tool.Job, error) {
		return w.kit.Understand(ctx, c)
	}
	for i, c := range w.settings.Hooks {
		at := w.settings.AtItem("hooks", i)
		argv, err := programs.Split(c.Command, w.getenv("HOME"))
		if err != nil || len(argv) == 0 || argv[0] == "" {
			return nil, fmt.Errorf("%s: hooks: %q is no command", at, c.Command)
		}
		if c.On != "before" && c.On != "after" {
			return nil, fmt.Errorf("%s: hooks: on %q: want before or after", at, c.On)
		}
		hook := wrap.Hook{
			After:   c.On == "after",
			Argv:    argv,
			Timeout: time.Duration(c.Timeout),
		}
		if c.Match != "" {
			hook.Match = func(s *tool.Spec) bool { return w.rules().Selects(c.Match, s) }
		}
		out.List = append(out.List, hook)
	}
	return out, nil
}

// makeKit puts together all that stands around a call.
func (w *Assembly) makeKit() error {
	hooks, err := w.hooks()
	if err != nil {
		return err
	}
	records := Records{w.places.StateDir}
	journal := records.journal()
	counts := &wrap.Counter{}
	unkept := w.onceOnly("the record of calls cannot be kept")
	w.later(func() error {
		if err := records.count(counts); err != nil { // what the calls did stands all the same
			unkept(err)
		}
		return nil
	})
	w.later(journal.Close)
	w.record = journal.Append
	journal.Fail = unkept
	audit := wrap.Audit(wrap.AuditOptions{
		Workspace: w.Dir(),
		Principal: "local",
		Write:     journal.Append,
		Later:     journal.Later,
		Args:      w.o.RecordArgs,
		Fail:      unkept,
	})
	w.around = slices.Clone(w.o.Outermost)
	if w.o.Telemetry != nil {
		w.around = append(w.around, telemetry.Calls{To: w.o.Telemetry}.Around)
	}
	w.around = append(w.around,
		w.calls.around,
		counts.Count)
	if !w.o.Unrecorded {
		w.around = append(w.around, audit)
	}
	w.around = append(w.around,
		w.unused.idle.Mark)
	w.around = append(w.around, w.brought.around...)
	w.around = append(w.around, hooks.Around)
	w.around = append(w.around, w.o.Around...)
	o, err := w.kitOptions(KitOptions{})
	if err != nil {
		return err
	}
	w.kit = w.registry.Kit(o)
	return nil
}
