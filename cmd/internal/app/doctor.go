package app

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"helve"
	"helve/engine/sandbox"
)

func (a *app) doctorCommand() *cobra.Command {
	var probe bool
	var client string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Tell what works on this machine, and why the rest does not",
		Long: `Tell what works on this machine and in this workspace, and why the rest does not: sandbox levels with their gaps, indexes, MCP servers,
each of which is started.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case client != "":
				return a.describeClient(cmd.Context(), client)
			case probe:
				return a.probe(cmd.Context())
			}
			return a.doctor(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&client, "client", "", "tell instead what is known of this MCP client, and what that means for it")
	cmd.Flags().BoolVar(&probe, "probe", false, "try every known way out of every sandbox, and print the table")
	a.jsonFlag(cmd)
	return cmd
}

// A checkup is what doctor prints as JSON.
type checkup struct {
	Version   string          `json:"version"`
	Platform  string          `json:"platform"`
	Bash      string          `json:"bash"`
	Sandbox   []reachedLevel  `json:"sandbox"`
	Mechanism []mechanismInfo `json:"mechanisms"`
	Landlock  int             `json:"landlock"`
	Index     indexes         `json:"index"`
	Servers   []serverRow     `json:"servers"`
}

type reachedLevel struct {
	Level     string   `json:"level"`
	Mechanism string   `json:"mechanism"`
	Gaps      []string `json:"gaps"`
}

type mechanismInfo struct {
	Name   string   `json:"name"`
	Works  bool     `json:"works"`
	Reason string   `json:"reason,omitempty"`
	Gaps   []string `json:"gaps"`
}

func (a *app) examine(ctx context.Context) checkup {
	r := sandbox.Probe(ctx)
	c := checkup{Version: helve.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Landlock: r.Landlock, Sandbox: []reachedLevel{}, Mechanism: []mechanismInfo{}}
	c.Bash, _ = exec.LookPath("bash")
	for _, b := range r.Best {
		c.Sandbox = append(c.Sandbox, reachedLevel{b.Level.String(), b.Mechanism, append([]string{}, b.Gaps...)})
	}
	for _, f := range r.Findings {
		m := mechanismInfo{Name: f.Mechanism, Works: f.Err == nil, Gaps: append([]string{}, f.Gaps...)}
		if f.Err != nil {
			m.Reason = f.Err.Error()
		}
		c.Mechanism = append(c.Mechanism, m)
	}
	return c
}

func (a *app) doctor(ctx context.Context) error {
	c := a.examine(ctx)
	var err error
	if c.Servers, err = a.serverRows(ctx); err != nil {
		a.say("%v", err) // a configuration that cannot be read hides the servers, not the machine
		c.Servers = []serverRow{}
	}
	dir, err := a.workspace()
	if err != nil {
		return &exitError{exitUsage, err}
	}
	if c.Index, err = a.indexes(ctx, dir, "status", true, true); err != nil {
		return &exitError{exitFailed, fmt.Errorf("index: %w", err)}
	}
	if a.flags.json {
		return a.printJSON(c)
	}
	return a.printCheckup(c)
}

func (a *app) printCheckup(c checkup) error {
	out := a.env.Stdout
	fmt.Fprintf(out, "helve %s on %s\n", c.Version, c.Platform)
	if c.Bash == "" {
		c.Bash = "not found: the bash tool cannot run"
	}
	fmt.Fprintf(out, "bash: %s\n\nSandbox\n", c.Bash)
	for _, s := range c.Sandbox {
		fmt.Fprintf(out, "  %s: by %s\n", s.Level, s.Mechanism)
		for _, g := range s.Gaps {
			fmt.Fprintf(out, "    gap: %s\n", g)
		}
	}
	if len(c.Sandbox) == 0 {
		fmt.Fprintln(out, "  none: every command is asked about, and what is approved runs unconfined")
	}
	fmt.Fprintln(out, "\nMechanisms, best first")
	for _, m := range c.Mechanism {
		if !m.Works {
			fmt.Fprintf(out, "  %s: no: %s\n", m.Name, m.Reason)
			continue
		}
		fmt.Fprintf(out, "  %s: works%s\n", m.Name, gapsOf(m.Gaps))
	}
	fmt.Fprintln(out, "\nIndex")
	if err := a.printIndexes(c.Index); err != nil {
		return err
	}
	fmt.Fprintln(out, "\nServers")
	if len(c.Servers) == 0 {
		fmt.Fprintln(out, "  none is configured")
		return nil
	}
	return a.printServers(c.Servers)
}

func gapsOf(gaps []string) string {
	if len(gaps) == 0 {
		return ", no gaps"
	}
	return "; gaps: " + strings.Join(gaps, "; ")
}

func (a *app) probe(ctx context.Context) error {
	a.say("trying to get out of every sandbox that this machine can make …")
	t, err := sandbox.ProbeEscapes(ctx)
	if err != nil {
		return err
	}
	if a.flags.json {
		return a.printJSON(t)
	}
	_, err = fmt.Fprint(a.env.Stdout, t.Markdown())
	return err
}
