package git_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"helve/internal/git"
)

// repository is one whose commit has files, and runs git in it.
func repository(t *testing.T, options ...string) (dir string, run func(args ...string) string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir = t.TempDir()
	run = func(args ...string) string {
		t.Helper()
		c := exec.Command("git", append([]string{"-c", "user.name=n", "-c", "user.email=e@x"}, args...)...)
		c.Dir = dir
		c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1"}
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	run(append([]string{"init", "-q"}, options...)...)
	for name, text := range map[string]string{"a": "one\n", "d/e/f": "two\n", "d/odd name\nx": "three\n"} {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run("add", ".")
	run("commit", "-q", "-m", "one")
	run("tag", "-a", "-m", "a tag", "v1")
	return dir, run
}

func verify(t *testing.T, dir string) *git.Verifier {
	t.Helper()
	v, err := git.Verify(t.Context(), filepath.Join(dir, ".git"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.Close() })
	return v
}

// Git itself is the oracle: every path of a commit, of a tag and of a tree, in repositories of both kinds of names.
func TestAPathOfACommitIsWhatGitHasThere(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		dir, run := repository(t, "--object-format="+format)
		v := verify(t, dir)
		for _, of := range []string{"HEAD", "v1", "HEAD^{tree}"} {
			name := run("rev-parse", of)
			for _, at := range []string{"a", "d", "d/e", "d/e/f", "d/odd name\nx"} {
				got, err := v.At(name, at)
				if want := run("rev-parse", of+":"+at); err != nil || got != want {
					t.Errorf("%s, %s at %q: %q, %v, want %q", format, of, at, got, err, want)
				}
			}
			for _, at := range []string{"b", "a/b", "d/e/f/g", "D", "d/e/f\x00"} {
				if got, err := v.At(name, at); got != "" || err != nil {
					t.Errorf("%s, %s at %q: %q, %v, want nothing", format, of, at, got, err)
				}
			}
		}
		if parents, err := v.Parents(run("rev-parse", "HEAD")); err != nil || len(parents) != 0 {
			t.Errorf("the first commit has the parents %q, %v", parents, err)
		}
		first := run("rev-parse", "HEAD")
		run("commit", "-q", "--allow-empty", "-m", "two\n\nparent "+first)
		if parents, err := v.Parents(run("rev-parse", "HEAD")); err != nil || len(parents) != 1 || parents[0] != first {
			t.Errorf("the second commit has the parents %q, %v, want %q", parents, err, first)
		}
		if got, err := v.At(strings.Repeat("0", len(first)), "a"); got != "" || err == nil {
			t.Errorf("an object that is not there has %q, %v", got, err)
		}
		if got, err := v.At("HEAD", "a"); got != "" || err == nil {
			t.Errorf("a name that is no object's has %q, %v", got, err)
		}
	}
}

// Another content under the name of an object, and an object that stands for it, are not believed.
func TestAnObjectIsBelievedByItsNameAlone(t *testing.T) {
	dir, run := repository(t)
	head, tree, a := run("rev-parse", "HEAD"), run("rev-parse", "HEAD^{tree}"), run("rev-parse", "HEAD:a")
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("other\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	run("commit", "-q", "-a", "-m", "two")
	other := run("rev-parse", "HEAD")
	run("replace", head, other)
	if run("cat-file", "-p", head) != run("cat-file", "-p", other) {
		t.Fatal("git does not have one stand for the other")
	}
	if got, err := verify(t, dir).At(head, "a"); err != nil || got != a {
		t.Errorf("with another object that stands for it: %q, %v, want %q", got, err, a)
	}
	loose := func(name string) string { return filepath.Join(dir, ".git/objects", name[:2], name[2:]) }
	if text, err := content(t, dir, a); err != nil || text != "one\n" {
		t.Errorf("a file has %q, %v", text, err)
	}
	for _, name := range []string{a, tree, head} {
		with := map[string]string{a: run("hash-object", "-w", "d/e/f"), tree: run("rev-parse", "HEAD^{tree}"), head: other}[name]
		text, err := os.ReadFile(loose(with))
		if err != nil {
			t.Fatal(err)
		}
		os.Remove(loose(name))
		if err := os.WriteFile(loose(name), text, 0o444); err != nil {
			t.Fatal(err)
		}
		if name == a {
			if text, err := content(t, dir, a); err == nil {
				t.Errorf("a file with another content has %q", text)
			}
			continue
		}
		if got, err := verify(t, dir).At(head, "a"); err == nil || got != "" {
			t.Errorf("with another content: %q, %v", got, err)
		}
	}
}

// content is what a file has that git knows, of four bytes.
func content(t *testing.T, dir, object string) (text string, err error) {
	t.Helper()
	ends := git.Objects(t.Context(), filepath.Join(dir, ".git"), func(ask func(string, int64) (io.Reader, error)) {
		from, bad := ask(object, 4)
		if err = bad; err != nil {
			return
		}
		b, bad := io.ReadAll(from)
		text, err = string(b), bad
	})
	if ends != nil {
		t.Error(ends)
	}
	return text, err
}
