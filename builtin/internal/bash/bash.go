// Package bash holds the tools that run command lines: understood before they run, confined while they do, and what
// they changed looked at before it is made.
package bash

//go:generate go test -run TestSchemasOfBashAreThoseInferred -write-inferred

import (
	"context"
	"errors"

	"helve/builtin/internal/doc"
	"helve/builtin/internal/folders"
	"helve/builtin/internal/record"
	"helve/engine/sandbox"
	"helve/tool"
)

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
		if in.Background && w.draft != nil {
			return nil, tool.Errorf(tool.Validation, "run_in_background: a task that goes on cannot work in a draft").
				WithHint("Run the command to its end, or start it after the script.")
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
			Review:    w.reviewing(r),
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
	if err := w.MustBeDir(c.dir); err != nil && w.draft == nil { // a draft may have made it: the command finds out
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
	if w.draft != nil {
		return w.drafted(ctx, call, c, s)
	}
	return w.runIn(ctx, call, c, s)
}

// reviewing has a person see what a command changed before it is made: with the draft that it works in, or by itself.
func (w *Commands) reviewing(c *command) func() {
	if w.draft == nil {
		return func() { c.review = true }
	}
	return func() {
		w.draft.Owe()
		c.beforeYes()
	}
}

// drafted runs a command in the draft.
func (w *Commands) drafted(
	ctx context.Context, call *tool.Call, c *command, s sandbox.Spec,
) (res *tool.Result, err error) {
	err = w.draft.command(c, func() error {
		f, err := c.run(ctx, call, s, w.Attached)
		if err != nil {
			return w.notHeld(err)
		}
		f.temp = c.leaveTemp(w)
		f.reached = c.with(f.reached)
		res = f.result(nil)
		return nil
	})
	return res, err
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
			watch = c.watchDirect(ctx, w, call)
		}
		c.confine.Layer, c.confine.Looked = t.layer, true
	case c.confine.Level != sandbox.ReadOnly:
		before = w.Scan(ctx)
		watch = c.watchDirect(ctx, w, call)
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
