package tempdir

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"
)

// aged is a folder of that name, with a file in it, in which nothing was made for two hours.
func aged(t *testing.T, parent, name string) string {
	t.Helper()
	dir := filepath.Join(parent, name)
	if err := os.MkdirAll(filepath.Join(dir, "in"), 0o700); err != nil {
		t.Fatal(err)
	}
	age(t, dir)
	return dir
}

func age(t *testing.T, path string) {
	t.Helper()
	then := time.Now().Add(-2 * settled)
	if err := os.Chtimes(path, then, then); err != nil {
		t.Fatal(err)
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// TestWhatADeadProcessLeftIsCleared: nobody has the lock of its folder any more. What somebody has, what is young, and
// what is not such a folder stay.
func TestWhatADeadProcessLeftIsCleared(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("folders have no locks: does not work here")
	}
	parent, elsewhere := t.TempDir(), t.TempDir()
	aged(t, parent, "box-dead")
	held := lock(aged(t, parent, "box-held"))
	if held == nil {
		t.Fatal("a free folder cannot be locked")
	}
	defer held.Close()
	if err := os.Mkdir(filepath.Join(parent, "box-young"), 0o700); err != nil {
		t.Fatal(err)
	}
	aged(t, parent, "other-dead")
	if err := os.Symlink(aged(t, elsewhere, "kept"), filepath.Join(parent, "box-link")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(parent, "box-file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	age(t, filepath.Join(parent, "box-file"))

	d, err := Make(parent, "box-")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"box-file", "box-held", "box-link", "box-young", filepath.Base(d.Path), "other-dead"}
	slices.Sort(want)
	if got := names(t, parent); !slices.Equal(got, want) {
		t.Errorf("left are %v, want %v", got, want)
	}
	if got := names(t, elsewhere); !slices.Equal(got, []string{"kept"}) {
		t.Errorf("behind a link: %v", got)
	}
}

func TestAFolderIsRemovedWithAllThatIsInIt(t *testing.T) {
	parent := t.TempDir()
	d, err := Make(parent, "box-")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(d.Path, "a"), []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := d.Remove(); err != nil {
		t.Fatal(err)
	}
	if got := names(t, parent); len(got) != 0 {
		t.Errorf("left are %v", got)
	}
}

// TestAFolderInUseIsNotCleared: another process that clears at the same time cannot lock it.
func TestAFolderInUseIsNotCleared(t *testing.T) {
	parent := t.TempDir()
	d, err := Make(parent, "box-")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Remove()
	age(t, d.Path)
	clearOld(parent, "box-", time.Now())
	if got := names(t, parent); len(got) != 1 {
		t.Errorf("left are %v, want %s", got, filepath.Base(d.Path))
	}
}
