package builtin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"helve/internal/fsroot"
	"helve/internal/proc"
	"helve/shell"
	"helve/tool"
)

// bashKeep is how much of each stream is kept, half of it head and half tail (R4.11's 10 MB).
const bashKeep = 10 << 20

type bashIn struct {
	Command     string `json:"command" jsonschema:"description=The command line,minLength=1"`
	Description string `json:"description,omitempty" jsonschema:"description=What it does\\, in a few words"`
	Timeout     int    `json:"timeout,omitempty" jsonschema:"description=Milliseconds,default=120000,minimum=1,maximum=600000"`
	Dir         string `json:"working_directory,omitempty" jsonschema:"description=Directory in the workspace to run in"`
}

func (in bashIn) String() string { return "bash " + in.Command }

var _ tool.Stringer = bashIn{}

type bashMeta struct {
	Command  string `json:"command"`
	ExitCode int    `json:"exit_code"`
	Dir      string `json:"working_directory"`
	Signal   string `json:"signal,omitempty"`
}

// Bash runs a command line (R4.11). It understands the line before it runs: what would destroy the machine is refused, whatever the
// policy says.
func Bash(w *Workspace) tool.Tool {
	s := tool.Spec{Name: "bash", Aliases: []string{"Bash", "run_shell_command", "shell", "execute_command"}, Title: "Shell Command", Origin: origin("bash"), Doc: doc("bash"),
		Kind: tool.Exec, Serial: true, Category: "shell", Tags: []string{"shell", "bash", "command", "execute"},
		Params: map[string]string{"cmd": "command", "cwd": "working_directory", "workdir": "working_directory", "directory": "working_directory"}}
	return tool.Plan(s, func(_ context.Context, c *tool.Call, in bashIn) (*tool.Job, error) {
		dir, err := w.resolve(c, in.Dir)
		if err != nil {
			return nil, err
		}
		a := shell.Analyze(in.Command, shell.Options{Dir: dir.Abs(), Roots: []string{dir.Root().Dir()}, Home: w.opts.Getenv("HOME")})
		switch {
		case errors.Is(a.Err, shell.ErrEmpty), errors.Is(a.Err, shell.ErrTooLong), errors.Is(a.Err, shell.ErrNUL):
			return nil, tool.Errorf(tool.Validation, "Parameter validation failed: command: %w", a.Err)
		case a.Verdict == shell.Catastrophic:
			return nil, tool.Errorf(tool.Permission, "Error: Potentially dangerous command detected: %s", in.Command).WithHint("%s", a.Reason)
		}
		return &tool.Job{Effects: []tool.Effect{{Kind: tool.Exec, Target: in.Command}}, Signature: in.Command, Rule: bashRule(a.Grant),
			Preview: func(context.Context) (tool.Display, error) { return tool.Summary("$ " + in.Command), nil },
			Run:     func(ctx context.Context) (*tool.Result, error) { return w.bash(ctx, c, in, dir) }}, nil
	})
}

func bashRule(grant string) string {
	if grant == "" {
		return ""
	}
	return "Bash:" + grant
}

func (w *Workspace) bash(ctx context.Context, c *tool.Call, in bashIn, dir fsroot.Path) (*tool.Result, error) {
	if err := w.mustBeDir(dir); err != nil {
		return nil, err
	}
	p, err := proc.Start(ctx, proc.Spec{
		Argv: []string{"bash", "--noprofile", "--norc", "-c", in.Command}, Dir: dir.Abs(), Env: commandEnv(w.opts.Getenv),
		Keep: bashKeep, Timeout: time.Duration(in.Timeout) * time.Millisecond, Progress: func(ch proc.Chunk) {
			c.Progress(tool.Progress{Message: string(ch.Data)})
		}})
	if err != nil {
		return nil, err
	}
	defer p.Close()
	exit, err := p.Wait(context.WithoutCancel(ctx)) // a done ctx ends the command, and then there is something to tell
	if err != nil {
		return nil, err
	}
	return bashResult(in, dir, exit, output(p)), nil
}

// output is stdout, and stderr under a heading of its own.
func output(p *proc.Process) string {
	out := text(p.Stdout)
	if e := text(p.Stderr); e != "" {
		if out != "" {
			out += "\n\n"
		}
		out += "[stderr]\n" + e
	}
	return out
}

func text(o *proc.Output) string {
	head, tail, between := o.HeadTail(bashKeep)
	s := strings.TrimSpace(strings.ToValidUTF8(string(head), "\ufffd"))
	if between > 0 {
		s += fmt.Sprintf("\n[… %d bytes not kept …]\n", between) + strings.TrimSpace(strings.ToValidUTF8(string(tail), "\ufffd"))
	}
	return s
}

func bashResult(in bashIn, dir fsroot.Path, exit proc.Exit, out string) *tool.Result {
	shown := in.Description
	if shown == "" {
		shown = in.Command
	}
	meta := bashMeta{in.Command, exit.Code, dir.Abs(), exit.Signal}
	body := out
	if body == "" {
		body = "(no output)"
	}
	switch {
	case exit.TimedOut:
		return bashFailed(tool.TimedOut, fmt.Sprintf("Command timed out after %dms: %s", in.Timeout, in.Command), out, meta)
	case exit.Cancelled:
		return bashFailed(tool.Cancelled, "Command cancelled: "+in.Command, out, meta)
	case exit.Signal != "":
		return bashFailed(tool.Execution, "Command ended by signal "+exit.Signal+":", body, meta)
	case exit.Code != 0:
		return bashFailed(tool.Execution, fmt.Sprintf("Command failed with exit code %d:", exit.Code), body, meta)
	}
	return tool.Textf(body, shown).WithMeta(meta)
}

func bashFailed(code tool.Code, head, out string, meta bashMeta) *tool.Result {
	msg := head
	if out != "" {
		msg += "\n" + out
	}
	e := tool.Errorf(code, "%s", strings.TrimSuffix(head, ":"))
	e.Details = map[string]any{"exit_code": meta.ExitCode}
	r := tool.Textf(msg, strings.TrimSuffix(head, ":")).WithMeta(meta)
	r.Err = e
	return r
}

// passed are the variables that a command gets: what programs need to find themselves and the person's language, and nothing that makes
// them run other code or hands out secrets.
var passed = []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "TZ", "TMPDIR", "GOPATH", "GOCACHE", "GOMODCACHE",
	"GOPROXY", "GOFLAGS", "GOTOOLCHAIN", "CARGO_HOME", "RUSTUP_HOME", "JAVA_HOME", "NVM_DIR", "PYENV_ROOT", "VIRTUAL_ENV"}

func commandEnv(getenv func(string) string) []string {
	env := []string{"TERM=dumb", "NO_COLOR=1"}
	for _, k := range passed {
		if v := getenv(k); v != "" {
			env = append(env, k+"="+v)
		}
	}
	return env
}
