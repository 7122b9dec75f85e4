package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"helve/cmd/internal/clienthook"
	"helve/cmd/internal/clientproof"
	"helve/cmd/internal/codex"
	"helve/cmd/internal/command"
	"helve/cmd/internal/setup"
	"helve/engine/sandbox"
)

// hooksState is what doctor tells of a client's hooks.
type hooksState struct {
	Files  []string           `json:"files"`             // that have the client ask helve
	Asks   bool               `json:"asks"`              // they do
	Why    string             `json:"why,omitempty"`     // why they do not
	Answer string             `json:"answer,omitempty"`  // what the line answered that was tried; "": it was not tried
	Proof  *clientproof.Proof `json:"proof,omitempty"`   // what the client itself showed; nil: it was not tried
	Last   *time.Time         `json:"last,omitempty"`    // when a conversation of the client asked last
	By     string             `json:"version,omitempty"` // which version of it; "": it did not say
	Passes string             `json:"passes_by,omitempty"`
}

// passesBy is what each client does without asking a hook.
var passesBy = map[string]string{
	"claude-code": "!cmd, @file, --bare",
	"codex":       "typing into a terminal that a command began, the provider's web search, hooks that it does not trust",
	"gemini":      "!cmd, folders that it does not trust",
	"opencode":    "--pure",
}

// examineHooks looks at a client's hooks, and unless quick has their line answer an event in a folder and a home that
// are thrown away. nil: the client's hooks are not known.
func examineHooks(ctx context.Context, s command.Streams, name string, quick bool) *hooksState {
	c, ok := setup.Find(name)
	client := clienthook.Find(name)
	if !ok || client == nil {
		return nil
	}
	home := setup.Here(s.Getenv)
	h := &hooksState{Files: c.HookFiles(home, false), Passes: passesBy[name]}
	program := clienthook.Own(s.Getenv).Path
	changes, err := setup.PlanHooks(c, home, program, false)
	switch {
	case err != nil:
		h.Why = err.Error()
	default:
		h.Asks = true
		for _, ch := range changes {
			h.Asks = h.Asks && ch.None()
		}
		if !h.Asks {
			h.Why = "helve init --client " + name + " --hooks has it ask"
		}
	}
	if last, version, ok := clienthook.Last(s.Places().StateDir, name); ok {
		h.Last, h.By = &last, version
	}
	if h.Asks && !quick {
		h.Answer = tryHook(ctx, s, client, setup.HookLine(c, home, program, client.Before))
		h.Proof = proveHooks(ctx, s, c)
	}
	return h
}

// hookTry bounds the trial of a line: helve answers within five seconds.
const hookTry = 10 * time.Second

// tryHook runs a client's line as the client would, with a command that destroys a home.
func tryHook(ctx context.Context, s command.Streams, client *clienthook.Client, line string) string {
	dir, err := os.MkdirTemp("", "helve-doctor-")
	if err != nil {
		return "cannot be tried: " + err.Error()
	}
	defer os.RemoveAll(dir)
	ctx, stop := context.WithTimeout(ctx, hookTry)
	defer stop()
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Dir, cmd.WaitDelay = dir, time.Second
	home := filepath.Join(dir, "home")
	cmd.Env = append(s.Environ, "HOME="+home, "XDG_STATE_HOME="+home+"/state", "XDG_CONFIG_HOME="+home+"/config",
		"XDG_CACHE_HOME="+home+"/cache", "CLAUDE_PROJECT_DIR=", "GEMINI_PROJECT_DIR=", "COPILOT_PROJECT_DIR=")
	cmd.Stdin = bytes.NewReader(client.Sample(dir, "rm -rf ~"))
	out, err := cmd.Output()
	switch {
	case strings.Contains(string(out), "destroys more than a workspace"):
		return "proven: a command that destroys the home is refused"
	case err != nil:
		return "FAILS: " + err.Error()
	}
	return "FAILS: a command that destroys the home is not refused, but answered with " + command.OneLine(string(out))
}

// proveHooks has the installed client make calls of its own tools, in a folder and a home that are thrown away.
func proveHooks(ctx context.Context, s command.Streams, c setup.Client) *clientproof.Proof {
	program := setup.Look(s.Getenv("PATH"), c.Program())
	if c.Program() == "" || program == "" {
		return clientproof.All(clientproof.Unknown, "PATH has no "+c.Title)
	}
	own := clienthook.Own(s.Getenv)
	t := &clientproof.Trial{
		Client:  c.Name,
		Program: program,
		Path:    s.Getenv("PATH"),
		Helve:   own.Path,
		Hooks:   hooksToProve(c, setup.Here(s.Getenv)),
	}
	if _, err := sandbox.Reach(ctx, sandbox.Options{Level: sandbox.WorkspaceWrite}); err != nil {
		t.Judged = "this machine has no sandbox for them"
	} else if c.Name == "copilot" && own.Name == "" {
		t.Judged = "it takes helve by its name alone, and PATH has no helve that is this one"
	}
	if c.Name == "codex" {
		isTrusted := func(server *codex.Server) error { return server.Trusted(s.Dir) }
		switch err := codex.With(ctx, s.Dir, s.Environ, isTrusted); {
		case errors.Is(err, codex.ErrUntrusted):
			const hint = "; helve init --client codex --hooks has it trust them"
			return clientproof.All(clientproof.Fails, err.Error()+hint)
		case err != nil:
			return clientproof.All(clientproof.Unknown, err.Error())
		}
		t.Trust = func(ctx context.Context, dir string, env []string) error {
			return codex.With(ctx, dir, env, func(server *codex.Server) error { return server.Trust(dir) })
		}
	}
	s.Note("%s is run once with a scripted model, for %v at most (--quick: not)", c.Title, clientproof.Limit)
	return t.Run(ctx)
}

// hooksToProve are the person's files with the client's hooks, and where they stand in a home that nothing has moved.
func hooksToProve(c setup.Client, home setup.Home) (out []clientproof.Hook) {
	plain := setup.Home{Dir: string(filepath.Separator), OS: home.OS, Getenv: func(string) string { return "" }}
	there := c.HookFiles(plain, false)
	for i, file := range c.HookFiles(home, false) {
		out = append(out, clientproof.Hook{
			File:     file,
			Place:    there[i],
			Settings: c.HooksAmongSettings(),
			Runs:     c.Name == "cline",
		})
	}
	return out
}

// printHooks tells a person the same.
func printHooks(w io.Writer, h *hooksState) {
	if h == nil {
		return
	}
	asks := "asked before its own tools run, by " + strings.Join(h.Files, ", ")
	if !h.Asks {
		asks = "not asked before its own tools run: " + h.Why
	}
	fmt.Fprintf(w, "  hooks:        %s\n", command.Printable(asks))
	if h.Answer != "" {
		fmt.Fprintf(w, "  its line:     %s\n", command.Printable(h.Answer))
	}
	if p := h.Proof; p != nil {
		fmt.Fprintf(w, "  denies:       %s\n", command.Printable(p.Denied.String()))
		fmt.Fprintf(w, "  rewrites:     %s\n", command.Printable(p.Rewritten.String()))
		fmt.Fprintf(w, "  undoes:       %s\n", command.Printable(p.Undone.String()))
	}
	if h.Last != nil {
		by := ""
		if h.By != "" {
			by = ", by version " + h.By
		}
		fmt.Fprintf(w, "  last event:   %s%s\n", h.Last.Local().Format(time.DateTime), command.Printable(by))
	}
	if h.Passes != "" {
		fmt.Fprintf(w, "  passes by:    %s\n", h.Passes)
	}
}
