package tree

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// git runs git away from the person's own configuration, which is config, and without asking.
func git(t *testing.T, dir, config string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "protocol.file.allow=always", "-c", "user.name=x", "-c", "user.email=x@example.org"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+config, "GIT_CONFIG_SYSTEM=/dev/null", "HOME="+filepath.Dir(config))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// others lists what git does not ignore and does not track.
func others(t *testing.T, dir, config string) []string {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "-z", "--others", "--exclude-standard")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+config, "GIT_CONFIG_SYSTEM=/dev/null")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	list := strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
	slices.Sort(list)
	return list
}

func needGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed: its answer is what this test compares with")
	}
}

// A submodule and a linked work tree have a file .git; info/exclude of the one is its own, of the other that of the
// repository. core.excludesFile holds in both.
func TestSubmodulesAndLinkedWorkTreesHaveTheRulesThatGitGivesThem(t *testing.T) {
	needGit(t)
	home := t.TempDir()
	config, global := filepath.Join(home, ".gitconfig"), filepath.Join(home, "my ignore")
	write(t, config, "[core]\n\texcludesFile = \""+global+"\"\n")
	write(t, global, "*.global\n")
	inner, outer := t.TempDir(), t.TempDir()
	for _, dir := range []string{inner, outer} {
		git(t, dir, config, "init", "-q")
		write(t, filepath.Join(dir, "tracked"), "")
		git(t, dir, config, "add", "tracked")
		git(t, dir, config, "commit", "-qm", "x")
	}
	git(t, outer, config, "submodule", "add", "-q", inner, "sub")
	linked := filepath.Join(t.TempDir(), "linked")
	git(t, outer, config, "worktree", "add", "-q", linked)
	write(t, filepath.Join(outer, ".git/info/exclude"), "*.outer\n")
	write(t, filepath.Join(outer, ".git/modules/sub/info/exclude"), "*.inner\n")
	write(t, filepath.Join(outer, ".gitignore"), "*.ignored\n")
	for _, dir := range []string{outer, filepath.Join(outer, "sub"), linked} {
		for _, name := range []string{"a.outer", "a.inner", "a.global", "a.ignored", "a.txt", "d/b.outer", "d/b.inner", "d/b.global"} {
			write(t, filepath.Join(dir, name), "")
		}
	}
	opt := Options{Hidden: true, Skip: []string{".git"}, GlobalIgnore: GitIgnoreFile(func(k string) string { return map[string]string{"HOME": home}[k] })}
	if opt.GlobalIgnore != global {
		t.Errorf("core.excludesFile is %q, want %q", opt.GlobalIgnore, global)
	}
	for _, dir := range []string{outer, filepath.Join(outer, "sub"), linked} {
		var got []string
		for _, p := range files(t, dir, opt) {
			if p != "tracked" && p != ".gitmodules" && p != ".git" && !strings.HasPrefix(p, "sub/") {
				got = append(got, p)
			}
		}
		if diff := cmp.Diff(others(t, dir, config), got); diff != "" {
			t.Errorf("%s (-git +tree)\n%s", dir, diff)
		}
	}
	var inSub []string // seen from outside, the submodule's own rules hold too
	for _, p := range files(t, outer, opt) {
		if rest, ok := strings.CutPrefix(p, "sub/"); ok && rest != "tracked" && rest != ".git" {
			inSub = append(inSub, rest)
		}
	}
	if diff := cmp.Diff(others(t, filepath.Join(outer, "sub"), config), inSub); diff != "" {
		t.Errorf("the submodule from outside (-git +tree)\n%s", diff)
	}
}

