package builtin

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"helve/engine/sandbox"
	"helve/engine/shell"
	"helve/internal/fsroot"
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

// Bash runs a command line in bash, in a sandbox. The line is understood before it runs: what would destroy the
// machine is refused, whatever the policy says; what only reads runs in a read-only sandbox without network,
// everything else as Options.Sandbox says.
func Bash(w *Workspace) tool.Tool {
	s := tool.Spec{
		Name: "bash",
		Aliases: []string{
			"Bash", "run_shell_command", "shell", "execute_command", "shell_command",
			"run_terminal_cmd", "run_in_terminal", "run_terminal_command",
		},
		Title:     "Shell Command",
		Origin:    origin("bash"),
		Doc:       doc("bash"),
		Kind:      tool.Exec,
		Serial:    true,
		Category:  "shell",
		Tags:      []string{"shell", "bash", "command", "execute"},
		Params:    bashParams(),
		Translate: bashWords(),
	}
	return tool.Plan(s, func(ctx context.Context, c *tool.Call, in bashIn) (*tool.Job, error) {
		dir, err := w.resolve(c, in.Dir)
		if err != nil {
			return nil, err
		}
		r, err := w.understand(ctx, in, dir)
		if err != nil {
			return nil, err
		}
		if in.Background && (c.Session == nil || w.opts.OneCall) {
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
				return w.background(ctx, c.Session, r)
			}
		}
		return &tool.Job{
			Effects:   r.effects(),
			Line:      w.explained(r),
			Confine:   r.confineUnasked,
			Signature: in.Command,
			Rule:      bashRule(r.line.Grant),
			Run:       run,
			Preview: func(context.Context) (tool.Display, error) {
				return tool.Summary(r.preview()), nil
			},
		}, nil
	})
}

// bashRule is the rule that a person may remember for commands like this one: what the analysis found that can be
// granted without granting more; "" for none.
func bashRule(grant string) string {
	if grant == "" {
		return ""
	}
	return "Bash:" + grant
}

// A command is a command line understood: what it would do, where, and how it will be confined.
type command struct {
	in      bashIn
	dir     fsroot.Path     // where it runs
	line    shell.Analysis  // what it would do
	confine sandbox.Options // what it may do
	reach   sandbox.Reached // what of that the machine can enforce
	tried   *confinement    // how it may run unasked; nil: not at all
	more    bool            // the model asks for more than a line that only reads gets
	gaps    []string        // what is not kept beside the sandbox's own gaps, in words
	cache   []string        // the folder of this workspace's build caches; none where nothing can be written
	through string          // why it changes the workspace while it runs; "" where that is held back, or it only reads
	open    string          // why no sandbox of the level can be had; "" where it can
}

// understand analyses the line and chooses how it would be confined. It refuses what is no command line, and what
// would destroy more than a workspace, whatever the policy says.
func (w *Workspace) understand(ctx context.Context, in bashIn, dir fsroot.Path) (*command, error) {
	c := &command{in: in, dir: dir}
	c.line = shell.Analyze(in.Command, shell.Options{
		Dir:   dir.Abs(),
		Roots: w.dirs(),
		Home:  w.getenv("HOME"),

		Readable: w.mayRead(),
	})
	if in.Ask && c.line.Verdict == shell.ReadOnly { // it looks, and ran already where that was not enough
		c.more = true
		c.line.Verdict, c.line.Reason = shell.Ask, "the model asks for it"
	}
	switch {
	case isAny(c.line.Err, shell.ErrEmpty, shell.ErrTooLong, shell.ErrNUL):
		return nil, tool.Verbatim(tool.Validation, "Parameter validation failed: command: %w", c.line.Err)
	case c.line.Verdict == shell.Catastrophic:
		return nil, tool.Verbatim(tool.Permission, "Error: Potentially dangerous command detected: %s", in.Command).
			WithHint("%s", c.line.Reason)
	}
	return c, w.plan(ctx, c)
}

