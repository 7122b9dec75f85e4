package workspace

import (
	"context"
	"encoding/json"
	"strings"

	"helve/tool"
	"helve/wrap"
)

// Rejudge tells what the rules say today to a call that is on record, and whether the record says enough of it: its tool
// is there, and nothing of what it touched was cut off. Nothing is run, and nobody is asked.
func Rejudge(ctx context.Context, w *Assembly, r *wrap.Record) (tool.Verdict, bool) {
	t, bad := w.registry.View().Lookup(r.Name)
	if bad != nil || r.Origin == nil || t.Spec().Origin.String() != r.Origin.String() {
		return tool.Verdict{}, false
	}
	e := w.explain()
	c := &tool.Call{Name: r.Name, Args: r.Args, Dir: w.Dir()}
	for _, of := range r.Effects {
		if strings.HasSuffix(of.Target, "…") {
			return tool.Verdict{}, false
		}
		own := t.Spec().Origin.Kind == tool.Builtin && len(c.Args) == 0
		if own && of.Kind == tool.Exec && of.Target != tool.AnyTarget {
			c.Args, _ = json.Marshal(map[string]string{"command": of.Target})
		}
	}
	rules := w.guard.rules()
	if list := rules.ExplainListing(t.Spec()); list.Verdict.Decision == tool.Deny {
		return list.Verdict, true
	}
	if len(c.Args) > 0 {
		x, err := e.explainCall(ctx, w.registry, rules, t.Spec(), c)
		return x.Verdict, err == nil
	}
	return rules.ExplainCall(&tool.Job{Spec: t.Spec(), Call: c, Title: r.Title, Effects: r.Effects}).Verdict, true
}