func TestTenThousandRulesHideWhatGitHides(t *testing.T) {
	needGit(t)
	r := rand.New(rand.NewPCG(4, 4))
	dir := t.TempDir()
	config := filepath.Join(t.TempDir(), "none")
	git(t, dir, config, "init", "-q")
	var rules strings.Builder
	for rules.WriteString("/top/*\n!/top/kept.txt\n"); strings.Count(rules.String(), "\n") < 10_000; {
		n := r.IntN(4000)
		end := []string{"\n", "\r\n"}[r.IntN(2)]
		shape := []string{"name#.txt", "/d1/name#.txt", "name#.*", "e#/", "*#7.txt", "!name#.txt", "**/d3/name#.txt", "# no #"}[r.IntN(8)]
		rules.WriteString(strings.ReplaceAll(shape, "#", fmt.Sprint(n)) + end)
	}
	write(t, filepath.Join(dir, ".gitignore"), rules.String())
	write(t, filepath.Join(dir, "top/kept.txt"), "")
	write(t, filepath.Join(dir, "top/other.txt"), "")
	for range 800 {
		at := []string{"", "d1", "d2", "d3", "d1/d3", "d4/d5"}[r.IntN(6)]
		write(t, filepath.Join(dir, at, fmt.Sprintf("name%d.txt", r.IntN(4000))), "")
	}
	if diff := cmp.Diff(others(t, dir, config), files(t, dir, Options{Hidden: true, Skip: []string{".git"}})); diff != "" {
		t.Errorf("(-git +tree)\n%s", diff)
	}
}

// The rules of the directories above the root hold, up to the top of the work tree.
func TestRulesOfParentsHoldBelow(t *testing.T) {
	for seed := range uint64(40) {
		dir, rules := randomTree(t, rand.New(rand.NewPCG(12, seed)), []string{".gitignore", ".ignore", ".git/info/exclude"})
		subs, err := filepath.Glob(filepath.Join(dir, "*/"))
		if err != nil {
			t.Fatal(err)
		}
		for _, sub := range subs {
			if info, err := os.Stat(sub); err != nil || !info.IsDir() || filepath.Base(sub) == ".git" {
				continue
			}
			if diff := cmp.Diff(run(t, sub, "rg", "--files", "-0"), files(t, sub, Options{})); diff != "" {
				t.Fatalf("seed %d in %s\n%s\n(-rg +tree)\n%s", seed, filepath.Base(sub), rules, diff)
			}
		}
	}
}

func TestLinksInCirclesEnd(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a/b/f"), "")
	for _, link := range [][2]string{{"..", "a/up"}, {".", "a/b/self"}, {"two", "one"}, {"one", "two"}, {"../../a", "a/b/top"}} {
		if err := os.Symlink(link[0], filepath.Join(dir, link[1])); err != nil {
			t.Skip(err)
		}
	}
	if diff := cmp.Diff([]string{"a/b/f"}, files(t, dir, Options{})); diff != "" {
		t.Error(diff)
	}
}

// many makes n files in directories of a hundred.
func many(t testing.TB, dir string, n int) {
	t.Helper()
	for i := range n {
		at := filepath.Join(dir, fmt.Sprintf("d%d", i/10_000), fmt.Sprintf("e%d", i/100%100))
		if i%100 == 0 {
			if err := os.MkdirAll(at, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(at, fmt.Sprintf("f%d", i%100)), []byte("x\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// manyFiles is bounded by what every change has time for.
var manyFiles = flag.Int("files", 40_000, "how many files TestVeryManyFilesAreListed lists")

// A million tiny files with HELVE_LONG set, else fewer: all are listed, and a resident tree knows them in bounded
// memory.
func TestVeryManyFilesAreListed(t *testing.T) {
	n := *manyFiles
	switch {
	case os.Getenv("HELVE_LONG") != "":
		n = 1_000_000
	case testing.Short():
		n = 10_000
	}
	n = slowly(n)
	dir := t.TempDir()
	many(t, dir, n)
	st, err := Walk(context.Background(), dir, Options{}, func(int, *Dir) error { return nil })
	if err != nil || st.Files != n {
		t.Fatalf("%d files, %v, want %d", st.Files, err, n)
	}
	var s Set
	tr, err := s.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	snap, err := tr.Snapshot(context.Background())
	if err != nil || snap.Len() != n {
		t.Fatalf("%d files, %v, want %d", snap.Len(), err, n)
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	if limit := uint64(32<<20 + 400*n); m.HeapAlloc > limit {
		t.Errorf("%d files take %d bytes, want at most %d", n, m.HeapAlloc, limit)
	}
	runtime.KeepAlive(snap)
}
