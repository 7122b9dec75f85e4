package wrap

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"helve/internal/spawn"
	"helve/tool"
)

const (
	// DefaultHookTime is what a hook gets: it stands between a model and every call.
	DefaultHookTime = 10 * time.Second
	// maxHookOut is what a hook may print, and maxHookSaid what of its stderr is repeated, in bytes.
	maxHookOut  = 1 << 20
	maxHookSaid = 1000
	// maxHookText is how much of a result's text a hook is given, in bytes.
	maxHookText = 256 << 10
	// maxRewrites bounds how often one call may be rewritten.
	maxRewrites = 16
)

// A Hook is an external command that is asked about calls. Before a call it gets {tool, args, effects} as JSON on stdin, after it
// {tool, args, effects, result} too; on stdout it may answer {decision, args, note}: decision deny refuses the call, or withholds the
// result; args replace the arguments, and are checked again like any; note is added to what the model reads. No answer is no objection.
// A hook that fails, by its exit status, its time or its answer, refuses: what it was to prevent must not happen because it broke.
type Hook struct {
	After   bool                  // asked when the call is over, not before it
	Match   func(*tool.Spec) bool // nil: every tool
	Argv    []string              // no shell
	Timeout time.Duration         // 0 means DefaultHookTime
}

// name is what messages call the hook: its program.
func (h Hook) name() string {
	if len(h.Argv) == 0 {
		return "without a command"
	}
	return h.Argv[0]
}

// Hooks run commands around calls. Around is the middleware; it belongs inside counting and auditing.
type Hooks struct {
	List []Hook // asked in their order

	// Understand is that of the kit which is called: hooks see what a call would do. Required.
	Understand func(context.Context, *tool.Call) (*tool.Job, error)
	// Run starts a hook and returns its stdout. nil runs a plain process in Dir with the allow-listed part of Environ.
	Run func(ctx context.Context, argv []string, stdin []byte) ([]byte, error)

	Dir     string
	Environ []string
}

// Around is the Around middleware.
func (h *Hooks) Around(next tool.Caller) tool.Caller {
	if len(h.List) == 0 {
		return next
	}
	return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
		own, job, notes, refusal := h.before(ctx, c)
		if refusal != nil {
			return refusal, ctx.Err()
		}
		res, err := next(ctx, own)
		if err != nil || res == nil || res.Need != nil {
			return res, err
		}
		res = h.after(ctx, job, res)
		for _, n := range notes {
			res.Parts = append(res.Parts, tool.Text(n))
		}
		return res, nil
	}
}

// An asked is what a hook reads.
type asked struct {
	Tool    string          `json:"tool"`
	Args    json.RawMessage `json:"args"`
	Effects []tool.Effect   `json:"effects"`
	Result  *askedResult    `json:"result,omitempty"`
}

