// Package bash holds the tools that run command lines: understood before they run, confined while they do, and what
// they changed looked at before it is made.
package bash

//go:generate go test -run TestSchemasOfBashAreThoseInferred -write-inferred

import (
	"cmp"
	"context"
	"errors"
	"time"

	"helve/builtin/internal/doc"
	"helve/builtin/internal/folders"
	"helve/builtin/internal/record"
	"helve/engine/sandbox"
	"helve/tool"
)

type bashIn struct {
	Command     string `json:"command" jsonschema:"description=The command line,minLength=1"`
	Description string `json:"description,omitempty" jsonschema:"description=What it does\\, in a few words"`
	Timeout     int    `json:"timeout,omitempty" jsonschema:"description=Milliseconds; default: 120000,minimum=1,maximum=600000"`
	Dir         string `json:"working_directory,omitempty" jsonschema:"description=Directory to run in"`
	Background  bool   `json:"run_in_background,omitempty" jsonschema:"description=Return a task_id at once"`
	Network     bool   `json:"network,omitempty" jsonschema:"description=Needs the network"`
	Ask         bool   `json:"ask,omitempty" jsonschema:"description=Ask first"`
}

// bashTime is how long a command may take whose caller does not say it: longer than most builds and tests.
const bashTime = 120_000

// limit is how long the command may take in the foreground.
func (in bashIn) limit() time.Duration {
	return time.Duration(cmp.Or(in.Timeout, bashTime)) * time.Millisecond
}

func (in bashIn) String() string { return "bash " + in.Command }

var _ tool.Stringer = bashIn{}

// Tool runs a command line in bash, in a sandbox. The line is understood before it runs: what would destroy the
// machine is refused, whatever the policy says; what only reads runs in a read-only sandbox without network,
// everything else as Options.Sandbox says.
//
// Where there is no bash and there is PowerShell, the same tool runs PowerShell's command lines, judged by package
// powershell, and its description says so. Its name stays: rules and clients know it.
func Tool(w *Commands) tool.Tool {
	s := tool.Spec{
		Name: "bash",
		Aliases: []string{
			"Bash", "run_shell_command", "shell", "execute_command", "shell_command",
			"run_terminal_cmd", "run_in_terminal", "run_terminal_command",
		},
		Title:     "Shell Command",
		Origin:    folders.Origin("bash"),
		Doc:       doc.Of("bash"),
		Kind:      tool.Exec,
		Serial:    true,
		Category:  "shell",
		Tags:      []string{"shell", "bash", "command", "execute"},
		Params:    bashParams(),
		Translate: bashWords(),
	}
	plan := func(ctx context.Context, c *tool.Call, in bashIn) (*tool.Job, error) {
		dir, err := w.Resolve(c, in.Dir)
		if err != nil {
			return nil, err
		}
		r, err := w.understand(ctx, in, dir)
		if err != nil {
			return nil, err
		}
		if in.Background && (c.Session == nil || w.OneCall) {
			return nil, tool.Verbatim(tool.Validation,
				"Parameter validation failed: run_in_background: nothing would keep the task after this call").
				WithHint("Tasks live as long as an agent's session (helve serve, helve run). " +
					"Here, run the command without it, or from your own shell with &.")
		}
		// Which of the two it is, is approved with the rest: the title and the arguments say it.
		run := func(ctx context.Context) (*tool.Result, error) {
			return w.bash(ctx, c, r)
		}
		if in.Background {
			run = func(ctx context.Context) (*tool.Result, error) {
				return w.background(ctx, c, r)
			}
		}
		return &tool.Job{
			Effects:   r.effects(),
			Line:      w.explained(r),
			Confine:   r.confining(),
			Review:    func() { r.review = true },
			Signature: in.Command,
			Rule:      bashRule(r.line.Grant),
			Run:       run,
			Preview: func(context.Context) (tool.Display, error) {
				return tool.Summary(r.preview()), nil
			},
		}, nil
	}
	if w.shell.power() {
		return tool.Renders[bashData](powershellTool(s, plan))
	}
	return tool.Renders[bashData](tool.Plan(s, plan))
}

// bashRule is the rule that a person may remember for commands like this one: what the analysis found that can be
// granted without granting more; "" for none.
func bashRule(grant string) string {
	if grant == "" {
		return ""
	}
	return "Bash:" + grant
}

