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

// kits make kits of the workspace's tools, all under its rules, with the same middlewares around their calls.
type kits struct {
	guard     *guard
	brought   *brought
	bounds    wrap.Options
	ask       tool.Asker
	watch     func(context.Context, tool.Event)
	around    []func(tool.Caller) tool.Caller
	wrap      []func(tool.Runner) tool.Runner
	names     tool.Names
	telemetry telemetry.Provider
	worker    bool // whoever calls knows the tools by their own definitions, and says which is meant
}

func newKits(o *Options, g *guard, from *brought) *kits {
	return &kits{
		guard:     g,
		brought:   from,
		bounds:    wrap.Options{ResultBytes: g.conf.opened.Limits.ResultBytes, Endless: o.Attached != nil},
		ask:       o.Ask,
		watch:     watching(o.Watch, o.Telemetry),
		wrap:      o.Wrap,
		names:     o.Names,
		telemetry: o.Telemetry,
		worker:    o.Worker,
	}
}

// surround puts the middlewares around all calls, the outermost first.
func (k *kits) surround(o *Options, running *calls, kept *records, s *sources, hooks *wrap.Hooks) {
	k.around = slices.Clone(o.Outermost)
	if k.telemetry != nil {
		k.around = append(k.around, telemetry.Calls{To: k.telemetry}.Around)
	}
	k.around = append(k.around, running.around, kept.counts.Count)
	if !o.Unrecorded {
		k.around = append(k.around, kept.audit(o, k.guard.places.dir()))
	}
	k.around = append(k.around, s.unused.idle.Mark)
	k.around = append(k.around, k.brought.around...)
	k.around = append(k.around, hooks.Around)
	k.around = append(k.around, o.Around...)
}

// options are those of a kit.
func (k *kits) options(o KitOptions) (tool.KitOptions, error) {
	out := tool.KitOptions{
		Ask:    o.Ask,
		Grants: k.guard.grants,
		Watch:  k.watch,
		Around: slices.Concat(k.around, o.Around),
		Wrap:   slices.Concat(k.wrap, wrap.Standard(k.bounds)),
		Names:  k.names,
	}
	if k.telemetry != nil { // the innermost: what works, without what it waits for
		out.Wrap = append(out.Wrap, telemetry.Calls{To: k.telemetry}.Wrap)
	}
	if o.Ask == nil {
		out.Ask = k.ask
	}
	live, s, err := k.guard.policyOf(o)
	if err != nil {
		return out, err
	}
	out.Policy = live
	if shows := k.brought.shows; shows != nil {
		out.Show = func(t *tool.Spec) bool { return shows(s.set, t) }
	}
	if !k.worker {
		out.Listing = s.listing(o.todos)
	}
	return out, nil
}

// watching is who is told of the steps of calls; nil: nobody.
func watching(own func(context.Context, tool.Event), to telemetry.Provider) func(context.Context, tool.Event) {
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

// hooksOf are the configuration's commands around calls, as understand understands them. One that cannot be understood
// is an error: what it was to prevent would happen.
func hooksOf(g *guard, understand func(context.Context, *tool.Call) (*tool.Job, error)) (*wrap.Hooks, error) {
	out := &wrap.Hooks{Dir: g.places.dir(), Environ: g.places.environ, Understand: understand}
	for i, c := range g.conf.opened.Hooks {
		at := g.conf.opened.AtItem("hooks", i)
		argv, err := programs.Split(c.Command, g.places.getenv("HOME"))
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
			hook.Match = func(s *tool.Spec) bool { return g.rules().Selects(c.Match, s) }
		}
		out.List = append(out.List, hook)
	}
	return out, nil
}
