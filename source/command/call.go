package command

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	rawjson "helve/internal/json"
	"helve/source/internal/foreign"
	"helve/tool"
)

// discovered is one tool of the discovery.
type discovered struct {
	src  *Source
	call []string // the call command's words; nil: none is configured
	spec *tool.Spec
}

func (d *discovered) Spec() *tool.Spec { return d.spec }

// Prepare starts nothing; what the command would do is not known.
func (d *discovered) Prepare(_ context.Context, c *tool.Call) (*tool.Job, error) {
	if len(d.call) == 0 {
		return nil, tool.Errorf(tool.Execution, "no call command is configured").
			WithHint("Set discovery.call to the command that runs a discovered tool.")
	}
	line := strings.Join(append(d.call[:len(d.call):len(d.call)], d.spec.Name), " ")
	args := c.Args
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	return &tool.Job{
		Title:     "run " + line,
		Signature: line,
		Preview: func(context.Context) (tool.Display, error) {
			return tool.Summary(fmt.Sprintf("%s\nin %s, with %s on its stdin", line, d.src.cfg.Dir, args)), nil
		},
		Run: func(ctx context.Context) (*tool.Result, error) { return d.run(ctx, args) },
	}, nil
}

// run calls the tool under the name that it was discovered with.
func (d *discovered) run(ctx context.Context, args json.RawMessage) (*tool.Result, error) {
	argv := append(d.call[:len(d.call):len(d.call)], d.spec.Name)
	run, cancel := context.WithTimeout(ctx, d.src.cfg.CallTimeout)
	defer cancel()
	o, err := d.src.o.Runner.Run(run, d.src.process(argv, d.call, args, WorkspaceWrite))
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if o == nil {
		o = &Outcome{Code: -1}
	}
	var res *tool.Result
	switch {
	case run.Err() != nil:
		res = report(o, tool.Errorf(tool.TimedOut, "timed out after %v", d.src.cfg.CallTimeout))
	case err != nil:
		res = report(o, tool.Errorf(tool.Execution, "%v", err))
	case o.Exceeded != "":
		res = report(
			o,
			tool.Errorf(tool.Execution, "more than %d bytes on %s", bound(o.Exceeded), o.Exceeded),
		)
	case o.Lost != nil:
		res = report(o, tool.Errorf(tool.Execution, "what the call command printed could not be kept: %v", o.Lost).
			WithHint("It ended; only its answer is missing. Look at what it did before you repeat it."))
	case o.Signal != "" || o.Code != 0:
		res = report(o, nil)
	default:
		res = answer(o)
	}
	if res.Err != nil && o.Hint != "" {
		res.Err = res.Err.WithHint("%s", o.Hint)
	}
	if o.Sandbox != nil {
		res.WithMeta(map[string]any{"sandbox": o.Sandbox})
	}
	return res, nil
}

// answer is the result of a command that went well: the five lines if it
// complained, what its stdout means if not.
func answer(o *Outcome) *tool.Result {
	if len(o.Stderr) > 0 {
		return tool.NewResult(tool.Text(fiveLines(o, nil)))
	}
	text, _ := rawjson.Tame(strings.ToValidUTF8(string(o.Stdout), "\ufffd"))
	if foreign.LooksLikeResult(o.Stdout) {
		if res, err := foreign.Result([]byte(text)); err == nil {
			return res
		}
	}
	return tool.NewResult(tool.Text(text)).WithSummary("%s", text)
}

// report is the result of one that did not.
func report(o *Outcome, why *tool.Error) *tool.Result {
	res := tool.NewResult(tool.Text(fiveLines(o, why)))
	switch {
	case why != nil:
		res.Err = why
	case o.Signal != "":
		res.Err = tool.Errorf(tool.Execution, "the call command was ended by %s", o.Signal)
	default:
		res.Err = tool.Errorf(tool.Execution, "the call command ended with exit status %d", o.Code)
	}
	res.Display = tool.Summary(res.Err.Error())
	return res
}

// fiveLines is the report of a command that went wrong.
func fiveLines(o *Outcome, why *tool.Error) string {
	or := func(s, none string) string {
		if s == "" {
			return none
		}
		s, _ = rawjson.Tame(strings.ToValidUTF8(s, "\ufffd"))
		return s
	}
	reason, code := "", fmt.Sprint(o.Code)
	if why != nil {
		reason = why.Err.Error()
	}
	if o.Code < 0 {
		code = ""
	}
	return strings.Join([]string{
		"Stdout: " + or(strings.TrimRight(string(o.Stdout), "\r\n"), "(empty)"),
		"Stderr: " + or(strings.TrimRight(string(o.Stderr), "\r\n"), "(empty)"),
		"Error: " + or(reason, "(none)"),
		"Exit Code: " + or(code, "(none)"),
		"Signal: " + or(o.Signal, "(none)"),
	}, "\n")
}
