// Package upgrade has helve upgrade, and what helve version --check asks: which version lies where this one came
// from.
package upgrade

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"
	"golang.org/x/mod/semver"

	"helve/cmd/internal/command"
	"helve/internal/version"
)

// Command is helve upgrade.
func Command(c *command.Line) *cobra.Command {
	var wanted string
	var dry bool
	cmd := &cobra.Command{
		Use:   "upgrade",
		Short: "Bring the newest version of helve, where install.sh brought this one",
		Long: `Take the newest version from where install.sh took this one, check its SHA-256, try it, and put it in
the place of this program. Running servers go on with the version that they have. What a package manager brought, that
brings anew: the command says which words do it. HELVE_BASE_URL names another place, as for install.sh: an address or
a folder.`,
		Example: "  helve upgrade\n  helve upgrade --dry-run\n  helve version --check",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return upgrade(cmd.Context(), c.Streams(), wanted, dry)
		},
	}
	cmd.Flags().StringVar(&wanted, "version", "", "take this `VERSION`, an older one too")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "say what would be done")
	return cmd
}

// A Check is what helve version --check tells.
type Check struct {
	From   string `json:"from"`   // the address or folder that was asked
	Newest string `json:"newest"` // the version that lies there
	Newer  bool   `json:"newer"`  // than this one
}

// Look asks which version lies where this program came from.
func Look(ctx context.Context, getenv func(string) string) (Check, error) {
	self, err := program()
	if err != nil {
		return Check{}, err
	}
	from, err := sourceOf(self, getenv)
	if err != nil {
		return Check{}, err
	}
	offer, err := from.newest(ctx, "")
	if err != nil {
		return Check{}, err
	}
	return Check{From: from.base, Newest: offer.version, Newer: newer(offer.version, version.String())}, nil
}

// program is the file that runs. A link to it stays what it is.
func program() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", command.Failed(err)
	}
	if real, err := filepath.EvalSymlinks(self); err == nil {
		return real, nil
	}
	return self, nil
}

// newer tells whether a version is later than the one that runs, which may be no version at all but a commit.
func newer(there, here string) bool {
	return semver.Compare("v"+there, "v"+here) > 0
}

func upgrade(ctx context.Context, s command.Streams, wanted string, dry bool) error {
	self, err := program()
	if err != nil {
		return err
	}
	from, err := sourceOf(self, s.Getenv)
	if err != nil {
		return err
	}
	offer, err := from.newest(ctx, wanted)
	if err != nil {
		return err
	}
	if wanted == "" && !newer(offer.version, version.String()) {
		return s.Print(fmt.Sprintf("helve %s is the newest at %s", version.String(), from.base))
	}
	if dry {
		return s.Print(fmt.Sprintf("would take %s from %s and write %s", offer.file, from.base, self))
	}
	if err := from.install(ctx, offer, self); err != nil {
		return err
	}
	return s.Print(fmt.Sprintf("helve %s is now %s: %s", version.String(), offer.version, self))
}

// archive is the name of a version's archive for this machine: install.sh and the release make the same name.
func archive(version string) string {
	return fmt.Sprintf("helve_%s_%s_%s.tar.gz", version, runtime.GOOS, runtime.GOARCH)
}
