package tree

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// files lists what Walk shows, sorted.
func files(t testing.TB, root string, opt Options) []string {
	t.Helper()
	var mu sync.Mutex
	list := []string{}
	_, err := Walk(context.Background(), root, opt, func(_ int, d *Dir) error {
		mu.Lock()
		defer mu.Unlock()
		for _, f := range d.Files {
			if !strings.HasPrefix(d.Path, ".git/") { // a rule such as !/** shows it; run leaves it out too
				list = append(list, d.Path+f.Name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(list)
	return list
}

// run runs a program that serves as an oracle, away from the person's own configuration.
func run(t testing.TB, dir, name string, args ...string) []string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed: its answer is what this test compares with", name)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir+"/.none", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "RIPGREP_CONFIG_PATH=")
	out, err := cmd.Output()
	if err != nil && len(out) > 0 {
		t.Fatalf("%s %v: %v", name, args, err)
	}
	list := []string{}
	for _, line := range strings.Split(string(out), "\x00") {
		if line = strings.TrimPrefix(line, "./"); line != "" && !strings.HasPrefix(line, ".git/") {
			list = append(list, line)
		}
	}
	slices.Sort(list)
	return list
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// randomTree makes a repository of short names with ignore files of random patterns.
func randomTree(t testing.TB, r *rand.Rand, ignoreFiles []string) (dir, rules string) {
	dir = t.TempDir()
	if err := exec.Command("git", "init", "-q", dir).Run(); err != nil {
		t.Skip("git is not installed: it makes the repository that this test compares in")
	}
	names := []string{"a", "b", "ab", "a.o", "b.o", "a.c", "lib.so.1", "x y", ".d", ".e.o", "é", "foo", "foobar"}
	dirs := []string{""}
	for range 3 + r.IntN(8) {
		dirs = append(dirs, dirs[r.IntN(len(dirs))]+names[r.IntN(len(names))]+"/")
	}
	for range 30 {
		path := filepath.Join(dir, dirs[r.IntN(len(dirs))], names[r.IntN(len(names))])
		if _, err := os.Lstat(path); err == nil {
			continue
		}
		if os.MkdirAll(filepath.Dir(path), 0o755) == nil {
			_ = os.WriteFile(path, nil, 0o644)
		}
	}
	for range 1 + r.IntN(3) {
		at := dirs[r.IntN(len(dirs))]
		if info, err := os.Stat(filepath.Join(dir, at)); err != nil || !info.IsDir() {
			continue
		}
		text := randomRules(r)
		name := ignoreFiles[r.IntN(len(ignoreFiles))]
		if strings.HasPrefix(name, ".git/") {
			at = "" // elsewhere it would make a repository inside the repository
		}
		write(t, filepath.Join(dir, at, name), text)
		rules += fmt.Sprintf("-- %s%s --\n%s\n", at, name, text)
	}
	return dir, rules
}

func randomRules(r *rand.Rand) string {
	atoms := []string{"a", "b", "ab", "*", "?", "*.o", "*.c", "a*", "*b", "[ab]", "[!a]", "[a-f]*", ".d", "x\\ y", "x y", "foo", "foo*", "*.so.*", "é", "\\a", "**"}
	var text strings.Builder
	for range 1 + r.IntN(6) {
		if r.IntN(4) == 0 {
			text.WriteString("!")
		}
		if r.IntN(4) == 0 {
			text.WriteString("/")
		}
		for i := range 1 + r.IntN(3) {
			if i > 0 {
				text.WriteString("/")
			}
			text.WriteString(atoms[r.IntN(len(atoms))])
		}
		if r.IntN(4) == 0 {
			text.WriteString("/")
		}
		text.WriteString([]string{"", "", "", " ", "\r"}[r.IntN(5)])
		text.WriteString("\n")
	}
	return text.String()
}

func TestIgnoreRulesHideWhatGitHides(t *testing.T) {
	for seed := range uint64(150) {
		dir, rules := randomTree(t, rand.New(rand.NewPCG(1, seed)), []string{".gitignore", ".git/info/exclude"})
		if seed%5 == 0 { // ripgrep 13 does not know a byte order mark here
			text, _ := os.ReadFile(filepath.Join(dir, ".gitignore"))
			write(t, filepath.Join(dir, ".gitignore"), "\xef\xbb\xbf"+string(text))
		}
		got := files(t, dir, Options{Hidden: true, Skip: []string{".git"}})
		want := run(t, dir, "git", "ls-files", "-z", "--others", "--exclude-standard")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d\n%s\n(-git +tree)\n%s", seed, rules, diff)
		}
	}
}

func TestIgnoreRulesHideWhatRipgrepHides(t *testing.T) {
	for seed := range uint64(150) {
		dir, rules := randomTree(t, rand.New(rand.NewPCG(2, seed)), []string{".gitignore", ".ignore", ".rgignore", ".git/info/exclude"})
		for _, hidden := range []bool{true, false} {
			args := []string{"--files", "-0"}
			if hidden {
				args = append(args, "--hidden", "-g", "!.git")
			}
			f, err := NewFilter(FilterSpec{Globs: map[bool][]string{true: {"!.git"}}[hidden]})
			if err != nil {
				t.Fatal(err)
			}
			got := files(t, dir, Options{Hidden: hidden, Filter: f})
			want := run(t, dir, "rg", args...)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("seed %d hidden %v\n%s\n(-rg +tree)\n%s", seed, hidden, rules, diff)
			}
		}
	}
}

func TestFiltersChooseWhatRipgrepChooses(t *testing.T) {
	dir, _ := randomTree(t, rand.New(rand.NewPCG(3, 3)), []string{".gitignore"})
	write(t, filepath.Join(dir, "src/deep/main.go"), "")
	write(t, filepath.Join(dir, "src/deep/README.md"), "")
	write(t, filepath.Join(dir, ".hidden.go"), "")
	write(t, filepath.Join(dir, "src/kept.rs"), "")
	write(t, filepath.Join(dir, "lib.go/main.c"), "")
	write(t, filepath.Join(dir, "lib.go/main.go"), "")
	for _, tt := range []FilterSpec{
		{Globs: []string{"*.go"}}, {Globs: []string{"*.{go,md}"}}, {Globs: []string{"!*.go"}}, {Globs: []string{"src/**"}},
		{Globs: []string{"/src/*.rs"}}, {Globs: []string{"*.o", "!a.o"}}, {Globs: []string{"**/deep/*"}}, {Globs: []string{"!src/"}},
		{Types: []string{"go"}}, {TypesNot: []string{"go"}}, {Types: []string{"c", "rust"}}, {Types: []string{"go"}, Globs: []string{"!main.go"}},
	} {
		f, err := NewFilter(tt)
		if err != nil {
			t.Fatal(err)
		}
		args := []string{"--files", "-0"}
		for _, g := range tt.Globs {
			args = append(args, "-g", g)
		}
		for _, n := range tt.Types {
			args = append(args, "-t", n)
		}
		for _, n := range tt.TypesNot {
			args = append(args, "-T", n)
		}
		if diff := cmp.Diff(run(t, dir, "rg", args...), files(t, dir, Options{Filter: f})); diff != "" {
			t.Errorf("%+v (-rg +tree)\n%s", tt, diff)
		}
	}
}
