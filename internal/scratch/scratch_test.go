package scratch_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"helve/internal/scratch"
)

// A desk is a conversation's folder and the machine's.
type desk struct {
	*scratch.Folder
	t    *testing.T
	real string
}

func open(t *testing.T) *desk {
	t.Helper()
	real := t.TempDir()
	f, err := scratch.OpenFor(real, t.TempDir(), "one")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return &desk{f, t, real}
}

// put writes a file, later than all that stands there.
func (d *desk) put(path, text string) {
	d.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) here(name, text string)  { d.t.Helper(); d.put(filepath.Join(d.Dir(), name), text) }
func (d *desk) there(name, text string) { d.t.Helper(); d.put(filepath.Join(d.real, name), text) }

func (d *desk) bring(names ...string) {
	d.t.Helper()
	var paths []string
	for _, n := range names {
		paths = append(paths, filepath.Join(d.real, n))
	}
	hidden := func(path string) bool { return strings.Contains(path, "secret") }
	if err := d.Bring(paths, hidden); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) leave(want ...string) {
	d.t.Helper()
	left, err := d.Leave()
	if err != nil || fmt.Sprint(left) != fmt.Sprint(want) {
		d.t.Errorf("left %q and %v, want %q", left, err, want)
	}
}

// has compares files in both places, "": none.
func (d *desk) has(name, here, there string) {
	d.t.Helper()
	one, _ := os.ReadFile(filepath.Join(d.Dir(), name))
	other, _ := os.ReadFile(filepath.Join(d.real, name))
	if string(one) != here || string(other) != there {
		d.t.Errorf("%s is %.40q for the conversation and %.40q for others, want %q and %q", name, one, other, here, there)
	}
}

func TestWhatACommandMakesIsThereForOthersWhereNothingStands(t *testing.T) {
	d := open(t)
	d.there("taken", "theirs")
	d.there("taken.d/x", "theirs")
	d.here("new", "1")
	d.here("d/deep/new", "2")
	d.here("taken", "mine")
	d.here("taken.d/y", "mine")
	d.here(".cache/go-build/a", "a cache")
	if err := os.Symlink("/etc/passwd", filepath.Join(d.Dir(), "link")); err != nil {
		t.Fatal(err)
	}
	d.leave("taken", "taken.d/y")
	d.leave() // told once
	d.has("new", "1", "1")
	d.has("d/deep/new", "2", "2")
	d.has("taken", "mine", "theirs")
	d.has("taken.d/y", "mine", "")
	d.has(".cache/go-build/a", "a cache", "")
	if _, err := os.Lstat(filepath.Join(d.real, "link")); !os.IsNotExist(err) {
		t.Error("a link was copied: ", err)
	}
	d.here("new", "changed")
	d.here("d/more", "3")
	d.leave()
	d.has("new", "changed", "changed")
	d.has("d/more", "3", "3")
}

func TestWhatOthersMadeOfACopyIsKeptAndFound(t *testing.T) {
	d := open(t)
	d.here("out", "1")
	d.leave()
	d.there("out", "edited by the person")
	d.bring()
	d.has("out", "edited by the person", "edited by the person")
	d.there("out", "edited once more")
	d.here("out", "changed by a command, too")
	d.leave("out")
	d.has("out", "changed by a command, too", "edited once more")
	if err := os.Remove(filepath.Join(d.real, "out")); err != nil {
		t.Fatal(err)
	}
	d.leave()
	d.has("out", "changed by a command, too", "")
}

func TestWhatALineNamesIsThereForItAndNeverWritten(t *testing.T) {
	d := open(t)
	d.there("script.py", "1")
	d.there("log/a", "a")
	d.there("log/b", "b")
	d.there("log/secret", "s")
	d.there("other", "o")
	d.there("m-1", "m")
	d.bring("script.py", "log", "m-*", ".", "../x", "absent")
	d.has("script.py", "1", "1")
	d.has("log/b", "b", "b")
	d.has("log/secret", "", "s")
	d.has("other", "", "o")
	d.has("m-1", "m", "m")
	d.here("script.py", "changed by a command")
	d.leave("script.py")
	d.has("script.py", "changed by a command", "1")
}

func TestALinkInTheMachinesFolderLeadsNowhere(t *testing.T) {
	d := open(t)
	outside := filepath.Join(t.TempDir(), "outside")
	d.put(filepath.Join(outside, "f"), "private")
	for name, to := range map[string]string{"file": filepath.Join(outside, "f"), "dir": outside} {
		if err := os.Symlink(to, filepath.Join(d.real, name)); err != nil {
			t.Fatal(err)
		}
	}
	d.bring("file", "dir", "dir/f", "dir/*")
	d.has("dir/f", "", "private")
	if _, err := os.Lstat(filepath.Join(d.Dir(), "file")); err == nil {
		t.Error("what a link leads to was brought")
	}
	d.here("dir/f", "mine")
	d.leave("dir/f")
	d.has("dir/f", "mine", "private")
}

func TestWhatIsTooLargeStaysWithTheConversation(t *testing.T) {
	d := open(t)
	for _, dir := range []string{d.Dir(), d.real} {
		f, err := os.Create(filepath.Join(dir, "large-"+filepath.Base(filepath.Dir(dir))))
		if err == nil {
			err = f.Truncate(65 << 20)
			f.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	large := "large-" + filepath.Base(filepath.Dir(d.Dir()))
	d.leave(large)
	d.bring("large-*")
	list, err := os.ReadDir(d.Dir())
	if err != nil || len(list) != 1 || list[0].Name() != large {
		t.Errorf("the conversation has %v, %v", list, err)
	}
}

func TestFoldersOfOldConversationsGo(t *testing.T) {
	state, real := t.TempDir(), t.TempDir()
	var held []*scratch.Folder
	for i := range 20 {
		f, err := scratch.OpenFor(real, state, fmt.Sprint(i))
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			held = append(held, f)
		} else {
			f.Close()
		}
		then := time.Now().Add(time.Duration(i-60) * time.Minute)
		if err := os.Chtimes(filepath.Dir(f.Dir()), then, then); err != nil {
			t.Fatal(err)
		}
	}
	found, err := filepath.Glob(filepath.Join(state, "scratch/*/tmp"))
	if err != nil || len(found) != 17 { // the most, and the one that is in use
		t.Errorf("%d folders are kept: %v", len(found), err)
	}
	if _, err := os.Stat(held[0].Dir()); err != nil {
		t.Error("one that a command has is gone: ", err)
	}
	held[0].Close()
	again, err := scratch.OpenFor(real, state, "0")
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}

func TestAFolderKeepsNoMoreEntriesThanItMay(t *testing.T) {
	d := open(t)
	then := time.Now().Add(-time.Hour)
	for i := range 40 {
		d.here(fmt.Sprintf("d%02d/f", i), "x")
		at := then.Add(time.Duration(i) * time.Minute)
		if err := os.Chtimes(filepath.Join(d.Dir(), fmt.Sprintf("d%02d", i)), at, at); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		most, left int
	}{{100, 40}, {81, 40}, {60, 20}, {15, 5}} {
		if err := d.Thin(c.most); err != nil {
			t.Fatal(err)
		}
		list, err := os.ReadDir(d.Dir())
		if err != nil || len(list) != c.left || list[len(list)-1].Name() != "d39" {
			t.Errorf("of at most %d entries %d folders are left, want %d with the newest", c.most, len(list), c.left)
		}
	}
}
