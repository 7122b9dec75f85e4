package initialize

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"helve/cmd/internal/asking"
	"helve/cmd/internal/clienthook"
	"helve/cmd/internal/codex"
	"helve/cmd/internal/command"
	"helve/cmd/internal/setup"
	"helve/cmd/internal/terminal"
	"helve/engine/sandbox"
)

// withHooks are the clients whose hooks are known; one that is named and has none is an error.
func (in *initializing) withHooks(clients []setup.Client) ([]setup.Client, error) {
	out := slices.DeleteFunc(slices.Clone(clients), func(c setup.Client) bool { return !c.HasHooks() })
	if len(in.o.clients) > 0 && len(out) < len(clients) {
		return nil, command.Usage("%s: --hooks: the hooks of some of these clients are not known\nhint: they are of %s",
			in.o.command, clienthook.Names())
	}
	return out, nil
}

// writeHooks has the clients ask helve before their own tools run, each after a yes.
func (in *initializing) writeHooks(ctx context.Context, clients []setup.Client) error {
	bad := 0
	for _, c := range clients {
		changes, err := setup.PlanHooks(c, in.home, in.program, in.o.managed)
		if err == nil {
			err = in.writeHooksOf(ctx, c, changes)
		}
		if err != nil {
			in.s.Say("%s", command.Printable(err.Error()))
			bad++
		}
	}
	if bad > 0 {
		return &command.ExitError{Status: command.ExitFailed, Err: nil}
	}
	return nil
}

// writeHooksOf writes what one client's files lack, and says what holds from then on.
func (in *initializing) writeHooksOf(ctx context.Context, c setup.Client, changes []setup.Change) error {
	changes = slices.DeleteFunc(changes, setup.Change.None)
	if len(changes) > 0 {
		yes, err := in.askHooks(ctx, changes)
		if err != nil || !yes {
			return err
		}
	}
	for _, ch := range changes {
		if err := in.store.Apply(ch); err != nil {
			return err
		}
		fmt.Fprintf(in.s.Stdout, "%s: hooks written to %s\n", c.Title, command.Printable(ch.File))
	}
	if len(changes) == 0 {
		fmt.Fprintf(in.s.Stdout, "%s: asks helve already before its own tools run\n", c.Title)
	}
	if c.Name == "codex" {
		if err := in.trustCodex(ctx); err != nil {
			return fmt.Errorf("the hooks are not trusted by Codex yet, which skips them: %w; start codex and trust them there", err)
		}
	}
	for _, line := range hookNotes(ctx, c.Name) {
		fmt.Fprintf(in.s.Stdout, "%s: %s\n", c.Title, line)
	}
	return nil
}

// trustCodex has Codex trust our hooks as its own screen does, by its app server: hooks that it does not trust are
// passed over without a word. What Codex writes into its configuration for that is remembered for the undo.
func (in *initializing) trustCodex(ctx context.Context) error {
	dir := in.home.Getenv("CODEX_HOME")
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(in.home.Dir, ".codex")
	}
	keep, err := in.store.Keep("codex", filepath.Join(dir, "config.toml"))
	if err != nil {
		return err
	}
	trust := func(c *codex.Server) error { return c.Trust(in.dir) }
	return errors.Join(codex.With(ctx, in.dir, in.s.Environ, trust), keep())
}

// askHooks shows the change and asks.
func (in *initializing) askHooks(ctx context.Context, changes []setup.Change) (bool, error) {
	if in.o.yes {
		return true, nil
	}
	var diff strings.Builder
	for _, ch := range changes {
		diff.WriteString(ch.Diff())
	}
	if !in.s.Terminal().Present() {
		fmt.Fprint(in.s.Stdout, command.Printable(diff.String()))
		const hint = "--yes writes this, --print shows what to write by hand"
		return false, command.Usage("%s: no hook was written: there is nobody to ask\nhint: %s", in.o.command, hint)
	}
	said, err := in.s.Terminal().Ask(ctx, terminal.Question{
		Title:   "Have " + changes[0].Client.Title + " ask helve before its own tools run",
		Preview: diff.String(),
		Diff:    true,
		Ask:     "Write this?",
		Choices: []terminal.Choice{asking.Refuse(), asking.Agree("Yes", asking.WordYes, "y")},
	})
	return err == nil && said.Value == asking.WordYes, err
}

// hookNotes are what a person has to know of a client's hooks.
func hookNotes(ctx context.Context, client string) []string {
	var out []string
	switch client {
	case "gemini":
		out = append(out, "it runs hooks in trusted folders only")
	case "qwen":
		out = append(out, "its commands are judged, not confined: it takes no other command from a hook")
	case "copilot":
		out = append(out, "after its own question it runs a command unconfined")
	case "cline":
		out = append(out, "an edit that is refused ends its run")
	}
	_, err := sandbox.Reach(ctx, sandbox.Options{Level: sandbox.WorkspaceWrite})
	if err != nil && client != "qwen" {
		out = append(out, "commands are judged, not confined: this machine has no sandbox for them")
	}
	return out
}
