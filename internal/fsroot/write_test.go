package fsroot_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"helve/internal/fsroot"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

// put resolves, locks and replaces.
func put(s *fsroot.Set, path, content string) error {
	p, err := s.Resolve("", path)
	if err != nil {
		return err
	}
	l, err := s.Lock(context.Background(), p)
	if err != nil {
		return err
	}
	defer l.Unlock()
	_, err = l.Replace(int64(len(content)), text(content))
	return err
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	return string(b)
}

func noTemps(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		if fsroot.IsTemp(e.Name()) {
			t.Errorf("%s was left in %s", e.Name(), dir)
		}
	}
}

func TestReplaceKeepsModeAndLinksAndLeavesNothingElse(t *testing.T) {
	needLinks(t)
	ws := workspace(t)
	s := open(t, fsroot.Options{LockDir: t.TempDir()}, ws)
	must(t, os.Chmod(ws+"/f", 0o640))
	must(t, put(s, "abs_in", "new")) // file-input-022, through a link
	fi, err := os.Lstat(ws + "/f")
	must(t, err)
	if got := content(t, ws+"/f"); got != "new" || fi.Mode() != 0o640 {
		t.Errorf("f is %q with mode %v", got, fi.Mode())
	}
	if fi, err := os.Lstat(ws + "/abs_in"); err != nil || fi.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", fi.Mode(), err)
	}
	must(t, put(s, "dangling", "made"))
	if got := content(t, ws+"/nofile_yet"); got != "made" {
		t.Errorf("the target of the dangling link is %q", got)
	}
	noTemps(t, ws)
}

func TestReplaceRefusesWhatARenameWouldBreak(t *testing.T) {
	ws := workspace(t)
	must(t, os.Link(ws+"/f", ws+"/hard"))
	must(t, os.WriteFile(ws+"/ro", []byte("x"), 0o444))
	must(t, os.MkdirAll(ws+"/rodir", 0o755))
	must(t, os.WriteFile(ws+"/rodir/f", []byte("x"), 0o644))
	dirMode := runtime.GOOS != "windows" // where the attribute of a folder forbids nothing
	if dirMode {
		must(t, os.Chmod(ws+"/rodir", 0o555))
		t.Cleanup(func() { os.Chmod(ws+"/rodir", 0o755) })
	}
	s := open(t, fsroot.Options{Protected: func(root, rel string) error {
		if strings.HasPrefix(rel, ".git/") {
			return errors.New(".git runs code")
		}
		return nil
	}}, ws)
	for path, want := range map[string]error{
		"hard":                 fsroot.ErrHardLink,
		"ro":                   fsroot.ErrReadOnly,
		"rodir/f":              fsroot.ErrReadOnly, // file-input-026
		"rodir/new":            fsroot.ErrReadOnly,
		"a":                    fsroot.ErrDirectory,
		".":                    fsroot.ErrDirectory, // file-input-024
		"no/such":              fs.ErrNotExist,
		".GIT/config":          fsroot.ErrProtected, // path-033
		".g\u200cit/config":    fsroot.ErrProtected, // path-035
		"../secret":            fsroot.ErrOutside,
		"dangling_out":         fsroot.ErrOutside, // path-038
		"dir_out/s":            fsroot.ErrOutside,
		"f\x00":                fsroot.ErrBadPath,
		"a/../dir_out/new":     fsroot.ErrOutside,
		"rel_out":              fsroot.ErrOutside,
		strings.Repeat("n", 9): nil,
	} {
		if unlinked(t, ws, path) || !dirMode && strings.HasPrefix(path, "rodir") {
			continue
		}
		if err := put(s, path, "EVIL"); !errors.Is(err, want) {
			t.Errorf("write %s: %v, want %v", path, err, want)
		}
	}
	if content(t, ws+"/f") != "ok" || content(t, ws+"/ro") != "x" || content(t, ws+"/rodir/f") != "x" {
		t.Error("a refused write changed a file")
	}
	if _, err := os.Lstat(filepath.Dir(ws) + "/created_outside"); err == nil {
		t.Error("a file was made outside")
	}
	noTemps(t, ws)
	noTemps(t, ws+"/rodir")
}

