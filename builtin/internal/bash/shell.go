package bash

import (
	"context"
	"slices"

	"helve/builtin/internal/doc"
	"helve/engine/sandbox"
	"helve/engine/schema"
	"helve/engine/shell"
	"helve/engine/shell/powershell"
	"helve/tool"
)

// A Shell is the program that runs the command lines of the bash tool.
type Shell struct {
	Name string // bash or powershell
	Path string // "": neither is here, and commands cannot run

	// PassedOver is a bash that was found and is not used, "" for none: that of WSL, whose paths are others than those
	// of the tools.
	PassedOver string
}

// FindShell finds bash in an environment as os.Environ gives it, on Windows that of Git; else PowerShell, the newer
// one first. Only absolute folders of PATH are searched.
func FindShell(environ []string) Shell {
	s := Shell{Name: "bash"}
	var err error
	if s.Path, err = sandbox.LookPath("bash", environ); err == nil {
		return s
	}
	s.PassedOver = sandbox.PassedOver("bash", environ)
	for _, program := range []string{"pwsh", "powershell"} {
		path, err := sandbox.LookPath(program, environ)
		if err == nil {
			s.Name, s.Path = "powershell", path
			return s
		}
	}
	return s
}

// missing is the error of a machine without a shell, nil where there is one, also where it was installed meanwhile.
func (s Shell) missing(environ []string) error {
	if s.Path != "" {
		return nil
	}
	if now := FindShell(environ); now.Path != "" && now.Name == s.Name {
		return nil
	}
	err := tool.Errorf(tool.Execution, "there is neither bash nor PowerShell on this machine's PATH").
		WithHint("Ask the person to install bash (on Windows: Git for Windows, or PowerShell) and to start helve anew.")
	if s.PassedOver != "" {
		err.Hint += " " + s.PassedOver + " is that of WSL, whose paths are others."
	}
	return err
}

func (s Shell) power() bool { return s.Name == "powershell" }

// heldBy tells whether what a mechanism keeps is enough for a line to run unasked. Low integrity leaves the network
// open: with it a repository's own settings could have a program such as git send what it reads. PowerShell's own
// commands, which the list knows, do not.
func (s Shell) heldBy(r sandbox.Reached, line shell.Analysis) bool {
	if r.Mechanism != sandbox.LowIntegrity {
		return true
	}
	runs := func(e shell.Effect) bool { return e.Kind == shell.Exec || e.Kind == shell.Net }
	return s.power() && !slices.ContainsFunc(line.Effects, runs)
}

// analyze judges a command line.
func (s Shell) analyze(command string, o shell.Options) shell.Analysis {
	if s.power() {
		return powershell.Analyze(command, o)
	}
	return shell.Analyze(command, o)
}

// argv is the command to start. The shell reads no profile.
func (s Shell) argv(command string) []string {
	if !s.power() {
		return []string{"bash", "--noprofile", "--norc", "-c", command}
	}
	script := powershellBefore + command + powershellBehind
	return []string{s.Path, "-NoLogo", "-NoProfile", "-NonInteractive", "-Command", script}
}

const (
	// powershellBefore has PowerShell write UTF-8, and no bars of progress. Where the machine's policy forbids to set
	// that, the command runs all the same.
	powershellBefore = "$ProgressPreference='SilentlyContinue';" +
		"try{$OutputEncoding=[Console]::OutputEncoding=[Text.UTF8Encoding]::new($false)}catch{};"
	// powershellBehind gives the exit status of the last program, as bash does; by itself PowerShell says 0 or 1. The
	// empty line is for a command that ends in a backtick.
	powershellBehind = "\n\nif(-not $?){if($LASTEXITCODE){exit $LASTEXITCODE};exit 1}"
)

// powershellTool is the bash tool with a declaration for PowerShell.
func powershellTool(s tool.Spec, plan func(context.Context, *tool.Call, bashIn) (*tool.Job, error)) tool.Tool {
	s.Aliases = append(s.Aliases, "powershell", "PowerShell", "pwsh")
	s.Title = "PowerShell Command"
	s.Doc = doc.Of("powershell")
	s.Tags = []string{"shell", "powershell", "command", "execute"}
	s.Translate["shell"] = schema.Spelling{Only: `"powershell"`}
	return tool.Plan(s, func(ctx context.Context, c *tool.Call, in powershellIn) (*tool.Job, error) {
		return plan(ctx, c, bashIn(in))
	})
}