type askedResult struct {
	IsError bool            `json:"isError"`
	Text    string          `json:"text"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// An answered is what a hook says.
type answered struct {
	Decision string          `json:"decision"`
	Args     json.RawMessage `json:"args"`
	Note     string          `json:"note"`
}

// before asks the hooks that come first. A call that cannot be understood is refused here, in the door's words.
func (h *Hooks) before(ctx context.Context, c *tool.Call) (*tool.Call, *tool.Job, []string, *tool.Result) {
	own := *c
	var notes []string
	j, err := h.Understand(ctx, &own)
	if err != nil {
		return nil, nil, nil, tool.Fail(err)
	}
	for i, hook := range h.List {
		if hook.After || hook.Match != nil && !hook.Match(j.Spec) {
			continue
		}
		a, err := h.ask(ctx, hook, asked{Tool: j.Call.Name, Args: j.Call.Args, Effects: j.Judged()})
		if err != nil || a.Decision == "deny" {
			return nil, nil, nil, refused(j, hook, denied(j, hook, a, err))
		}
		if a.Note != "" {
			notes = append(notes, a.Note)
		}
		if a.Args == nil || i >= maxRewrites {
			continue
		}
		own.Args = a.Args
		if j, err = h.Understand(ctx, &own); err != nil {
			return nil, nil, nil, tool.Fail(fmt.Errorf("the hook %s rewrote the arguments: %w", hook.name(), err))
		}
	}
	return &own, j, notes, nil // the arguments as they came, or as a hook wrote them: the door mends them as here, and tells what it mended
}

// after asks the hooks that come last.
func (h *Hooks) after(ctx context.Context, j *tool.Job, res *tool.Result) *tool.Result {
	for _, hook := range h.List {
		if !hook.After || hook.Match != nil && !hook.Match(j.Spec) {
			continue
		}
		text := res.Text()
		if len(text) > maxHookText {
			text = strings.ToValidUTF8(text[:maxHookText], "") + "…"
		}
		a, err := h.ask(ctx, hook, asked{j.Call.Name, j.Call.Args, j.Judged(), &askedResult{res.Err != nil, text, res.Data}})
		if err != nil || a.Decision == "deny" {
			return refused(j, hook, denied(j, hook, a, err).WithHint("The call was carried out; its result is withheld."))
		}
		if a.Note != "" {
			res.Parts = append(res.Parts, tool.Text(a.Note))
		}
	}
	return res
}

// refused is the result of a call that a hook refused.
func refused(j *tool.Job, hook Hook, why *tool.Error) *tool.Result {
	res := tool.Fail(why)
	res.Job = j
	res.Verdict = tool.Verdict{Reason: why.Error(), Rule: "hook " + hook.name(), Layer: "hooks"}
	return res
}

func denied(j *tool.Job, hook Hook, a *answered, err error) *tool.Error {
	e := tool.Errorf(tool.Permission, "Error: %s: refused by the hook %s.", j.Call.Name, hook.name())
	e.Tool = j.Call.Name
	if err != nil {
		e = tool.Errorf(tool.Permission, "Error: %s: refused, because the hook %s failed: %w", j.Call.Name, hook.name(), err)
		e.Tool = j.Call.Name
		return e.WithHint("Do not retry; a person must mend the hook.")
	}
	if a.Note != "" {
		return e.WithHint("%s", a.Note)
	}
	return e.WithHint("Do not retry.")
}

// ask runs one hook.
func (h *Hooks) ask(ctx context.Context, hook Hook, q asked) (*answered, error) {
	if len(hook.Argv) == 0 {
		return nil, errors.New("it has no command")
	}
	d := hook.Timeout
	if d <= 0 {
		d = DefaultHookTime
	}
	ctx, stop := context.WithTimeout(ctx, d)
	defer stop()
	in, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	run := h.Run
	if run == nil {
		run = h.plain
	}
	out, err := run(ctx, hook.Argv, in)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("no answer within %v", d)
	}
	if err != nil {
		return nil, err
	}
	return parseAnswer(out)
}

func parseAnswer(out []byte) (*answered, error) {
	a := &answered{}
	if len(strings.TrimSpace(string(out))) == 0 {
		return a, nil
	}
	if err := json.Unmarshal(out, a); err != nil {
		return nil, fmt.Errorf("its answer is not understood: %w", err)
	}
	switch a.Decision {
	case "", "allow", "deny": // allow is no objection: a hook opens nothing
	default:
		return nil, fmt.Errorf("its decision %.40q is neither allow nor deny", a.Decision)
	}
	if string(a.Args) == "null" {
		a.Args = nil
	}
	return a, nil
}

// plain runs a hook as a process of its own.
func (h *Hooks) plain(ctx context.Context, argv []string, stdin []byte) ([]byte, error) {
	said := &capped{limit: maxHookSaid}
	p, err := spawn.Start(spawn.Spec{Argv: argv, Dir: h.Dir, Env: spawn.Environ(h.Environ, nil), Stderr: said})
	if err != nil {
		return nil, err
	}
	defer p.End(0)
	defer context.AfterFunc(ctx, func() { p.End(0) })()
	wrote := make(chan struct{})
	go func() {
		defer close(wrote)
		p.Stdin.Write(stdin) // one that does not read all of it is within its rights
		p.Stdin.Close()
	}()
	out, err := io.ReadAll(io.LimitReader(p.Stdout, maxHookOut+1))
	if len(out) > maxHookOut {
		return nil, fmt.Errorf("more than %d bytes on stdout", maxHookOut)
	}
	if err != nil {
		return nil, err
	}
	exit := p.Exit()
	p.Stdin.Close()
	<-wrote
	if exit.Code != 0 {
		return nil, fmt.Errorf("%v: %s", exit, strings.TrimSpace(strings.ToValidUTF8(string(said.buf), "")))
	}
	return out, nil
}

// capped keeps the first limit bytes.
type capped struct {
	limit int
	buf   []byte
}

func (c *capped) Write(p []byte) (int, error) {
	c.buf = append(c.buf, p[:min(len(p), c.limit-len(c.buf))]...)
	return len(p), nil
}
