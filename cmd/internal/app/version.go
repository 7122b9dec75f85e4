package app

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"helve/cmd/internal/command"
	"helve/cmd/internal/upgrade"
	"helve/internal/version"
)

// A release is what version prints as JSON.
type release struct {
	Program  string `json:"program"` // helve
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"` // GOOS/GOARCH

	Check *upgrade.Check `json:"check,omitempty"`
}

// thisRelease is the program that runs.
func thisRelease() release {
	return release{
		Program:  "helve",
		Version:  version.String(),
		Go:       runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
}

// String is the line that --version prints, and what --check found.
func (r release) String() string {
	line := fmt.Sprintf("%s %s (%s, %s)", r.Program, r.Version, r.Go, r.Platform)
	switch {
	case r.Check == nil:
		return line
	case r.Check.Newer:
		return fmt.Sprintf("%s\n%s is there: helve upgrade", line, r.Check.Newest)
	default:
		return fmt.Sprintf("%s\n%s is the newest at %s", line, r.Check.Newest, r.Check.From)
	}
}

func versionCommand(c *command.Line) *cobra.Command {
	var asJSON, check bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r := thisRelease()
			if check {
				there, err := upgrade.Look(cmd.Context(), c.Streams().Getenv)
				if err != nil {
					return err
				}
				r.Check = &there
			}
			if asJSON {
				return c.Streams().PrintJSON(r)
			}
			return c.Streams().Print(r.String())
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "ask whether a newer one lies where this one came from")
	command.JSONFlag(cmd, &asJSON)
	return cmd
}

// versionFlag gives the root -V and --version, which print the line of the version command whatever else is asked.
// Cobra's own flag would link text/template, which keeps every exported method of the program: 2.8 MB.
func versionFlag(root *cobra.Command, c *command.Line) {
	asked := root.Flags().BoolP("version", "V", false, "print the version")
	root.PersistentPreRunE = func(*cobra.Command, []string) error {
		if !*asked {
			return nil
		}
		fmt.Fprintln(c.Env.Stdout, thisRelease())
		return &command.ExitError{Status: command.ExitOK}
	}
}
