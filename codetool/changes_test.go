package codetool_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"helve/codetool"
)

// commit makes dir a repository whose only commit is what is there.
func commit(t *testing.T, dir string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	home := t.TempDir()
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "a"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1"}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
}

func TestImpactOfNothingNamedIsThatOfUncommittedChanges(t *testing.T) {
	h := open(t, project, codetool.Options{})
	commit(t, h.dir)
	if r := h.call("get_change_impact", `{}`); r.Err != nil || r.Text() != "No uncommitted changes." {
		t.Fatalf("a clean tree: %s", r.Text())
	}
	write(t, h.dir, map[string]string{"store/s.go": strings.Replace(project["store/s.go"], "s.m[k]", "s.m[k+k]", 1), "new.py": "def fresh():\n    pass\n"})
	if err := os.Remove(filepath.Join(h.dir, "a.py")); err != nil {
		t.Fatal(err)
	}
	got := h.call("get_change_impact", `{}`).Text()
	for _, want := range []string{"new.py#fresh", "store/s.go#Store.Get", "store/s_test.go#TestGet", "main.go#run", "[1 files of the last commit are gone"} {
		if !strings.Contains(got, want) {
			t.Errorf("want %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "store/s.go#Open") {
		t.Errorf("Open did not change:\n%s", got)
	}
}

func TestLookingForChangesRunsNothingOfTheRepository(t *testing.T) {
	h := open(t, project, codetool.Options{})
	commit(t, h.dir)
	ran := filepath.Join(h.dir, "ran")
	write(t, h.dir, map[string]string{".git/config": "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tfsmonitor = \"touch " + ran + "; false\"\n" +
		"[diff]\n\texternal = touch " + ran + "\n[filter \"x\"]\n\tclean = touch " + ran + "\n\tsmudge = touch " + ran + "\n",
		".gitattributes": "* filter=x diff=x\n", "a.py": "class Other:\n    pass\n"})
	if r := h.call("get_change_impact", `{}`); r.Err != nil || !strings.Contains(r.Text(), "a.py#Other") {
		t.Errorf("got %s", r.Text())
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("the repository's own command ran")
	}
}

func TestWithoutARepositoryTheModelIsToldToNameASymbol(t *testing.T) {
	h := open(t, project, codetool.Options{})
	if r := h.call("get_change_impact", `{}`); r.Err == nil || !strings.Contains(r.Text(), "give the name") {
		t.Errorf("got %s", r.Text())
	}
}

// Where the first lines of a file went, what stands in their place counts as changed, and nothing after it.
func TestLinesThatWentAtTheTopChangeWhatFollowsThem(t *testing.T) {
	const after = "def first(): pass\ndef second(): pass\n"
	h := open(t, map[string]string{"a.py": "x = 1\n" + after}, codetool.Options{})
	commit(t, h.dir)
	write(t, h.dir, map[string]string{"a.py": after})
	got := h.call("get_change_impact", `{}`).Text()
	if !strings.Contains(got, "a.py#first") || strings.Contains(got, "a.py#second") {
		t.Errorf("got %s", got)
	}
}
