package workspace

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"helve/policy"
	"helve/tool"
)

// An Explanation says what decides about a tool and about a call of it. It encodes to the JSON of helve why --json.
type Explanation struct {
	Name string `json:"-"`    // the tool's public name
	Call Reason `json:"call"` // may it run?
	List Reason `json:"list"` // is it offered?

	// Repairs are what a call of these arguments would mend or leave out, a sentence each, as in tool.Result.
	Repairs []string `json:"repairs,omitempty"`

	// Calls are those that a script is certain to make; More tells that it may make others, which depends on what the
	// calls bring.
	Calls []Foreseen `json:"calls,omitempty"`
	More  bool       `json:"more,omitempty"`
}

// A Reason is a verdict with the chain that led to it.
type Reason struct {
	Verdict tool.Decision `json:"verdict"`
	Reason  string        `json:"reason"` // a sentence
	Rule    string        `json:"rule"`   // the rule that decided, as it is written; "" for defaults
	Layer   string        `json:"layer"`  // where that stands: flags, project, user, managed, default, floor
	File    string        `json:"file"`   // "" for flags and defaults
	Line    int           `json:"line"`   // from 1; 0: not known
	Steps   []Step        `json:"steps,omitempty"`
}

// A Step is one thing that had a say in a decision, in the order in which they were looked at.
type Step struct {
	What   string `json:"what"` // allowed_tools, disabled_tools, tools, rule, mode, floor, default, listing, call, answers
	Text   string `json:"text"`
	Says   string `json:"says"`
	Effect string `json:"effect,omitempty"` // what it is about: "write a.go"
	Layer  string `json:"layer,omitempty"`
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`

	Decides bool `json:"-"`
}

// An explaining tells what the rules say to calls, and why.
type explaining struct {
	guard    *guard
	registry *tool.Registry
	past     Past
	kit      *tool.Kit
}

// why tells what the rules say to a call, and why. Nothing is run, and nobody is asked: approvals that were given
// before do not count either. A call without arguments asks about the tool as a whole.
//
// The error is a *tool.Error: there is no such tool, its arguments are wrong, or they mean nothing that could be
// judged.
func (e explaining) why(ctx context.Context, c *tool.Call) (Explanation, error) {
	registry, rules := e.registry, e.guard.rules()
	if slices.Contains(pastNames, c.Name) && !e.guard.conf.opened.wantsPast() { // a person's, as helve undo
		p, err := e.past.byPerson()
		if err != nil {
			return Explanation{}, err
		}
		registry, rules = p.registry, p.rules
	}
	all := registry.View() // what is switched off has a reason, too
	t, bad := all.Lookup(c.Name)
	if bad != nil {
		return Explanation{}, e.withTraces(bad, c.Name)
	}
	if of, args, other := meant(t.Spec(), c.Args); other {
		other := *c
		other.Name, other.Args = of.Name, args
		return e.why(ctx, &other)
	}
	list := rules.ExplainListing(t.Spec())
	call, err := e.explainCall(ctx, registry, rules, t.Spec(), c)
	if err != nil {
		return Explanation{}, err
	}
	if list.Verdict.Decision == tool.Deny {
		call.Verdict = list.Verdict
	}
	name := all.Name(t.Spec())
	x := Explanation{
		Name:    name,
		List:    reasonOf(list),
		Call:    reasonOf(call),
		Repairs: repairsOf(t.Spec(), name, c.Args),
	}
	err = e.foresee(ctx, t, c, &x)
	return x, err
}

// repairsOf are what a call of these arguments would tell of them.
func repairsOf(s *tool.Spec, name string, args json.RawMessage) []string {
	if len(args) == 0 {
		return nil
	}
	m, err := s.Mend(args)
	if err != nil {
		return nil // the call was not understood, which is the error that is told
	}
	told := tool.NewResult()
	told.Tell(name, m)
	return told.Repairs
}

// withTraces adds what the configuration says of a name that means no tool.
func (e explaining) withTraces(bad *tool.Error, name string) *tool.Error {
	lines := []string{bad.Hint}
	for _, u := range e.guard.rules().Unmatched(e.registry.Specs(), nil) {
		if u.Name != name {
			continue
		}
		line := fmt.Sprintf("%s speaks of it (%s); it will hold for a tool of that name", u.At, u.Key)
		lines = append(lines, line)
	}
	for _, g := range e.guard.conf.now.Load().Ignored {
		if strings.HasPrefix(g.Key, "mcp_servers") || g.Key == "discovery" {
			line := fmt.Sprintf("%s: %s is ignored: %s", g.At, g.Key, g.Why)
			lines = append(lines, line)
		}
	}
	out := *bad
	out.Hint = strings.TrimPrefix(strings.Join(lines, "\n"), "\n")
	return &out
}

func (e explaining) explainCall(
	ctx context.Context, registry *tool.Registry, rules *policy.Rules, s *tool.Spec, c *tool.Call,
) (policy.Explanation, error) {
	own := *c
	if own.Dir == "" {
		own.Dir = e.guard.places.dir()
	}
	if len(own.Args) == 0 {
		return rules.ExplainCall(&tool.Job{Spec: s, Call: &own}), nil
	}
	all := registry.Kit(tool.KitOptions{Policy: everything{}})
	j, err := all.Understand(ctx, &own)
	if err == nil {
		return rules.ExplainCall(j), nil
	}
	refused := tool.Fail(err)
	if refused.Err.Code == tool.Permission { // the tool itself refuses, whatever the policy says
		return ownRefusal(refused.Verdict), nil
	}
	return policy.Explanation{}, err
}

// everything is the policy under which a call is understood that is not going to run.
type everything struct{}

func (everything) Lists(*tool.Spec) tool.Verdict { return tool.Verdict{Decision: tool.Allow} }

func (everything) Judge(*tool.Job) tool.Verdict { return tool.Verdict{} }

// ownRefusal explains a call that its tool refuses before any policy is asked: a catastrophic command, a path outside
// the workspace.
func ownRefusal(v tool.Verdict) policy.Explanation {
	step := policy.Step{
		What:    "floor",
		Text:    v.Reason,
		Says:    v.Decision.String(),
		At:      policy.Place{Layer: v.Layer},
		Decides: true,
	}
	return policy.Explanation{Verdict: v, Steps: []policy.Step{step}}
}

func reasonOf(x policy.Explanation) Reason {
	v := x.Verdict
	r := Reason{
		Verdict: v.Decision,
		Reason:  v.Reason,
		Rule:    v.Rule,
		Layer:   v.Layer,
		File:    v.File,
		Line:    v.Line,
	}
	for _, s := range x.Steps {
		r.Steps = append(r.Steps, Step{
			What:    s.What,
			Text:    s.Text,
			Says:    s.Says,
			Effect:  effectOf(s.About),
			Layer:   s.At.Layer,
			File:    s.At.File,
			Line:    s.At.Line,
			Decides: s.Decides,
		})
	}
	return r
}

func effectOf(e tool.Effect) string {
	if e.Target == "" {
		return ""
	}
	return e.Kind.String() + " " + e.Target
}

// A Foreseen is a call that a script is certain to make, unless one before it fails, and what the rules say to it.
type Foreseen struct {
	Name string          `json:"name"` // the tool's public name
	Args json.RawMessage `json:"args,omitempty"`
	Call Reason          `json:"call"`
}

// A foreseer is a tool that makes calls, which can be known before: run_script.
type foreseer interface {
	Foresee(ctx context.Context, kit *tool.Kit, c *tool.Call) (calls []*tool.Call, more bool, err error)
}

// foresee adds to an explanation what a script would call. The rules have nothing to say to run_script itself: they
// decide about each of its calls.
func (e explaining) foresee(ctx context.Context, t tool.Tool, c *tool.Call, x *Explanation) error {
	scripts, ok := t.(foreseer)
	if !ok || len(c.Args) == 0 {
		return nil
	}
	m, err := t.Spec().Mend(c.Args)
	if err != nil {
		return nil // the explanation of the call says so
	}
	own := *c
	own.Args = m.Args
	if own.Dir == "" {
		own.Dir = e.guard.places.dir()
	}
	calls, more, err := scripts.Foresee(ctx, e.kit, &own)
	if err != nil {
		return fmt.Errorf("what the script would call: %w", err)
	}
	x.More = more
	for _, call := range calls {
		f := Foreseen{Name: call.Name, Args: call.Args}
		inner, err := e.why(ctx, call)
		if err != nil { // it would fail as it stands
			f.Call = Reason{Verdict: tool.Deny, Reason: err.Error(), Layer: "lookup"}
		} else {
			f.Call = inner.Call
		}
		x.Calls = append(x.Calls, f)
	}
	return nil
}
