package git

import (
	"os"
	"path/filepath"
	"strings"
)

// shortCommit is how many digits of a commit people write.
const shortCommit = 12

// Head is what the work tree around dir has checked out, in words: "branch main", "commit 0123456789ab"; and what is
// under way in it, "merge" or "rebase" for example. "" where dir is in none. Only small files are read: to run git here
// could run what the repository configures.
func Head(dir string) (head, underWay string) {
	if top := Top(dir); top != "" {
		dir = top
	}
	at := filepath.Join(dir, ".git")
	if st, err := os.Lstat(at); err == nil && st.Mode().IsRegular() {
		dirs, err := Outside(dir)
		if err != nil || len(dirs) == 0 {
			return "", ""
		}
		at = dirs[0]
	}
	text := pointer(filepath.Join(at, "HEAD"))
	name, isBranch := strings.CutPrefix(text, "ref: refs/heads/")
	switch {
	case isBranch:
		head = "branch " + name
	case len(text) >= shortCommit && !strings.Contains(text, " "):
		head = "commit " + text[:shortCommit]
	default:
		return "", ""
	}
	for _, step := range []struct{ file, name string }{
		{"rebase-merge", "rebase"}, {"rebase-apply", "rebase"}, {"MERGE_HEAD", "merge"},
		{"CHERRY_PICK_HEAD", "cherry-pick"}, {"REVERT_HEAD", "revert"}, {"BISECT_LOG", "bisect"},
	} {
		if _, err := os.Lstat(filepath.Join(at, step.file)); err == nil {
			return head, step.name
		}
	}
	return head, ""
}
