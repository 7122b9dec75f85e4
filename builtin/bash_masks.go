package builtin

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"helve/engine/sandbox"
	"helve/internal/fsroot"
	"helve/internal/gitdirs"
)

const (
	// maxMasks bounds the files that are masked for rules: each is a mount of its own in every command's sandbox.
	maxMasks = 256
	// maxSearched bounds the entries of a workspace that are looked at for them.
	maxSearched = 200_000
)

var errEnough = errors.New("enough")

// maskDenied masks the files that rules deny to read, for what a command opens by itself. It is called when the
// command was approved: the files are those that exist then.
func (c *command) maskDenied(w *Workspace) {
	nothing := w.opts.Denied == nil || w.opts.SomeDenied != nil && !w.opts.SomeDenied()
	if nothing || c.confine.Level == sandbox.Off { // without a sandbox nothing can be masked, and the person was told
		return
	}
	var found []string
	searched := 0
	for _, r := range w.files.Roots() {
		err := c.denied(w, r, &found, &searched)
		switch {
		case errors.Is(err, errEnough):
			gap := fmt.Sprintf("of the files that rules deny to read, %d are masked and others may not be", len(found))
			c.gaps = append(c.gaps, gap)
		case err != nil:
			c.gaps = append(c.gaps, "the files that rules deny to read could not all be found: "+err.Error())
		}
	}
	c.confine.Masked = append(slices.Clone(c.confine.Masked), found...)
}

// denied lists what rules deny below one root. A denied directory is masked as a whole.
func (c *command) denied(w *Workspace, r *fsroot.Root, found *[]string, searched *int) error {
	return filepath.WalkDir(r.Dir(), func(path string, d fs.DirEntry, err error) error {
		*searched++
		if *searched > maxSearched || len(*found) >= maxMasks {
			return errEnough
		}
		rel, relErr := filepath.Rel(r.Dir(), path)
		if err != nil || relErr != nil || rel == "." {
			return nil // what cannot be listed here cannot be read by the command either
		}
		if w.opts.Denied(rootPrefix(r) + filepath.ToSlash(rel)) {
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
func (w *Workspace) readable() []string {
	out := slices.Clone(w.opts.Sandbox.Readable)
	home := w.getenv("HOME")
	for _, dir := range w.dirs() {
		top := gitdirs.Top(dir)
		if top != "" && within(home, top) {
			continue
		}
		shared, err := gitdirs.Outside(dir)
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

// within tells that a path is dir or lies in it.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// with adds the command's own gaps to those of the sandbox.
func (c *command) with(r sandbox.Reached) sandbox.Reached {
	if len(c.gaps) > 0 {
		r.Gaps = slices.Concat(r.Gaps, c.gaps)
		slices.Sort(r.Gaps)
	}
	return r
}
