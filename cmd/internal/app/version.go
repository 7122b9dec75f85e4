package app

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"helve/cmd/internal/command"
	"helve/internal/version"
)

// A release is what version prints as JSON.
type release struct {
	Program  string `json:"program"` // helve
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"` // GOOS/GOARCH
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

// String is the line that --version prints.
func (r release) String() string {
	return fmt.Sprintf("%s %s (%s, %s)", r.Program, r.Version, r.Go, r.Platform)
}

func versionCommand(c *command.Line) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return c.Streams().PrintJSON(thisRelease())
			}
			return c.Streams().Print(thisRelease().String())
		},
	}
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