func TestReplaceThatFailsLeavesTheOldFile(t *testing.T) {
	ws := workspace(t)
	s := open(t, fsroot.Options{}, ws)
	p, err := s.Resolve("", "f")
	must(t, err)
	l, err := s.Lock(context.Background(), p)
	must(t, err)
	defer l.Unlock()
	broken := errors.New("the source broke")
	_, err = l.Replace(0, func(w io.Writer) error { io.WriteString(w, "half"); return broken })
	if !errors.Is(err, broken) || content(t, ws+"/f") != "ok" {
		t.Errorf("Replace = %v, file %q", err, content(t, ws+"/f"))
	}
	noTemps(t, ws)
}

func TestReplaceNoticesAnEditorThatKnowsNoLocks(t *testing.T) {
	ws := workspace(t)
	s := open(t, fsroot.Options{}, ws)
	p, err := s.Resolve("", "f")
	must(t, err)
	for name, meddle := range map[string]func(io.Writer) error{
		"before": nil,
		"during": func(io.Writer) error { return os.WriteFile(ws+"/f", []byte("by another"), 0o644) },
	} {
		l, err := s.Lock(context.Background(), p)
		must(t, err)
		_, _, err = l.ReadFile(1 << 20)
		must(t, err)
		write := meddle
		if write == nil {
			must(t, os.WriteFile(ws+"/f", []byte("by another"), 0o644))
			write = text("mine")
		}
		if _, err := l.Replace(0, write); !errors.Is(err, fsroot.ErrChanged) {
			t.Errorf("%s: %v, want %v", name, err, fsroot.ErrChanged)
		}
		l.Unlock()
		if got := content(t, ws+"/f"); got != "by another" {
			t.Errorf("%s: the other's text became %q", name, got)
		}
		must(t, os.WriteFile(ws+"/f", []byte("ok"), 0o644))
	}
}

func TestNewFilesFollowTheUmaskAndDirectoriesAreMade(t *testing.T) {
	ws := workspace(t)
	s := open(t, fsroot.Options{Sync: true}, ws)
	p, err := s.Resolve("", "x/y/z.txt")
	must(t, err)
	must(t, s.MkdirAll(p.Parent()))
	must(t, put(s, "x/y/z.txt", "z"))
	must(t, os.WriteFile(ws+"/plain", nil, 0o666))
	want, err := os.Stat(ws + "/plain")
	must(t, err)
	if got, err := s.Stat(p); err != nil || got.Mode() != want.Mode() {
		t.Errorf("mode %v, %v; want %v", got.Mode(), err, want.Mode())
	}
	for _, bad := range []string{"f/dir", "../out", "rel_out/x"} {
		if unlinked(t, ws, bad) {
			continue
		}
		if p, err := s.Resolve("", bad); err == nil {
			t.Errorf("%s resolved to %s", bad, p)
		}
	}
}

