package folders

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"helve/internal/fsroot"
)

// Git takes a folder of any name for a repository if it has HEAD, objects and refs, or HEAD and commondir, which says
// where the other two are. It then obeys the settings in it: those name programs that a mere `git status` runs.

// nested refuses a write that would make a folder such a repository, and one of the settings of one that is there.
// Those named .git are not its business: of them Steering and the policy speak.
func nested(p fsroot.Path) error {
	rel := fsroot.Fold(p.Rel())
	for dir := path.Dir(rel); ; dir = path.Dir(dir) {
		if path.Base(dir) == ".git" {
			return nil
		}
		at, below := p.Root().At(), rel // the root as the call sees it: in a draft others brought pieces, too
		if dir != "." {
			at = filepath.Join(at, filepath.FromSlash(ancestor(p.Rel(), dir)))
			below = strings.TrimPrefix(rel, dir+"/")
		}
		switch {
		case !isRepository(at, below):
		case !isRepository(at, ""):
			return fmt.Errorf("%w: with it git takes %s for a repository, and runs what its settings name", fsroot.ErrProtected, dir)
		case isSetting(below):
			return fmt.Errorf("%w: git takes %s for a repository, and runs what this names; a person has to change it",
				fsroot.ErrProtected, dir)
		}
		if dir == "." {
			return nil
		}
	}
}

// ancestor is the folder above a path that is as deep as another one: folding may have changed its length.
func ancestor(rel, like string) string {
	parts := strings.Split(rel, "/")
	return strings.Join(parts[:min(strings.Count(like, "/")+1, len(parts))], "/")
}

// isRepository tells that a folder is a repository for git, or would be one with a further file below it, "" for none.
func isRepository(dir, with string) bool {
	has := func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name)) // a link is taken for what it may lead to
		folded := fsroot.Fold(name)
		return err == nil || with == folded || strings.HasPrefix(with, folded+"/")
	}
	return has("HEAD") && (has("commondir") || has("objects") && has("refs"))
}

// isSetting tells that a path of a repository names programs, or another place where settings are.
func isSetting(below string) bool {
	switch first, _, _ := strings.Cut(below, "/"); first {
	case "config", "config.worktree", "commondir", "gitdir", "hooks", "modules", "info":
		return true
	}
	return false
}
