package codetool_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"helve/codetool"
	"helve/engine/search"
	"helve/engine/tree"
)

// git runs git in dir with a home of its own.
func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1"}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// cursorOf is the cursor that an answer ends with.
func cursorOf(t *testing.T, text string) string {
	t.Helper()
	_, after, ok := strings.Cut(text, "; cursor ")
	if !ok {
		t.Fatalf("no cursor in\n%s", text)
	}
	return strings.TrimSuffix(after, "]")
}

func TestACursorSaysWhenTheFilesHaveChangedSince(t *testing.T) {
	for _, resident := range []bool{false, true} {
		var b strings.Builder
		for i := range 500 {
			fmt.Fprintf(&b, "def function_%d(first, second):\n    pass\n", i)
		}
		h := open(t, map[string]string{"long.py": b.String()}, codetool.Options{Resident: resident})
		for name, args := range map[string]string{"get_functions": `{`, "search_codebase": `{"pattern":"def","max_results":300,`} {
			cursor := cursorOf(t, h.call(name, args+`"cursor":""}`).Text())
			if r := h.call(name, args+`"cursor":"`+cursor+`"}`); r.Err != nil || strings.Contains(r.Text(), "changed since") {
				t.Errorf("%s: nothing changed: %.200s", name, r.Text())
			}
			write(t, h.dir, map[string]string{name + ".py": "def added():\n    pass\n"})
			r := h.call(name, args+`"cursor":"`+cursor+`"}`)
			if r.Err != nil || !strings.HasPrefix(r.Text(), "[files changed since that cursor") || !strings.Contains(r.Text(), "def function_") && !strings.Contains(r.Text(), "#function_") {
				t.Errorf("%s: resident %v: %.300s", name, resident, r.Text())
			}
		}
	}
}

func TestSearchCodebaseUsesTheSearchIndexWhereThereIsOne(t *testing.T) {
	cache := t.TempDir()
	h := open(t, project, codetool.Options{Cache: cache})
	for i := range 24 { // smaller trees need no index
		write(t, h.dir, map[string]string{fmt.Sprintf("notes/%d.txt", i): strings.Repeat(fmt.Sprintf("note %d of many\n", i), 1<<16)})
	}
	time.Sleep(300 * time.Millisecond) // what was written a moment ago is not indexed
	tr, err := tree.At(h.dir, tree.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	if _, err := search.NewIndexed(tr, cache).BuildIndex(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if r := h.call("search_codebase", `{"pattern":"class Child"}`); !strings.Contains(r.Text(), "a.py:5:class Child(Base):") {
		t.Errorf("got %s", r.Text())
	}
	if !h.index.Searched().Indexed {
		t.Error("the index was not used")
	}
}

func TestALinkedWorktreeIsATreeOfItsOwn(t *testing.T) {
	main := open(t, project, codetool.Options{})
	commit(t, main.dir)
	dir := filepath.Join(t.TempDir(), "linked")
	git(t, main.dir, "worktree", "add", "-q", "-b", "side", dir)
	side := open(t, map[string]string{}, codetool.Options{Dir: dir})
	if r := side.call("get_change_impact", `{}`); r.Err != nil || r.Text() != "No uncommitted changes." {
		t.Errorf("a fresh worktree: %s", r.Text())
	}
	write(t, dir, map[string]string{"a.py": "class Sideways:\n    pass\n"})
	if r := side.call("find_symbol", `{"name":"Sideways"}`); !strings.Contains(r.Text(), "a.py#Sideways") {
		t.Errorf("in the worktree: %s", r.Text())
	}
	if r := side.call("get_change_impact", `{}`); !strings.Contains(r.Text(), "a.py#Sideways") {
		t.Errorf("its changes: %s", r.Text())
	}
	if r := main.call("find_symbol", `{"name":"Sideways"}`); r.Err == nil {
		t.Errorf("in the main tree: %s", r.Text())
	}
}

func TestQuestionsDuringBranchSwitchesSeeOneBranchOrTheOther(t *testing.T) {
	files := map[string]string{}
	for i := range 40 {
		files[fmt.Sprintf("p/f%02d.go", i)] = fmt.Sprintf("package p\n\nfunc Old%d() { Shared() }\n", i)
	}
	files["p/shared.go"] = "package p\n\nfunc Shared() {}\n"
	h := open(t, files, codetool.Options{Resident: true})
	commit(t, h.dir)
	git(t, h.dir, "checkout", "-q", "-b", "other")
	for i := range 40 {
		write(t, h.dir, map[string]string{fmt.Sprintf("p/f%02d.go", i): fmt.Sprintf("package p\n\nfunc New%d() { Shared() }\n", i)})
	}
	git(t, h.dir, "commit", "-qam", "other")
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			r := h.call("get_dependents", `{"name":"Shared"}`)
			if r.Err != nil && !strings.Contains(r.Text(), "changed") {
				t.Errorf("during a switch: %s", r.Text())
			}
		}
	})
	for range 5 {
		git(t, h.dir, "checkout", "-q", "-")
	}
	close(stop)
	wg.Wait()
	git(t, h.dir, "checkout", "-q", "other")
	got := h.call("get_dependents", `{"name":"Shared"}`).Text()
	if strings.Contains(got, "#Old") || strings.Count(got, "#New") != 40 {
		t.Errorf("after the switch:\n%s", got)
	}
}

