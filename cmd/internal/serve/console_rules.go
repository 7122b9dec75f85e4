package serve

import (
	"context"
	"fmt"

	"helve/cmd/internal/rules"
	"helve/server/console"
)

var _ console.Ruler = (*consoleData)(nil)

// Rules are those that count in the workspace, as helve rules shows them.
func (d *consoleData) Rules(context.Context) ([]console.Rule, error) {
	all, _, err := rules.All(d.s.Silent(), d.c)
	out := make([]console.Rule, 0, len(all))
	for _, r := range all {
		out = append(out, console.Rule{
			Number: r.Number, Decision: r.Decision, Rule: r.Rule,
			Layer: r.Layer, File: r.File, Line: r.Line, Used: r.Used,
		})
	}
	return out, err
}

// newRule is a rule as helve allow, ask and deny write it.
func (d *consoleData) newRule(r console.NewRule) (rules.New, error) {
	out := rules.New{Common: d.c, Decision: r.Decision, Rule: r.Rule}
	switch r.Where {
	case "", "local":
	case "project":
		out.Project = true
	case "user":
		out.User = true
	default:
		return out, fmt.Errorf("where: %q: want local, project or user", r.Where)
	}
	return out, nil
}

// AddRule writes a rule, as helve allow, ask and deny do, and has it count at once.
func (d *consoleData) AddRule(ctx context.Context, r console.NewRule) (console.Change, error) {
	made, err := d.newRule(r)
	if err != nil {
		return console.Change{}, err
	}
	file, odd, err := made.Write(ctx, d.s.Silent())
	if err != nil {
		return console.Change{}, err
	}
	change := console.Change{File: file, Line: r.Decision + " " + r.Rule, Done: true}
	for _, f := range odd {
		change.Note += f.Message + "\n"
	}
	return change, d.ruled("rule", change.Line)
}

// TryRule is helve rules try.
func (d *consoleData) TryRule(ctx context.Context, r console.NewRule) (console.RuleTrial, error) {
	made, err := d.newRule(r)
	if err != nil {
		return console.RuleTrial{}, err
	}
	t, err := made.Try(ctx, d.s.Silent())
	out := console.RuleTrial{Calls: t.Calls, Untold: t.Untold, Changed: []console.ChangedCall{}}
	for _, c := range t.Changed {
		out.Changed = append(out.Changed, console.ChangedCall{Time: c.Time, Title: c.Title, Then: c.Then, Now: c.Now})
	}
	return out, err
}

// RemoveRule is helve rules rm.
func (d *consoleData) RemoveRule(_ context.Context, r console.Rule) error {
	if err := rules.Remove(d.s.Silent(), d.c, seen(r)); err != nil {
		return err
	}
	return d.ruled("rule-remove", r.Decision+" "+r.Rule)
}

// LastRule is helve rules last.
func (d *consoleData) LastRule(_ context.Context, r console.Rule) error {
	if err := rules.Last(d.s.Silent(), d.c, seen(r)); err != nil {
		return err
	}
	return d.ruled("rule-last", r.Decision+" "+r.Rule)
}

// seen is a rule as the page showed it.
func seen(r console.Rule) rules.Rule {
	return rules.Rule{Number: r.Number, Decision: r.Decision, Rule: r.Rule, File: r.File}
}

// ruled notes a change of the rules in the record, and has it count at once.
func (d *consoleData) ruled(what, title string) error {
	ws := d.w.workspace()
	if ws == nil {
		return errNoWorkspace
	}
	if err := d.note(ws, what, title); err != nil {
		return err
	}
	if err := ws.Reload(); err != nil {
		return fmt.Errorf("it is written, and the configuration cannot be used: %w", err)
	}
	return nil
}