// plan chooses the level. Where it cannot be kept, an approved command runs without a sandbox, and whoever approves
// it is told so; nothing runs unasked.
func (w *Workspace) plan(ctx context.Context, c *command) error {
	o := w.opts.Sandbox
	c.confine = sandbox.Options{
		Roots:    w.dirs(),
		Writable: o.Writable,
		Masked:   o.Masked,
		Readable: w.readable(),
		Launcher: o.Launcher,
		Home:     w.getenv("HOME"),
	}
	if c.line.Verdict != shell.ReadOnly || c.in.Network { // else the zero level, which reads only
		c.confine.Level = o.Level
		c.confine.Network = c.confine.Level != sandbox.ReadOnly && (o.Network || c.in.Network)
	}
	if c.confine.Level == sandbox.WorkspaceWrite {
		c.cache = w.commandCache(c.dir.Root())
		c.confine.Caches = c.cache
		c.confine.NewRepository = makesRepository(c.line)
	}
	reach, err := sandbox.Reach(ctx, c.confine)
	switch {
	case errors.Is(err, sandbox.ErrLevel):
		c.open = err.Error()
		c.confine.Level, c.confine.Network = sandbox.Off, false
		reach, err = sandbox.Reach(ctx, c.confine)
	case errors.Is(err, sandbox.ErrNoInit):
		return tool.Errorf(tool.Execution, "%w", err)
	}
	c.reach = reach
	c.through = w.writesThrough(c)
	if err == nil {
		c.tried = w.trial(ctx, c)
	}
	return err
}

// dirs are the workspace's folders, links resolved.
func (w *Workspace) dirs() []string {
	var out []string
	for _, r := range w.files.Roots() {
		out = append(out, r.Dir())
	}
	return out
}

// effects are the command itself, and what the policy should know beside it: files that it names, the
// network that it asks for, and, without a sandbox, anything at all.
func (c *command) effects() []tool.Effect {
	out := []tool.Effect{{Kind: tool.Exec, Target: c.in.Command}}
	for _, e := range c.line.Effects {
		switch {
		case e.Kind == shell.Read: // rules on reading hold for commands, too
			out = append(out, tool.Effect{Kind: tool.Read, Target: c.target(e.Target)})
		case c.line.Verdict == shell.ReadOnly:
		case e.Kind == shell.Write:
			out = append(out, tool.Effect{Kind: tool.Write, Target: c.target(e.Target)})
		case e.Kind == shell.Net && c.confine.Network:
			out = append(out, tool.Effect{Kind: tool.Net, Target: e.Target})
		}
	}
	if c.in.Network {
		out = append(out, tool.Effect{Kind: tool.Net, Target: tool.AnyTarget})
	}
	if c.open != "" {
		out = append(out, tool.Effect{Kind: tool.Write, Target: tool.AnyTarget})
	}
	return out
}

// target is a path of the analysis, which is relative to the command's directory, relative to the root.
func (c *command) target(p string) string {
	if p == tool.AnyTarget || strings.HasPrefix(p, "/") {
		return p
	}
	return rootPrefix(c.dir.Root()) + path.Join(c.dir.Rel(), p)
}

// preview is what whoever approves the command sees beside the reason, which the verdict has.
func (c *command) preview() string {
	var b strings.Builder
	fmt.Fprintf(&b, "$ %s\nin %s", c.in.Command, c.dir.Abs())
	switch {
	case c.open != "":
		fmt.Fprintf(&b, "\nWITHOUT A SANDBOX: %s", c.open)
	case c.confine.Level == sandbox.Off:
		b.WriteString("\nwithout a sandbox, as configured")
	default:
		fmt.Fprintf(&b, "\nsandbox %s by %s", c.reach.Level, c.reach.Mechanism)
	}
	if c.confine.Network {
		b.WriteString(", with network")
	}
	if c.through != "" {
		b.WriteString("\n" + c.through)
	}
	return b.String()
}

// spec is the process to start. The shell reads no profile, has no terminal and an empty stdin.
func (c *command) spec(w *Workspace) sandbox.Spec {
	return sandbox.Spec{
		Argv: []string{"bash", "--noprofile", "--norc", "-c", c.in.Command},
		Dir:  c.dir.Abs(),
		Env:  c.env(w.opts.Environ),
		Keep: bashKeep,
	}
}

