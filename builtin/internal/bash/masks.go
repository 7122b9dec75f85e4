package bash

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"helve/builtin/internal/folders"
	"helve/engine/sandbox"
	"helve/engine/shell"
	"helve/internal/fsroot"
	"helve/internal/git"
	"helve/internal/resolved"
)

// maxMasks bounds the files that are masked for rules: each is a mount of its own in every command's sandbox.
const maxMasks = 256

// maskDenied masks the files that rules deny to read, for what a command opens by itself. It is called when the
// command was approved: the files are those that exist then.
func (c *command) maskDenied(w *Commands) {
	nothing := w.Denied == nil || w.SomeDenied != nil && !w.SomeDenied()
	if nothing || c.confine.Level == sandbox.Off { // without a sandbox nothing can be masked, and the person was told
		return
	}
	var found []string
	searched := 0
	for _, r := range w.Files.Roots() {
		err := c.denied(w, r, &found, &searched)
		switch {
		case errors.Is(err, folders.ErrEnough):
			gap := fmt.Sprintf("of the files that rules deny to read, %d are masked and others may not be", len(found))
			c.gaps = append(c.gaps, gap)
		case err != nil:
			c.gaps = append(c.gaps, "the files that rules deny to read could not all be found: "+err.Error())
		}
	}
	c.confine.Masked = append(slices.Clone(c.confine.Masked), found...)
}

// denied lists what rules deny below one root. A denied directory is masked as a whole.
func (c *command) denied(w *Commands, r *fsroot.Root, found *[]string, searched *int) error {
	return filepath.WalkDir(r.Dir(), func(path string, d fs.DirEntry, err error) error {
		*searched++
		if *searched > folders.MaxSearched || len(*found) >= maxMasks {
			return folders.ErrEnough
		}
		rel, relErr := filepath.Rel(r.Dir(), path)
		if err != nil || relErr != nil || rel == "." {
			return nil // what cannot be listed here cannot be read by the command either
		}
		if w.Denied(folders.RootPrefix(r) + filepath.ToSlash(rel)) {
			*found = append(*found, path)
			if d.IsDir() {
				return fs.SkipDir
			}
		}
		if d.IsDir() && rel == filepath.Join(".git", "objects") {
			return fs.SkipDir // packed by content, not by name
		}
		return nil
	})
}

// readable is what commands may read outside the workspace: what the person allowed, and the repository
// that the workspace is a part of. Without it git would say that everything around is deleted. A repository that holds
// the whole home, as some keep their settings, is not shown.
func (w *Commands) readable() []string {
	out := slices.Clone(w.Sandbox.Readable)
	home := w.Getenv("HOME")
	for _, dir := range w.RootDirs() {
		top := git.Top(dir)
		if top != "" && resolved.Within(top, home) {
			continue
		}
		shared, err := git.Outside(dir)
		if err != nil {
			continue // git says what is wrong with it
		}
		out = append(out, shared...)
		if top != "" {
			out = append(out, top)
		}
	}
	return out
}

// with adds the command's own gaps to those of the sandbox.
func (c *command) with(r sandbox.Reached) sandbox.Reached {
	if len(c.gaps) > 0 {
		r.Gaps = slices.Concat(r.Gaps, c.gaps)
		slices.Sort(r.Gaps)
	}
	return r
}

// unasked tells that nobody approved the command: its words only look, or it runs where it can do nothing else.
func (c *command) unasked() bool {
	return c.line.Verdict == shell.ReadOnly && !c.in.Network || c.alone
}

// maskSecrets hides the files of the workspace that may hold secrets from a command that nobody approved.
func (c *command) maskSecrets(ctx context.Context, w *Commands) {
	if !c.early && (!c.unasked() || c.confine.Level != sandbox.ReadOnly) {
		return
	}
	var found []string
	for _, r := range w.Files.Roots() {
		more, err := w.SecretsIn(ctx, r, maxMasks-len(found))
		found = append(found, more...)
		switch {
		case errors.Is(err, folders.ErrEnough):
			gap := fmt.Sprintf("of the files that may hold secrets %d are masked and others may not be", len(found))
			c.gaps = append(c.gaps, gap)
		case err != nil:
			c.gaps = append(c.gaps, "the files that may hold secrets could not all be found: "+err.Error())
		}
	}
	c.confine.Masked = append(slices.Clone(c.confine.Masked), found...)
}