// bash runs a command to its end. A command that fails is a result with an error, which the model reads; a Go error
// is a failure of the sandbox.
func (w *Commands) bash(ctx context.Context, call *tool.Call, c *command) (*tool.Result, error) {
	if err := w.MustBeDir(c.dir); err != nil {
		return nil, err
	}
	if err := w.shell.missing(w.Environ); err != nil {
		return nil, err
	}
	if call.Resume != nil && len(call.Resume.State) > 0 {
		return w.resume(ctx, call, c)
	}
	if call.Session != nil {
		tasksOf(call.Session) // its end ends what waits for a next command
	}
	c.maskDenied(w)
	c.maskSecrets(ctx, w)
	c.bringTemp(w)
	s := c.spec(w)
	s.Timeout, s.Idle = c.in.limit(), w.Sandbox.Idle
	w.Attached.to(&s, c)
	s.Keep = int64(call.Room(bashKeep))
	var last recent
	s.Progress = func(piece sandbox.Chunk) {
		call.Progress(tool.Progress{Message: last.add(piece)})
	}
	return w.runIn(ctx, call, c, s)
}

// runIn runs a command in a transaction, where it can, and makes what it changed.
func (w *Commands) runIn(ctx context.Context, call *tool.Call, c *command, s sandbox.Spec) (*tool.Result, error) {
	t, err := w.begin(call, c)
	if err != nil {
		return nil, err
	}
	var before *record.Scanned
	var watch *watched
	switch {
	case t != nil:
		t.layer.Through = func() {
			// Before the command does anything: should helve be killed meanwhile, the next one knows that what the
			// command did was not held back.
			w.findOut(w.noLayerFile(), t.layer.Why())
			before = w.Scan(ctx)
			watch = c.watchDirect(ctx, w)
		}
		c.confine.Layer, c.confine.Looked = t.layer, true
	case c.confine.Level != sandbox.ReadOnly:
		before = w.Scan(ctx)
		watch = c.watchDirect(ctx, w)
		watch.keepFrom(c)
	}
	defer func() { watch.end() }()
	f, err := c.run(ctx, call, s, w.Attached)
	if err != nil {
		t.close()
		if t.again(err) {
			c.inMemory = true
			return w.runIn(ctx, call, c, s)
		}
		return nil, w.notHeld(err)
	}
	f.t, f.before, f.watch = t, before, watch
	f.temp = c.leaveTemp(w)
	return w.finish(ctx, call, f)
}

// run runs a command to its end.
func (c *command) run(ctx context.Context, call *tool.Call, s sandbox.Spec, to *Attached) (*finished, error) {
	s, told, err := to.open(s)
	if err != nil {
		return nil, err
	}
	p, reached, err := sandbox.Start(ctx, c.confine, s)
	if err != nil {
		return nil, errors.Join(err, told.close())
	}
	defer p.Close()
	to.started(p)
	exit, err := p.Wait(context.WithoutCancel(ctx)) // a done ctx ends the command, and then there is something to tell
	to.ended(exit, told)
	if err != nil {
		return nil, err
	}
	to.stay(ctx, p, exit)
	return &finished{
		c:       c,
		exit:    exit,
		out:     printedBy(call, p),
		reached: reached,
	}, nil
}

// direct is the result of a command that changed the workspace while it ran, or nothing.
func (f *finished) direct(ctx context.Context, call *tool.Call) *tool.Result {
	f.watch.look()
	made := changesOfRecord(f.before.Compare(context.WithoutCancel(ctx), call, f.c.in.String()))
	aside, failed := f.watch.take()
	if failed != "" {
		f.notes = append(f.notes, failed)
	}
	if len(aside) > 0 {
		if made == nil {
			made = &changes{}
		}
		made.Held = aside
	}
	return f.result(made)
}

// watchDirect is watch; why the workspace cannot be watched becomes a gap.
func (c *command) watchDirect(ctx context.Context, w *Commands) *watched {
	x, gap := w.watch(ctx, c)
	if gap != "" {
		c.gaps = append(c.gaps, gap)
	}
	return x
}

// finish looks at what a command changed, and makes it.
func (w *Commands) finish(ctx context.Context, call *tool.Call, f *finished) (*tool.Result, error) {
	c := f.c
	if w.Unrepaired != nil {
		c.gaps = append(c.gaps, "what an earlier command changed could not be finished: "+w.Unrepaired.Error())
	}
	if f.t != nil && !f.t.layer.Held() {
		c.gaps = append(c.gaps, throughGap(f.t.layer.Why()))
		w.findOut(w.noLayerFile(), f.t.layer.Why())
		f.t.close()
		f.t = nil
	}
	f.reached = c.with(f.reached)
	if f.t == nil {
		return f.direct(ctx, call), nil
	}
	err := f.look(ctx)
	switch {
	case err != nil:
		f.t.close()
		return f.lost(err), nil
	case len(f.set.Changes) == 0:
		f.t.close()
		return f.result(nil), nil
	}
	return f.settle(ctx, call)
}