func TestParallelWritersOfOneFileLoseNothing(t *testing.T) {
	ws, locks := workspace(t), t.TempDir()
	var sets [2]*fsroot.Set // two, as two processes would have
	for i := range sets {
		sets[i] = open(t, fsroot.Options{LockDir: locks}, ws)
	}
	const writers, each = 16, 20
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				if err := add(sets[w%2], fmt.Sprintf("%d-%d\n", w, i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got := strings.Count(content(t, ws+"/f"), "\n"); got != writers*each {
		t.Errorf("%d of %d lines arrived", got, writers*each)
	}
}

// add appends a line, as an edit does: read under the lock, then replace.
func add(s *fsroot.Set, line string) error {
	p, err := s.Resolve("", "f")
	if err != nil {
		return err
	}
	l, err := s.Lock(context.Background(), p)
	if err != nil {
		return err
	}
	defer l.Unlock()
	b, _, err := l.ReadFile(1 << 20)
	if err != nil {
		return err
	}
	_, err = l.Replace(0, func(w io.Writer) error { _, err := w.Write(append(b, line...)); return err })
	return err
}

func TestOpenTakesRegularFilesOnly(t *testing.T) {
	ws := workspace(t)
	s := open(t, fsroot.Options{}, ws)
	for path, want := range map[string]error{"a": fsroot.ErrDirectory, ".": fsroot.ErrDirectory, "none": fs.ErrNotExist, "no/ne": fs.ErrNotExist} {
		p, err := s.Resolve("", path)
		must(t, err)
		if _, _, err := s.Open(p); !errors.Is(err, want) {
			t.Errorf("Open(%s) = %v, want %v", path, err, want)
		}
	}
	through := "abs_in"
	if unlinked(t, ws, through) {
		through = "f"
	}
	p, err := s.Resolve("", through)
	must(t, err)
	if b, _, err := s.ReadFile(p, 2); err != nil || !bytes.Equal(b, []byte("ok")) {
		t.Errorf("ReadFile = %q, %v", b, err)
	}
	if _, _, err := s.ReadFile(p, 1); !errors.Is(err, fsroot.ErrTooLarge) {
		t.Errorf("ReadFile of more than the limit = %v", err)
	}
}

func TestReadDirIsSortedAndBounded(t *testing.T) {
	ws := t.TempDir()
	for _, name := range []string{"m", "z", "a", "b", "k"} {
		must(t, os.WriteFile(filepath.Join(ws, name), nil, 0o644))
	}
	s := open(t, fsroot.Options{}, ws)
	p, err := s.Resolve("", ".")
	must(t, err)
	all, more, err := s.ReadDir(p, 100)
	byName := func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) }
	if err != nil || more || len(all) != 5 || !slices.IsSortedFunc(all, byName) {
		t.Errorf("ReadDir = %v, %v, %v", all, more, err)
	}
	if some, more, err := s.ReadDir(p, 3); err != nil || !more || len(some) != 3 {
		t.Errorf("ReadDir of 3 = %v, %v, %v", some, more, err)
	}
}

func TestTheRootStaysTheDirectoryThatWasOpened(t *testing.T) { // path-041
	needLinks(t)
	ws := workspace(t)
	s := open(t, fsroot.Options{}, ws)
	must(t, os.Rename(ws, ws+"-moved"))
	must(t, os.Symlink(filepath.Dir(ws)+"/ws-evil", ws))
	p, err := s.Resolve("", "f")
	must(t, err)
	if b, _, err := s.ReadFile(p, 100); err != nil || string(b) != "ok" {
		t.Errorf("read %q, %v", b, err)
	}
	p, err = s.Resolve("", "s")
	must(t, err)
	if b, _, err := s.ReadFile(p, 100); err == nil {
		t.Errorf("read %q from the directory put in its place", b)
	}
}

func TestAWriterThatWritesLessThanItSaidLeavesNoGap(t *testing.T) {
	ws := workspace(t)
	s := open(t, fsroot.Options{}, ws)
	p, err := s.Resolve("", "f")
	must(t, err)
	l, err := s.Lock(context.Background(), p)
	must(t, err)
	defer l.Unlock()
	fi, err := l.Replace(8<<20, text("short"))
	if err != nil || fi.Size() != 5 || content(t, ws+"/f") != "short" {
		t.Errorf("%v, %q", err, content(t, ws+"/f"))
	}
}

func TestADirectoryRemovedUnderWayIsAnErrorOnly(t *testing.T) {
	ws := workspace(t)
	s := open(t, fsroot.Options{LockDir: t.TempDir()}, ws)
	p, err := s.Resolve("", "a/b/deep")
	must(t, err)
	l, err := s.Lock(context.Background(), p)
	must(t, err)
	defer l.Unlock()
	must(t, os.RemoveAll(ws+"/a"))
	if _, err := l.Replace(1, text("x")); err == nil {
		t.Error("written into a directory that is gone")
	}
	if _, err := s.Lock(context.Background(), p); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Lock = %v", err)
	}
}

func TestALockEndsWithItsContext(t *testing.T) {
	ws := workspace(t)
	s := open(t, fsroot.Options{}, ws)
	p, err := s.Resolve("", "f")
	must(t, err)
	l, err := s.Lock(context.Background(), p)
	must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Lock(ctx, p); !errors.Is(err, fsroot.ErrLocked) {
		t.Errorf("the second Lock = %v", err)
	}
	l.Unlock()
	l.Unlock()
	again, err := s.Lock(context.Background(), p)
	must(t, err)
	again.Unlock()
}