func TestNothingOfAHostileRepositoryIsRunOrLeavesIt(t *testing.T) {
	outside := t.TempDir()
	write(t, outside, map[string]string{"secret.py": "def outside_secret():\n    pass\n"})
	h := open(t, map[string]string{
		"setup.py":                     "import os\nos.system('touch ran')\ndef inner():\n    pass\n",
		"conftest.py":                  "open('ran', 'w')\n",
		".codebase-index-cache.pickle": "cos\nsystem\n(S'touch ran'\ntR.",
		".envrc":                       "touch ran\n",
		"package.json":                 `{"scripts":{"preinstall":"touch ran"}}`,
	}, codetool.Options{})
	for link, to := range map[string]string{"link.py": filepath.Join(outside, "secret.py"), "linked": outside, "loop": "."} {
		if err := os.Symlink(to, filepath.Join(h.dir, link)); err != nil {
			t.Skip("no symbolic links here")
		}
	}
	commit(t, h.dir)
	write(t, h.dir, map[string]string{"setup.py": "def inner():\n    return 1\n"})
	for _, c := range answers {
		h.call(c.name, c.args)
	}
	for _, c := range [][2]string{{"get_functions", `{}`}, {"find_symbol", `{"name":"outside_secret"}`}, {"get_structure_summary", `{"file_path":"link.py"}`},
		{"get_structure_summary", `{"file_path":"linked/secret.py"}`}, {"search_codebase", `{"pattern":"outside_secret"}`}, {"get_change_impact", `{}`}} {
		if r := h.call(c[0], c[1]); strings.Contains(r.Text(), "secret.py#") || r.Err == nil && strings.Contains(r.Text(), "secret.py:") || strings.Contains(r.Text(), "def outside_secret") {
			t.Errorf("%s %s shows what is outside:\n%s", c[0], c[1], r.Text())
		}
	}
	if _, err := os.Stat(filepath.Join(h.dir, "ran")); err == nil {
		t.Error("something of the repository ran")
	}
}

func TestAPatternThatWouldRunAwayElsewhereAnswers(t *testing.T) {
	h := open(t, map[string]string{"a.txt": strings.Repeat("a", 100_000) + "\n"}, codetool.Options{})
	if r := h.call("search_codebase", `{"pattern":"(a+)+$"}`); r.Err != nil {
		t.Errorf("got %s", r.Text())
	}
	if r := h.call("search_codebase", `{"pattern":"(a)\\1"}`); r.Err == nil {
		t.Error("a pattern with a back reference is no RE2, and was accepted")
	}
}

func TestAGitFileThatNamesAnotherRepositoryIsNotBelieved(t *testing.T) {
	other := open(t, project, codetool.Options{})
	commit(t, other.dir)
	h := open(t, map[string]string{".git": "gitdir: " + filepath.Join(other.dir, ".git") + "\n", "a.py": "class Mine:\n    pass\n"}, codetool.Options{})
	if r := h.call("get_change_impact", `{}`); r.Err == nil || !strings.Contains(r.Text(), "knows nothing of this folder") {
		t.Errorf("got %s", r.Text())
	}
}

func TestAFolderInsideARepositoryHasItsChanges(t *testing.T) {
	outer := open(t, project, codetool.Options{})
	commit(t, outer.dir)
	h := open(t, map[string]string{}, codetool.Options{Dir: filepath.Join(outer.dir, "store")})
	write(t, h.dir, map[string]string{"s.go": strings.Replace(project["store/s.go"], "s.m[k]", "s.m[k+k]", 1)})
	if r := h.call("get_change_impact", `{}`); r.Err != nil || !strings.Contains(r.Text(), "s.go#Store.Get") || strings.Contains(r.Text(), "gone") {
		t.Errorf("got %s", r.Text())
	}
}
