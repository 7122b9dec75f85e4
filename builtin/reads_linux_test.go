package builtin_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"helve/builtin"
	"helve/engine/sandbox"
)

// git runs git outside, as the person would.
func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	c := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x@x"}, args...)...)
	c.Dir, c.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}
	out, err := c.CombinedOutput()
	if err != nil {
		t.Skipf("git %v: %v\n%s", args, err, out)
	}
}

// Reads are confined to the workspace; the repository that it is a part of belongs to it.
func TestGitSeesTheRepositoryAroundTheWorkspace(t *testing.T) {
	top := t.TempDir()
	repo := filepath.Join(top, "repo")
	for _, name := range []string{"repo/sub/a.txt", "repo/other/b.txt"} {
		path := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git(t, repo, "init", "-q")
	git(t, repo, "add", ".")
	git(t, repo, "commit", "-qm", "one")
	git(t, repo, "worktree", "add", "-q", "../linked")
	for _, dir := range []string{"repo", "repo/sub", "linked", "linked/sub"} {
		h := open(t, builtin.Options{Dirs: []string{filepath.Join(top, dir)}})
		r := h.call("bash", args{"command": "git status --short && git log --oneline | wc -l"})
		if got := strings.TrimSpace(r.Text()); got != "1" {
			t.Errorf("in %s: %s", dir, r.Text())
		}
	}
}

func TestACommandThatLooksReadsNothingOfTheHome(t *testing.T) {
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, ".npmrc"), []byte("MARK\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if r, err := sandbox.Reach(t.Context(), sandbox.Options{}); err != nil || !r.Confined {
		t.Skipf("reads are not confined here, its gaps say so: %+v, %v", r, err)
	}
	h := open(t, builtin.Options{Environ: []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}})
	if err := os.Symlink(home, filepath.Join(h.dir, "h")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []string{"grep -r MARK h/", "cat h/.npmrc", "ls -la h/"} {
		r := h.call("bash", args{"command": c})
		if strings.Contains(r.Text(), "MARK") || strings.Contains(r.Text(), "rw-r--r--") && strings.Contains(r.Text(), "npmrc") {
			t.Errorf("%s: %s", c, r.Text())
		}
	}
}