// A lock file that cannot be opened costs the writes of that moment, not those that come later.
func TestALockThatFailedIsFreeForTheNext(t *testing.T) {
	ws, locks := workspace(t), t.TempDir()
	s := open(t, fsroot.Options{LockDir: locks}, ws)
	must(t, put(s, "f", "one"))
	entries, err := os.ReadDir(locks)
	must(t, err)
	for _, e := range entries {
		must(t, os.Remove(filepath.Join(locks, e.Name())))
		must(t, os.Mkdir(filepath.Join(locks, e.Name()), 0o700))
	}
	if err := put(s, "f", "two"); err == nil {
		t.Fatal("a folder was locked in the place of the lock file")
	}
	for _, e := range entries {
		must(t, os.Remove(filepath.Join(locks, e.Name())))
	}
	must(t, put(s, "f", "three"))
	if got := content(t, ws+"/f"); got != "three" {
		t.Errorf("f is %q", got)
	}
}

func TestNamesInTwoNormalFormsAreTwoFiles(t *testing.T) {
	ws := workspace(t)
	for name, body := range map[string]string{"caf\u00e9": "composed", "cafe\u0301": "decomposed"} {
		must(t, os.WriteFile(filepath.Join(ws, name), []byte(body), 0o644))
	}
	s := open(t, fsroot.Options{}, ws)
	if s.Roots()[0].Folds() || content(t, ws+"/caf\u00e9") != "composed" {
		t.Skip("this file system takes them for one")
	}
	must(t, put(s, "cafe\u0301", "new"))
	if content(t, ws+"/caf\u00e9") != "composed" || content(t, ws+"/cafe\u0301") != "new" {
		t.Error("the twin was written")
	}
}

func BenchmarkReadAtDepthEight(b *testing.B) {
	dir := b.TempDir()
	if err := os.MkdirAll(dir+"/1/2/3/4/5/6/7", 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(dir+"/1/2/3/4/5/6/7/f", []byte("ok"), 0o644); err != nil {
		b.Fatal(err)
	}
	s, err := fsroot.Open(fsroot.Options{}, dir)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	b.ReportAllocs()
	for b.Loop() {
		p, err := s.Resolve("", "1/2/3/4/5/6/7/f")
		if err != nil {
			b.Fatal(err)
		}
		if _, _, err := s.ReadFile(p, 10); err != nil {
			b.Fatal(err)
		}
	}
}

// Whoever reads while another program replaces the file again and again gets one of the states, never an error.
func TestAFileThatIsReplacedCanBeRead(t *testing.T) {
	dir := t.TempDir()
	s := open(t, fsroot.Options{}, dir)
	p, err := s.Resolve("", "f")
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "f"), []byte("state 0"), 0o644))
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			os.WriteFile(filepath.Join(dir, "new"), fmt.Appendf(nil, "state %d", i%10), 0o644)
			os.Rename(filepath.Join(dir, "new"), filepath.Join(dir, "f"))
		}
	}()
	reads := 20_000
	if testing.Short() {
		reads = 500
	}
	for range reads {
		b, _, err := s.ReadFile(p, 100)
		if err != nil || !strings.HasPrefix(string(b), "state ") {
			t.Errorf("%q, %v", b, err)
			break
		}
	}
	close(stop)
	<-done
}

// An empty file is a file.
func TestAnEmptyFileIsRead(t *testing.T) {
	ws := workspace(t)
	must(t, os.WriteFile(ws+"/empty", nil, 0o644))
	s := open(t, fsroot.Options{}, ws)
	p, err := s.Resolve("", "empty")
	must(t, err)
	for _, limit := range []int64{0, 1, 1000} {
		b, fi, err := s.ReadFile(p, limit)
		if err != nil || len(b) != 0 || fi.Size() != 0 {
			t.Errorf("at most %d bytes: %q, %v", limit, b, err)
		}
	}
}
