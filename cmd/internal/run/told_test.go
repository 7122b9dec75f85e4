package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"helve/cmd/internal/command"
	"helve/internal/tokens"
)

// What every model is told first costs little, in the longest folder on the longest branch too.
func TestThePromptAndTheSurroundingsHaveFewTokens(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("a-long_name.", 20))
	git := filepath.Join(dir, ".git")
	if err := os.MkdirAll(filepath.Join(git, "rebase-merge"), 0o755); err != nil {
		t.Fatal(err)
	}
	head := "ref: refs/heads/" + strings.Repeat("feature/a_b-", 80) + "\n"
	if err := os.WriteFile(filepath.Join(git, "HEAD"), []byte(head), 0o644); err != nil {
		t.Fatal(err)
	}
	s := command.Streams{Environment: command.Environment{Environ: os.Environ()}}
	line := surroundings(s, dir, time.Now())
	if !strings.Contains(line, "Git: branch feature/a_b-") || !strings.Contains(line, "a rebase under way") {
		t.Errorf("%s", line)
	}
	const most = 300
	if n := tokens.Count(ownWords + "\n" + line); n > most {
		t.Errorf("they have %d tokens, want at most %d:\n%s\n%s", n, most, ownWords, line)
	} else {
		t.Logf("%d tokens", n)
	}
}

// The line about git comes from its files; a folder that is in no work tree has none, and lines stay one.
func TestTheSurroundingsAreOneLine(t *testing.T) {
	s := command.Streams{Environment: command.Environment{Environ: os.Environ()}}
	for _, c := range []struct{ head, want string }{
		{"", "."},
		{"ref: refs/heads/main\n", "Git: branch main."},
		{"0123456789abcdef0123456789abcdef01234567\n", "Git: commit 0123456789ab."},
		{"nonsense of somebody\n", "."},
		{"ref: refs/heads/a\u202eb\n", `Git: branch a\u202eb.`},
	} {
		dir := t.TempDir()
		if c.head != "" {
			if err := os.MkdirAll(filepath.Join(dir, ".git"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte(c.head), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		line := surroundings(s, dir, time.Date(2026, 11, 28, 1, 2, 3, 0, time.UTC))
		if !strings.HasSuffix(line, c.want) || strings.Contains(line, "\n") || !strings.Contains(line, "Date: 2026-11-28") ||
			strings.Contains(line, "Git:") != strings.Contains(c.want, "Git:") {
			t.Errorf("%q: %s", c.head, line)
		}
	}
}
