package app

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"helve/cmd/internal/terminal"
	"helve/internal/config"
)

func (a *app) trustCommand() *cobra.Command {
	var revoke, status bool
	cmd := &cobra.Command{
		Use:   "trust",
		Short: "Trust this workspace's configuration, as it stands",
		Long: `Trust this workspace's configuration, as it stands.

Until then it may only take rights away. What it would loosen or run is printed, and on a terminal asked about. Any change of the
configuration ends the trust, but for those that you make by "helve config" and "helve mcp".`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := a.workspace()
			if err != nil {
				return &exitError{exitUsage, err}
			}
			switch {
			case revoke:
				return a.trustStore().Revoke(dir)
			case status:
				return a.trustStatus(dir)
			}
			return a.accept(cmd.Context(), dir)
		},
	}
	cmd.Flags().BoolVar(&revoke, "revoke", false, "trust it no longer")
	cmd.Flags().BoolVar(&status, "status", false, "tell whether it is trusted; exit status 3 if not")
	cmd.MarkFlagsMutuallyExclusive("revoke", "status")
	a.jsonFlag(cmd)
	return cmd
}

// trustState is a workspace's standing.
type trustState struct {
	Workspace string     `json:"workspace"`
	Project   bool       `json:"project"` // there is something to trust
	Trusted   bool       `json:"trusted"`
	Changed   bool       `json:"changed"` // another content was trusted
	Since     *time.Time `json:"since,omitempty"`
}

func (a *app) trustStatus(dir string) error {
	c, err := a.loadAs(dir, a.trustStore().Accepted)
	if err != nil {
		return err
	}
	have, when, err := a.trustStore().Status(dir)
	if err != nil {
		a.note("warning: %v", err)
	}
	s := trustState{Workspace: dir, Project: c.Project, Trusted: c.Trusted, Changed: have != "" && !c.Trusted && c.Project}
	if c.Trusted {
		s.Since = &when
	}
	if a.flags.json {
		if err := a.printJSON(s); err != nil {
			return err
		}
	} else {
		fmt.Fprintln(a.env.Stdout, s.sentence())
	}
	if s.Project && !s.Trusted {
		return &exitError{status: exitRefused}
	}
	return nil
}

func (s trustState) sentence() string {
	switch {
	case !s.Project:
		return "there is no project configuration"
	case s.Trusted:
		return "trusted since " + s.Since.Format(time.DateTime)
	case s.Changed:
		return "not trusted: the configuration changed since it was"
	}
	return "not trusted"
}

// loadAs reads the configuration quietly, trusting what the function trusts.
func (a *app) loadAs(dir string, trusted func(string, string) bool) (*config.Config, error) {
	c, err := config.Load(a.places(), config.Options{Workspace: dir, UserFile: a.path(a.flags.config), Trusted: trusted})
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	return c, nil
}

// accept shows what the configuration would loosen or run, asks on a terminal, and trusts exactly what was shown.
func (a *app) accept(ctx context.Context, dir string) error {
	c, err := a.loadAs(dir, nil)
	if err != nil {
		return err
	}
	if !c.Project {
		fmt.Fprintln(a.env.Stdout, "there is no project configuration: nothing to trust")
		return nil
	}
	accepts := accepted(c)
	if a.terminal().Present() {
		yes, err := a.confirm(ctx, terminal.Question{
			Title:   "What the configuration of " + dir + " would loosen or run",
			Preview: accepts,
			Ask:     "Trust this configuration, as it stands?",
		}, "Yes")
		if err != nil {
			return err
		}
		if !yes {
			return &exitError{exitRefused, fmt.Errorf("trust: declined")}
		}
	} else {
		fmt.Fprintln(a.env.Stdout, printable(accepts))
	}
	if err := a.trustStore().Accept(dir, c.Digest, time.Now()); err != nil {
		return err
	}
	fmt.Fprintf(a.env.Stdout, "trusted: %s\n", dir)
	return nil
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
