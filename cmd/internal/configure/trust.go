package configure

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"helve/cmd/internal/asking"
	"helve/cmd/internal/command"
	"helve/cmd/internal/terminal"
	"helve/internal/config"
)

// trustOptions say what is done; without a flag the configuration is trusted.
type trustOptions struct {
	command.Common
	revoke bool
	status bool // only tell
	yes    bool // without a question
	json   bool
}

func TrustCommand(c *command.Line) *cobra.Command {
	var o trustOptions
	cmd := &cobra.Command{
		Use:   "trust",
		Short: "Trust this workspace's configuration, as it stands",
		Long: `Trust this workspace's configuration, as it stands, and the files that instruct models there (AGENTS.md).

Until then it may only take rights away, and helve run tells its model nothing of those files. What the configuration
would loosen or run is printed, with the names of the files, and asked about; where nobody can be asked, --yes says
it. Any change of the configuration ends the trust, but for those that you make by "helve config" and "helve mcp";
of a file that changed, models are told what it was until that is trusted too.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Common = c.Flags.Common
			return trust(cmd.Context(), c.Streams(), o)
		},
	}
	cmd.Flags().BoolVar(&o.revoke, "revoke", false, "trust it no longer")
	cmd.Flags().BoolVar(&o.status, "status", false,
		"tell whether it is trusted; exit status 3 if something waits for that")
	cmd.Flags().BoolVar(&o.yes, "yes", false, "trust it without a question")
	cmd.MarkFlagsMutuallyExclusive("revoke", "status")
	command.JSONFlag(cmd, &o.json)
	return cmd
}

// trust is the command. Revoking needs no configuration that can be read: who wants it away must not have to mend it.
func trust(ctx context.Context, s command.Streams, o trustOptions) error {
	dir, err := o.Folder(s)
	switch {
	case err != nil:
		return err
	case o.revoke:
		return revokeTrust(s, o, dir)
	case o.status:
		return trustStatus(ctx, s, o, dir)
	}
	return accept(ctx, s, o, dir)
}

// revokeTrust forgets what was trusted, and tells whether anything was.
func revokeTrust(s command.Streams, o trustOptions, dir string) error {
	store := s.TrustStore()
	unlock, err := store.Hold(dir) // or a change that is being made would be trusted after it
	if err != nil {
		return err
	}
	defer unlock()
	had, _, broken := store.Status(dir) // a store that cannot be read is written anew
	if err := store.Revoke(dir); err != nil {
		return err
	}
	files, err := asking.MemoryStore(s).Revoke(dir)
	if err != nil {
		return err
	}
	if o.json {
		state := trustState{Workspace: dir}
		if c, err := o.LoadAs(s, dir, nil); err == nil {
			state.Project = c.Project
		}
		return s.PrintJSON(state)
	}
	if had == "" && broken == nil && !files {
		return s.Print("nothing to revoke: " + command.Printable(dir) + " is not trusted")
	}
	return s.Print("no longer trusted: " + command.Printable(dir))
}

// trustState is a workspace's standing.
type trustState struct {
	Workspace string     `json:"workspace"`
	Project   bool       `json:"project"` // there is something to trust
	Trusted   bool       `json:"trusted"`
	Changed   bool       `json:"changed"` // another content was trusted
	Since     *time.Time `json:"since,omitempty"`

	Memory []asking.Told `json:"memory,omitempty"` // the files that instruct models
}

// trustStatus tells whether a workspace is trusted. Scripts go by the exit status.
func trustStatus(ctx context.Context, s command.Streams, o trustOptions, dir string) error {
	c, err := o.LoadAs(s, dir, s.TrustStore().Accepted)
	if err != nil {
		return err
	}
	// A store that cannot be read trusts nothing, which the configuration that was loaded shows already.
	have, when, err := s.TrustStore().Status(dir)
	if err != nil {
		s.Note("warning: %v", err)
	}
	state := trustState{Workspace: dir, Project: c.Project, Trusted: c.Trusted}
	state.Changed = have != "" && !c.Trusted
	if c.Trusted {
		state.Since = &when
	}
	files, err := asking.ReadMemory(ctx, s, asking.MemoryOptions{Dir: dir, Values: c.Memory})
	if err != nil {
		return err
	}
	state.Memory = files.Told
	if o.json {
		err = s.PrintJSON(state)
	} else {
		err = s.Print(strings.Join(append([]string{state.sentence()}, files.Notes...), "\n"))
	}
	if err == nil && state.waits() {
		return &command.ExitError{Status: command.ExitRefused}
	}
	return err
}

// waits tells that there is something that trust would have count.
func (t trustState) waits() bool {
	waits := func(f asking.Told) bool { return !f.Trusted }
	return t.Project && !t.Trusted || slices.ContainsFunc(t.Memory, waits)
}

// sentence says the state to people.
func (t trustState) sentence() string {
	switch {
	case !t.Project && t.waits():
		return "there is no project configuration in " + command.Printable(t.Workspace)
	case !t.Project && t.Changed:
		return "there is no project configuration any more in " + command.Printable(t.Workspace) +
			": nothing waits for trust, and what was trusted is remembered (helve trust --revoke)"
	case !t.Project:
		return "there is no project configuration in " + command.Printable(t.Workspace) + ": nothing waits for trust"
	case t.Trusted:
		return "trusted since " + t.Since.Format(time.DateTime)
	case t.Changed:
		return "not trusted: the configuration changed since it was"
	}
	return "not trusted"
}

// accept shows what the configuration would loosen or run, wants a yes, and trusts exactly what was shown.
func accept(ctx context.Context, s command.Streams, o trustOptions, dir string) error {
	c, err := o.LoadAs(s, dir, nil)
	if err != nil {
		return err
	}
	files, err := o.instructing(ctx, s, dir)
	if err != nil {
		return err
	}
	instruct := len(files.Theirs()) > 0
	if !c.Project && !instruct {
		return nothingToTrust(s, o, dir)
	}
	if err := o.agreed(ctx, s, dir, o.acceptsAll(s, dir, c, files)); err != nil {
		return err
	}
	// What is trusted is what was read above: what changed since is not.
	if c.Project {
		err = s.TrustStore().Accept(dir, c.Digest, time.Now())
	}
	if err == nil && instruct {
		err = asking.MemoryStore(s).Trust(dir, files, time.Now())
	}
	if err != nil {
		return err
	}
	if o.json {
		return trustStatus(ctx, s, o, dir)
	}
	return s.Print("trusted: " + command.Printable(dir))
}

func nothingToTrust(s command.Streams, o trustOptions, dir string) error {
	if o.json {
		return s.PrintJSON(trustState{Workspace: dir})
	}
	return s.Print("there is no project configuration in " + command.Printable(dir) + ": nothing to trust")
}

// agreed shows what would be accepted, and asks where somebody can be asked and --yes has not said it; nil means yes.
// With --json and a yes nothing but JSON is printed.
func (o trustOptions) agreed(ctx context.Context, s command.Streams, dir, accepts string) error {
	if !o.yes && s.Terminal().Present() {
		return confirmTrust(ctx, s, dir, accepts)
	}
	if !o.json {
		if err := s.Print(command.Printable(accepts)); err != nil {
			return err
		}
	}
	if !o.yes {
		return command.Usage("trust: nothing was trusted: there is nobody to ask\nhint: %s",
			"read what it would loosen or run; helve trust --yes trusts it as it stands")
	}
	return nil
}

// confirmTrust asks the person at the terminal; a no is an error.
func confirmTrust(ctx context.Context, s command.Streams, dir, accepts string) error {
	yes, err := asking.Confirm(ctx, s.Terminal(), terminal.Question{
		Title:   "What " + dir + " would loosen, run or tell models",
		Preview: accepts,
		Ask:     "Trust this, as it stands?",
	}, "Yes")
	if err == nil && !yes {
		return &command.ExitError{Status: command.ExitRefused, Err: errors.New("trust: declined")}
	}
	return err
}

// accepted is what a configuration could do once it is trusted, a line each.
func accepted(c *config.Config) string {
	var lines []string
	for _, g := range c.Ignored {
		if g.ByTrust {
			lines = append(lines, fmt.Sprintf("%s = %s  (%s)", g.Key, g.Value, g.At))
		}
	}
	if len(lines) == 0 {
		return "the configuration only takes rights away"
	}
	return strings.Join(lines, "\n")
}
