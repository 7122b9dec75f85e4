package sandbox

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"helve/internal/change"
)

// What was looked at is laid over the roots again and shows what it showed before: deletions, a directory in another
// one's place, and one that somebody removed meanwhile.
func TestALayerThatWasLookedAtCanBeLaidAgain(t *testing.T) {
	f := newFixture(t)
	shell := func(dir, line string) string {
		t.Helper()
		cmd := exec.Command("bash", "-ec", line)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v: %s", line, err, out)
		}
		return string(out)
	}
	shell(f.root, `mkdir -p d/sub gone kept/in shut; echo 1 >d/one; echo 2 >d/sub/two; echo 3 >gone/three; echo 4 >gone/four
		echo 5 >kept/in/five; echo 6 >kept/six; echo 7 >shut/seven`)
	l := draftLayer(t, f)
	l.tx.NoteMarks()
	v := viewed(t, l, f)
	shell(v.Dir(f.root), `rm -r d; mkdir d; echo new >d/new; rm gone/three; echo more >>gone/four; rm kept/six
		mv kept/in/five kept/in/5; ln -s six kept/l; mkdir -p fresh/deep; rm -r shut; mkdir shut; chmod 500 shut; rm a.go
		touch "$(printf 'n\377')"`)
	const list = `LC_ALL=C; find . -path ./.git -prune -o -printf '%p %y %m %l %s\n' | sort | grep -av '^\. '`
	before := shell(v.Dir(f.root), list)
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	shell(f.root, `rm -r gone`)
	if _, err := l.Set(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := l.tx.PutMarksBack(); err != nil {
		t.Fatal(err)
	}
	tx, err := change.Begin(change.Options{Roots: []string{f.root}, State: filepath.Join(filepath.Dir(f.home), "drafts")})
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Close()
	again, err := l.Moved(tx)
	if err != nil {
		t.Fatal(err)
	}
	v = viewed(t, again, f)
	if after := shell(v.Dir(f.root), list); after != before {
		t.Errorf("it shows\n%s\nand showed\n%s", after, before)
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	set, err := again.Set(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var stale []string
	for _, c := range set.Changes {
		if c.Stale {
			stale = append(stale, string(c.Path))
		}
	}
	if got := strings.Join(stale, " "); got != "gone" {
		t.Errorf("stale: %q, want gone", got)
	}
}
