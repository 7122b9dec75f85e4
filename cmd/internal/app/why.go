package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"helve/policy"
	"helve/tool"
)

func (a *app) whyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "why NAME [JSON | - | key=value …]",
		Short: "Tell which layer, file and line decides about a tool, or about a call",
		Example: `  helve why write
  helve why edit file_path=internal/x.go old_string=a new_string=b`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("%s: want the name of a tool\nhint: helve list --all", cmd.CommandPath())
			}
			return nil
		},
		ValidArgsFunction: a.completeTools,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.why(cmd.Context(), args[0], args[1:]) },
	}
	a.jsonFlag(cmd)
	return cmd
}

// A reason is a verdict as JSON.
type reason struct {
	Verdict tool.Decision `json:"verdict"`
	Reason  string        `json:"reason"`
	Rule    string        `json:"rule"`
	Layer   string        `json:"layer"`
	File    string        `json:"file"`
	Line    int           `json:"line"`
	Steps   []step        `json:"steps,omitempty"`
}

// A step is one link of the chain.
type step struct {
	What   string `json:"what"`
	Text   string `json:"text"`
	Says   string `json:"says"`
	Effect string `json:"effect,omitempty"`
	Layer  string `json:"layer,omitempty"`
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
}

func (a *app) why(ctx context.Context, name string, words []string) error {
	h, err := a.open(nil)
	if err != nil {
		return err
	}
	defer h.Close()
	a.connectFor(ctx, h, name)
	all := h.reg.View() // what is switched off has a reason, too
	t, bad := all.Lookup(name)
	if bad != nil {
		a.say("%s", bad.Text())
		a.whyMissing(h, name)
		return &exitError{status: statusOf(bad)}
	}
	list := h.rules.ExplainListing(t.Spec())
	var call policy.Explanation
	j, err := a.jobOf(ctx, h, t, words)
	switch refused := (*tool.Error)(nil); {
	case err == nil:
		call = h.rules.ExplainCall(j)
	case errors.As(err, &refused) && refused.Code == tool.Permission: // the tool itself refuses, whatever the policy says
		call = ownRefusal(refused)
	default:
		return err
	}
	if list.Verdict.Decision == tool.Deny {
		call.Verdict = list.Verdict
	}
	if a.flags.json {
		return a.printJSON(map[string]reason{"list": reasonOf(list), "call": reasonOf(call)})
	}
	out := a.env.Stdout
	fmt.Fprintf(out, "%s\n", printable(all.Name(t.Spec())))
	h.printReason(out, "list", list)
	h.printReason(out, "call", call)
	return nil
}

// whyMissing says which configuration speaks of a name that means no tool, and which sources are ignored. What is not there was said.
func (a *app) whyMissing(h *house, name string) {
	for _, u := range h.rules.Unmatched(h.reg.View().Specs(), nil) {
		if u.Name == name {
			a.say("%s speaks of it (%s); it will hold for a tool of that name", u.At, u.Key)
		}
	}
	for _, g := range h.set.Ignored {
		if strings.HasPrefix(g.Key, "mcp_servers") || g.Key == "discovery" {
			a.say("%s: %s is ignored: %s", printable(g.At.String()), printable(g.Key), g.Why)
		}
	}
}

// ownRefusal explains a call that its tool refuses before any policy is asked: a catastrophic command, a path outside the workspace.
func ownRefusal(e *tool.Error) policy.Explanation {
	v := tool.Verdict{Reason: strings.ReplaceAll(e.Text(), "\n", ": "), Rule: "built-in floor", Layer: "default"}
	return policy.Explanation{Verdict: v, Steps: []policy.Step{{What: "floor", Text: v.Reason, Says: "deny", At: policy.Place{Layer: v.Layer}, Decides: true}}}
}

// prepareTime bounds how long a tool may think about a call.
const prepareTime = 10 * time.Second

// jobOf is the call understood, as the door does it, or, without arguments, a call of which nothing is known.
func (a *app) jobOf(ctx context.Context, h *house, t tool.Tool, words []string) (*tool.Job, error) {
	c := &tool.Call{Name: t.Spec().Name, Dir: h.dir, Progress: func(tool.Progress) {}}
	if len(words) == 0 {
		return &tool.Job{Spec: t.Spec(), Call: c}, nil
	}
	args, err := a.arguments(words)
	if err != nil {
		return nil, err
	}
	if c.Args, _, err = t.Spec().Input.Repair(args, t.Spec().Params); err != nil {
		return nil, &exitError{exitFailed, err}
	}
	ctx, cancel := context.WithTimeout(ctx, prepareTime)
	defer cancel()
	j, err := t.Prepare(ctx, c)
	if err != nil {
		return nil, &exitError{statusOf(tool.Fail(err).Err), err}
	}
	own := *j
	own.Spec, own.Call = t.Spec(), c
	return &own, nil
}

func reasonOf(x policy.Explanation) reason {
	v := x.Verdict
	r := reason{Verdict: v.Decision, Reason: v.Reason, Rule: v.Rule, Layer: v.Layer, File: v.File, Line: v.Line}
	for _, s := range x.Steps {
		r.Steps = append(r.Steps, step{s.What, s.Text, s.Says, effectOf(s.About), s.At.Layer, s.At.File, s.At.Line})
	}
	return r
}

func effectOf(e tool.Effect) string {
	if e.Target == "" {
		return ""
	}
	return e.Kind.String() + " " + e.Target
}

func (h *house) printReason(w io.Writer, what string, x policy.Explanation) {
	fmt.Fprintf(w, "  %s: %s – %s\n", what, x.Verdict.Decision, printable(x.Verdict.Reason))
	for _, s := range x.Steps {
		mark := " "
		if s.Decides {
			mark = "→"
		}
		line := fmt.Sprintf("    %s %s: %s", mark, s.What, s.Text)
		if s.Says != "" {
			line += " = " + s.Says
		}
		if at := s.At; at.File != "" {
			line += fmt.Sprintf("  (%s layer, %s:%d)", at.Layer, h.relative(at.File), at.Line)
		} else if at.Layer != "" {
			line += "  (" + at.Layer + ")"
		}
		fmt.Fprintln(w, printable(line))
	}
}
