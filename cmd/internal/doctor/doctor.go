// Package doctor has the command that tells what works on this machine, and whether the hooks of a client hold.
package doctor

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"helve/builtin"
	"helve/cmd/internal/command"
	"helve/cmd/internal/mcp"
	"helve/cmd/internal/search"
	"helve/cmd/internal/setup"
	"helve/engine/sandbox"
	"helve/internal/version"
	"helve/source/upstream"
)

// doctorOptions say what is examined; without a flag it is this machine and this workspace.
type doctorOptions struct {
	command.Common
	client string // tell of this MCP client instead; "": of this machine
	quick  bool   // only read what the client's files say
	probe  bool   // try the ways out of every sandbox instead
	json   bool
}

func Command(c *command.Line) *cobra.Command {
	var o doctorOptions
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Tell what works on this machine, and why the rest does not",
		Long: `Tell what works on this machine and in this workspace, and why the rest does not: sandbox levels
with their gaps, indexes, MCP servers, each of which is started.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Common = c.Flags.Common
			switch {
			case o.client != "":
				return describeClient(cmd.Context(), c.Streams(), o)
			case o.probe:
				return probe(cmd.Context(), c.Streams(), o.json)
			}
			return doctor(cmd.Context(), c.Streams(), o)
		},
	}
	cmd.Flags().StringVar(&o.client, "client", "",
		"tell instead what is known of this MCP client, and what that means for it")
	cmd.Flags().BoolVar(&o.quick, "quick", false,
		"with --client: only read its files, and do not try its hooks")
	cmd.Flags().BoolVar(&o.probe, "probe", false,
		"try every known way out of every sandbox, and print the table")
	command.JSONFlag(cmd, &o.json)
	return cmd
}

// A checkup is what doctor prints as JSON.
type checkup struct {
	Version  string `json:"version"`
	Platform string `json:"platform"`
	Bash     string `json:"bash"` // where it is; "": nowhere
	// where it is, if commands run in it because there is no bash
	Power     string          `json:"powershell"`
	Passed    string          `json:"passed_bash,omitempty"` // a bash that is not used: that of WSL
	Sandbox   []reachedLevel  `json:"sandbox"`               // what bash's commands get, by level
	Mechanism []mechanismInfo `json:"mechanisms"`            // best first
	Landlock  int             `json:"landlock"`              // the kernel's version of it; 0: none
	Index     search.Indexes  `json:"index"`
	Servers   []mcp.ServerRow `json:"servers"`

	Discovery *upstream.Absence `json:"discovery,omitempty"` // what is remembered of a discovery command that failed
	Former    []formerFile      `json:"former,omitempty"`    // files that start the program that helve is today
}

// A formerFile starts helve by the name that its larger program had.
type formerFile struct {
	File  string `json:"file"`
	Lines []int  `json:"lines"`
}

// formerFiles are those of this home and of a workspace.
func formerFiles(s command.Streams, dir string) []formerFile {
	home := setup.Here(s.Getenv)
	if home.Dir == "" {
		return nil
	}
	changes, _ := setup.Former(home, dir) // what cannot be read or changed is named by init
	var out []formerFile
	for _, ch := range changes {
		out = append(out, formerFile{ch.File, ch.Lines()})
	}
	return out
}

// A reachedLevel is one level of the sandbox with the mechanism that bash gets for it here.
type reachedLevel struct {
	Level     string   `json:"level"`
	Mechanism string   `json:"mechanism"`
	Gaps      []string `json:"gaps"` // what the level promises and this mechanism cannot hold here
}

// A mechanismInfo is what one mechanism of the sandbox came to when it was tried.
type mechanismInfo struct {
	Name   string   `json:"name"`
	Works  bool     `json:"works"`
	Reason string   `json:"reason,omitempty"` // why it does not
	Gaps   []string `json:"gaps"`
}

// examine looks at the machine. Lists are never nil: JSON says [] and not null.
func examine(ctx context.Context) checkup {
	report := sandbox.Probe(ctx)
	c := checkup{
		Version:   version.String(),
		Platform:  runtime.GOOS + "/" + runtime.GOARCH,
		Landlock:  report.Landlock,
		Sandbox:   []reachedLevel{},
		Mechanism: []mechanismInfo{},
	}
	found := builtin.FindShell(os.Environ())
	c.Passed = found.PassedOver
	if found.Name == "bash" {
		c.Bash = found.Path
	} else {
		c.Power = found.Path
	}
	for _, b := range report.Best {
		level := reachedLevel{Level: b.Level.String(), Mechanism: b.Mechanism}
		level.Gaps = append([]string{}, b.Gaps...)
		c.Sandbox = append(c.Sandbox, level)
	}
	for _, f := range report.Findings {
		m := mechanismInfo{Name: f.Mechanism, Works: f.Err == nil}
		m.Gaps = append([]string{}, f.Gaps...)
		if f.Err != nil {
			m.Reason = f.Err.Error()
		}
		c.Mechanism = append(c.Mechanism, m)
	}
	return c
}

// doctor tells what works. A configuration that cannot be read hides the servers, not the machine.
func doctor(ctx context.Context, s command.Streams, o doctorOptions) error {
	c := examine(ctx)
	servers, discovery, err := mcp.Servers(ctx, s, o.Common)
	if err != nil {
		s.Say("%v", err)
		servers = []mcp.ServerRow{}
	}
	c.Servers, c.Discovery = servers, discovery
	dir, err := o.Folder(s)
	if err != nil {
		return err
	}
	c.Index, err = search.Status(ctx, s, dir)
	if err != nil {
		return command.Failed(fmt.Errorf("index: %w", err))
	}
	c.Former = formerFiles(s, dir)
	if o.json {
		return s.PrintJSON(c)
	}
	return printCheckup(s, c)
}

// printCheckup prints the same for people. Each part says what its absence means: the reader wants to know what to
// do.
func printCheckup(s command.Streams, c checkup) error {
	out := s.Stdout
	printMachine(out, c)
	printMechanisms(out, c)
	printFormer(out, c.Former)
	fmt.Fprintln(out, "\nIndex")
	c.Index.Print(out)
	if c.Discovery != nil {
		fmt.Fprintf(out, "\nDiscovery\n  %s\n", command.Printable(c.Discovery.Text(time.Now())))
	}
	fmt.Fprintln(out, "\nServers")
	if len(c.Servers) == 0 {
		fmt.Fprintln(out, "  none is configured")
		return nil
	}
	return mcp.PrintServers(s, c.Servers)
}

// Machine examines this machine and prints what it has.
func Machine(ctx context.Context, out io.Writer) { printMachine(out, examine(ctx)) }

// printMachine prints what this machine has, and what holds commands, with the gaps: a sandbox that is believed to be
// tighter than it is does harm.
func printMachine(out io.Writer, c checkup) {
	fmt.Fprintf(out, "helve %s on %s\n", c.Version, c.Platform)
	switch {
	case c.Bash != "":
		fmt.Fprintf(out, "bash: %s\n", c.Bash)
	case c.Power != "":
		fmt.Fprintf(out, "bash: not found; commands run in PowerShell: %s\n", c.Power)
	default:
		fmt.Fprintln(out, "bash: not found, and no PowerShell: the bash tool cannot run")
	}
	if c.Passed != "" {
		fmt.Fprintf(out, "not used: %s, the bash of WSL, which has other paths\n", c.Passed)
	}
	fmt.Fprintln(out, "\nSandbox")
	for _, level := range c.Sandbox {
		if level.Mechanism == sandbox.None {
			fmt.Fprintf(out, "  %s: nothing here confines so: %s\n", level.Level, unconfined(level.Level))
			continue
		}
		fmt.Fprintf(out, "  %s: by %s\n", level.Level, level.Mechanism)
		for _, g := range level.Gaps {
			fmt.Fprintf(out, "    gap: %s\n", g)
		}
	}
}

// unconfined is what becomes of programs whose level no mechanism of this machine keeps.
func unconfined(level string) string {
	switch level {
	case sandbox.ReadOnly.String():
		return "commands that only read are asked about, too"
	case sandbox.Light.String():
		return "MCP servers run with all that you may do"
	}
	return "commands that change something are asked about, and after a yes do all that you may do"
}

// printFormer prints which files start a program that is not there any more.
func printFormer(out io.Writer, files []formerFile) {
	if len(files) == 0 {
		return
	}
	fmt.Fprintf(out, "\nStarted as %s, which is %s now (helve init shows the change and asks)\n",
		setup.FormerName, setup.Name)
	for _, f := range files {
		for _, line := range f.Lines {
			fmt.Fprintf(out, "  %s:%d\n", command.Printable(f.File), line)
		}
	}
}

// printMechanisms prints what each mechanism of the sandbox came to when it was tried.
func printMechanisms(out io.Writer, c checkup) {
	fmt.Fprintln(out, "\nMechanisms, best first")
	for _, m := range c.Mechanism {
		if !m.Works {
			fmt.Fprintf(out, "  %s: no: %s\n", m.Name, m.Reason)
			continue
		}
		fmt.Fprintf(out, "  %s: works%s\n", m.Name, command.Gaps(m.Gaps))
	}
}

// probe tries every known way out of every sandbox, for real: in folders of its own.
func probe(ctx context.Context, s command.Streams, asJSON bool) error {
	s.Say("trying to get out of every sandbox that this machine can make …")
	t, err := sandbox.ProbeEscapes(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		return s.PrintJSON(t)
	}
	_, err = fmt.Fprint(s.Stdout, t.Markdown())
	return err
}
