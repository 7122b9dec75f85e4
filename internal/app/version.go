package app

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func (a *app) versionCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := version()
			if a.flags.json {
				return a.printJSON(map[string]string{"version": v, "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH})
			}
			_, err := fmt.Fprintf(a.env.Stdout, "helve %s (%s, %s/%s)\n", v, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
	a.jsonFlag(cmd)
	return cmd
}

// version is the module's version, or the commit it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return "0-" + s.Value[:min(12, len(s.Value))]
		}
	}
	return "devel"
}

func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man [DIR]",
		Short: "Print the manual page, or write one for every command into DIR",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			head := &doc.GenManHeader{Title: "HELVE", Section: "1", Source: "helve " + version()}
			if len(args) == 0 {
				return doc.GenMan(cmd.Root(), head, a.env.Stdout)
			}
			dir := args[0]
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(a.env.Dir, dir)
			}
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
			head.Title = strings.ToUpper(cmd.Root().Name())
			return doc.GenManTree(cmd.Root(), head, dir)
		},
	}
}
