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
	// maxHookOut is what a hook may print, in bytes: rewritten arguments, with room for the text of a whole file.
	maxHookOut = 1 << 20
	// maxHookSaid is how much of its stderr is repeated, in bytes: a few lines, which a person and a model read.
	maxHookSaid = 1000
	// maxHookText is how much of a result's text a hook is given, in bytes: what read may bring at most.
	maxHookText = 256 << 10
	// maxHookData is how much data of a result a hook is given, in bytes. A part of it would be no JSON.
	maxHookData = 256 << 10
	// maxRewrites bounds how often one call may be rewritten: each time it is understood anew, files and all.
	maxRewrites = 16
)

// A Hook is an external command that is asked about calls. Before a call it gets {tool, args, effects} as JSON on
// stdin, after it {tool, args, effects, result} too, with at most 256 KiB each of text and data (of larger data,
// dataBytes says how much there is); on stdout it may answer {decision, args, note}: decision deny refuses the call, or
// withholds the result; args replace the arguments, and are checked again like any; note is added to what the model
// reads. No answer is no objection. A hook that fails, by its exit status, its time or its answer, refuses: what it was
// to prevent must not happen because it broke.
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
		own := &understood{call: *c}
		if refusal := h.before(ctx, own); refusal != nil {
			return refusal, ctx.Err()
		}
		res, err := next(ctx, &own.call)
		if err != nil || res == nil || res.Need != nil {
			return res, err
		}
		res = h.after(ctx, own.job, res)
		for _, n := range own.notes {
			res.Parts = append(res.Parts, tool.Text(n))
		}
		return res, nil
	}
}

// An understood call is the copy that hooks may rewrite, with what it would do and what they noted.
type understood struct {
	call     tool.Call
	job      *tool.Job
	notes    []string
	rewrites int
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
	Left    int             `json:"dataBytes,omitempty"` // of data that is left out, because it is larger than maxHookData
}

// An answered is what a hook says.
type answered struct {
	Decision string          `json:"decision"`
	Args     json.RawMessage `json:"args"`
	Note     string          `json:"note"`
}

// question is what a hook is asked about a job.
func question(j *tool.Job, res *askedResult) asked {
	return asked{
		Tool:    j.Call.Name,
		Args:    j.Call.Args,
		Effects: j.Judged(),
		Result:  res,
	}
}

// looksAt tells that a hook wants to be asked about a tool at this time.
func (h Hook) looksAt(s *tool.Spec, after bool) bool {
	return h.After == after && (h.Match == nil || h.Match(s))
}

// before asks the hooks that come first; nil if none refuses. A call that cannot be understood is refused here, in
// the words of the kit. The arguments stay as they came, or as a hook wrote them: the kit mends them as it did here,
// and tells what it mended.
func (h *Hooks) before(ctx context.Context, own *understood) *tool.Result {
	if err := h.understand(ctx, own); err != nil {
		return tool.Fail(err)
	}
	for _, hook := range h.List {
		if !hook.looksAt(own.job.Spec, false) {
			continue
		}
		a, err := h.ask(ctx, hook, question(own.job, nil))
		if err != nil || a.denies() {
			return refused(own.job, hook, denied(own.job, hook, a, err))
		}
		if a.Note != "" {
			own.notes = append(own.notes, a.Note)
		}
		if a.Args == nil {
			continue
		}
		if own.rewrites++; own.rewrites > maxRewrites {
			err := fmt.Errorf("it is the %dth to rewrite the arguments, and %d may", own.rewrites, maxRewrites)
			return refused(own.job, hook, denied(own.job, hook, nil, err))
		}
		own.call.Args = a.Args
		if err := h.understand(ctx, own); err != nil {
			return rewrote(hook, err)
		}
	}
	return nil
}

// understand works out what the call would do, with the arguments that it has now.
func (h *Hooks) understand(ctx context.Context, own *understood) error {
	j, err := h.Understand(ctx, &own.call)
	if err != nil {
		return err
	}
	own.job = j
	return nil
}

