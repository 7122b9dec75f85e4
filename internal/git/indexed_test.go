package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"helve/internal/change"
)

// What git says of an index before and after a status, and after an add.
func TestAnIndexIsComparedByWhatItSays(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	git := func(line string) []byte {
		t.Helper()
		cmd := exec.Command("sh", "-ec", line)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "HOME=/nonexistent")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
		b, err := os.ReadFile(filepath.Join(dir, ".git", "index"))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for _, version := range []string{"2", "4"} {
		first := git("rm -rf .git && git init -q && git config index.version " + version +
			" && echo a >a && mkdir -p d && echo b >d/b && echo c >c && git add -A && rm c")
		files := map[string]bool{}
		err := Indexed(first, func(f IndexedFile) {
			tree, err := change.OpenTree(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer tree.Close()
			e, err := tree.Look(change.Name(f.Name))
			if err != nil {
				t.Fatal(err)
			}
			files[f.Name] = f.Knows(e)
		})
		if err != nil || len(files) != 3 || files["c"] || !files["a"] || !files["d/b"] {
			t.Errorf("version %s: %v %v", version, files, err)
		}
		touched := git("sleep 0.02; touch a d/b && git status -s")
		if !SameIndex(first, touched) {
			t.Errorf("version %s: a status counts as a change", version)
		}
		if SameIndex(first, git("echo more >>a && git add a")) {
			t.Errorf("version %s: an add does not", version)
		}
		if SameIndex(first, nil) || SameIndex(first, first[:40]) {
			t.Errorf("version %s: a damaged index is the same", version)
		}
	}
}