// env is the environment of the command. Build tools keep their caches in a folder that commands of this workspace
// share and nobody else uses: what a command puts there can harm no build outside the sandbox.
func (c *command) env(environ []string) []string {
	env := sandbox.Env(environ)
	if c.confine.Level == sandbox.ReadOnly && c.reach.Confined {
		return append(env, privateCaches...)
	}
	for _, dir := range c.cache {
		env = slices.DeleteFunc(env, func(e string) bool {
			return strings.HasPrefix(e, "XDG_CACHE_HOME=") || strings.HasPrefix(e, "GOCACHE=")
		})
		env = append(env,
			"XDG_CACHE_HOME="+dir,
			"GOCACHE="+filepath.Join(dir, "go-build"),
			"npm_config_cache="+filepath.Join(dir, "npm"))
	}
	return env
}

// commandCache is that folder, made if it is missing; none without a place for caches.
func (w *Workspace) commandCache(r *fsroot.Root) []string {
	if w.opts.Cache == "" {
		return nil
	}
	sum := sha256.Sum256([]byte(r.Dir()))
	dir := filepath.Join(w.opts.Cache, "commands", hex.EncodeToString(sum[:12]))
	err := os.MkdirAll(dir, 0o700)
	if err != nil {
		return nil // commands then have no cache, which only costs time
	}
	return []string{dir}
}

// bash runs a command to its end. A command that fails is a result with an error, which the model reads; a Go error
// is a failure of the sandbox.
func (w *Workspace) bash(ctx context.Context, call *tool.Call, c *command) (*tool.Result, error) {
	if err := w.mustBeDir(c.dir); err != nil {
		return nil, err
	}
	if call.Resume != nil && len(call.Resume.State) > 0 {
		return w.resume(ctx, call, c)
	}
	if call.Session != nil {
		tasksOf(call.Session) // its end ends what waits for a next command
	}
	c.maskDenied(w)
	s := c.spec(w)
	s.Timeout, s.Idle = c.in.limit(), w.opts.Sandbox.Idle
	var last recent
	s.Progress = func(piece sandbox.Chunk) {
		call.Progress(tool.Progress{Message: last.add(piece)})
	}
	t, err := w.begin(call, c)
	if err != nil {
		return nil, err
	}
	var before *scanned
	switch {
	case t != nil:
		t.layer.Through = func() { before = w.scan(ctx) }
		c.confine.Layer = t.layer
	case c.confine.Level != sandbox.ReadOnly:
		before = w.scan(ctx)
	}
	f, err := c.run(ctx, call, s)
	if err != nil {
		t.close()
		return nil, w.notHeld(err)
	}
	f.t, f.before = t, before
	return w.finish(ctx, call, f)
}

// run runs a command to its end.
func (c *command) run(ctx context.Context, call *tool.Call, s sandbox.Spec) (*finished, error) {
	p, reached, err := sandbox.Start(ctx, c.confine, s)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	exit, err := p.Wait(context.WithoutCancel(ctx)) // a done ctx ends the command, and then there is something to tell
	if err != nil {
		return nil, err
	}
	return &finished{
		c:       c,
		exit:    exit,
		out:     shownOutput(call.Session, p),
		reached: reached,
	}, nil
}

// finish looks at what a command changed, and makes it.
func (w *Workspace) finish(ctx context.Context, call *tool.Call, f *finished) (*tool.Result, error) {
	c := f.c
	if w.unrepaired != nil {
		c.gaps = append(c.gaps, "what an earlier command changed could not be finished: "+w.unrepaired.Error())
	}
	if f.t != nil && !f.t.layer.Held() {
		c.gaps = append(c.gaps, throughGap(f.t.layer.Why()))
		w.foundNoLayer(f.t.layer.Why())
		f.t.close()
		f.t = nil
	}
	f.reached = c.with(f.reached)
	if f.t == nil {
		return c.result(f.exit, f.out, f.reached, f.before.changes(context.WithoutCancel(ctx), call, c)), nil
	}
	err := f.look(ctx)
	switch {
	case err != nil:
		f.t.close()
		return c.lost(f.exit, f.out, f.reached, err), nil
	case len(f.set.Changes) == 0:
		f.t.close()
		return c.result(f.exit, f.out, f.reached, nil), nil
	}
	return f.settle(ctx, call)
}