// after asks the hooks that come last.
func (h *Hooks) after(ctx context.Context, j *tool.Job, res *tool.Result) *tool.Result {
	for _, hook := range h.List {
		if !hook.looksAt(j.Spec, true) {
			continue
		}
		a, err := h.ask(ctx, hook, question(j, askedAbout(res)))
		if err != nil || a.denies() {
			why := denied(j, hook, a, err)
			why = why.WithHint("The call was carried out; its result is withheld.")
			return withheld(res, refused(j, hook, why))
		}
		if a.Note != "" {
			res.Parts = append(res.Parts, tool.Text(a.Note))
		}
	}
	return res
}

// askedAbout is as much of a result as a hook is given.
func askedAbout(res *tool.Result) *askedResult {
	text := res.Text()
	if len(text) > maxHookText {
		text = strings.ToValidUTF8(text[:maxHookText], "") + "…"
	}
	asked := &askedResult{
		IsError: res.Err != nil,
		Text:    text,
		Data:    res.Data,
	}
	if len(res.Data) > maxHookData {
		asked.Data, asked.Left = nil, len(res.Data)
	}
	return asked
}

func (a *answered) denies() bool { return a.Decision == "deny" }

// rewrote is the failure of a call whose arguments a hook made unfit: the model cannot mend them.
func rewrote(hook Hook, err error) *tool.Result {
	res := tool.Fail(err)
	why := *res.Err
	words := "The hook " + hook.name() + " rewrote the arguments."
	why.Hint = strings.TrimPrefix(why.Hint+"\n"+words, "\n")
	own := tool.Fail(&why)
	own.Verdict = res.Verdict
	return own
}

// refused is the result of a call that a hook refused.
func refused(j *tool.Job, hook Hook, why *tool.Error) *tool.Result {
	res := tool.Fail(why)
	res.Job = j
	res.Verdict = tool.Verdict{
		Reason: why.Error(),
		Rule:   "hook " + hook.name(),
		Layer:  "hooks",
	}
	return res
}

// withheld is the refusal of the result of a call that was carried out: who had approved it, how long that took, and
// which files it changed stay.
func withheld(res, refusal *tool.Result) *tool.Result {
	refusal.Spec, refusal.Family = res.Spec, res.Family
	refusal.Approver = res.Approver
	refusal.Asked, refusal.Took = res.Asked, res.Took
	var said map[string]json.RawMessage
	if json.Unmarshal(res.Meta, &said) != nil {
		return refusal
	}
	kept := map[string]json.RawMessage{}
	for _, key := range [...]string{"undo", "draft", "changes", "more_changes"} {
		if v := said[key]; v != nil {
			kept[key] = v
		}
	}
	if len(kept) > 0 {
		refusal.WithMeta(kept)
	}
	return refusal
}

// denied is what the model reads of a hook that refused, or that failed if err is not nil: there is no answer then.
func denied(j *tool.Job, hook Hook, a *answered, err error) *tool.Error {
	name := j.Call.Name
	if err != nil {
		e := tool.ErrorOf(tool.Permission, name, "refused, because the hook %s failed: %w", hook.name(), err)
		return e.WithHint("Do not retry; a person must mend the hook.")
	}
	e := tool.ErrorOf(tool.Permission, name, "refused by the hook %s", hook.name())
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
	p, err := spawn.Start(spawn.Spec{
		Argv:   argv,
		Dir:    h.Dir,
		Env:    spawn.Environ(h.Environ, nil),
		Stderr: said,
	})
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
		why := strings.ToValidUTF8(string(said.buf), "")
		return nil, fmt.Errorf("%v: %s", exit, strings.TrimSpace(why))
	}
	return out, nil
}

// capped keeps the first limit bytes.
type capped struct {
	limit int
	buf   []byte
}

func (c *capped) Write(p []byte) (int, error) {
	room := c.limit - len(c.buf)
	c.buf = append(c.buf, p[:min(len(p), room)]...)
	return len(p), nil
}
