package fsroot_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"helve/internal/fsroot"
)

// every is each call once, on a path.
var every = map[string]func(s *fsroot.Set, p fsroot.Path){
	"Open": func(s *fsroot.Set, p fsroot.Path) {
		if f, _, err := s.Open(p); err == nil {
			f.Close()
		}
	},
	"ReadFile":      func(s *fsroot.Set, p fsroot.Path) { s.ReadFile(p, 1<<20) },
	"a short limit": func(s *fsroot.Set, p fsroot.Path) { s.ReadFile(p, 1) },
	"ReadDir":       func(s *fsroot.Set, p fsroot.Path) { s.ReadDir(p, 100) },
	"Stat":          func(s *fsroot.Set, p fsroot.Path) { s.Stat(p) },
	"MkdirAll":      func(s *fsroot.Set, p fsroot.Path) { s.MkdirAll(p) },
	"Lock":          func(s *fsroot.Set, p fsroot.Path) { locked(s, p, func(*fsroot.Locked) {}) },
	"locked Open": func(s *fsroot.Set, p fsroot.Path) {
		locked(s, p, func(l *fsroot.Locked) {
			if f, _, err := l.Open(); err == nil {
				f.Close()
			}
		})
	},
	"locked ReadFile": func(s *fsroot.Set, p fsroot.Path) { locked(s, p, func(l *fsroot.Locked) { l.ReadFile(1 << 20) }) },
	"Replace":         func(s *fsroot.Set, p fsroot.Path) { locked(s, p, func(l *fsroot.Locked) { l.Replace(3, text("new")) }) },
	"a failing write": func(s *fsroot.Set, p fsroot.Path) {
		locked(s, p, func(l *fsroot.Locked) { l.Replace(3, func(io.Writer) error { return errors.New("no") }) })
	},
	"no time": func(s *fsroot.Set, p fsroot.Path) {
		locked(s, p, func(*fsroot.Locked) {
			done, cancel := context.WithCancel(context.Background())
			cancel()
			if l, err := s.Lock(done, p); err == nil {
				l.Unlock()
			}
		})
	},
	"Hold": func(s *fsroot.Set, p fsroot.Path) {
		if release, err := s.Hold(context.Background(), 0, p.Rel()); err == nil {
			release()
		}
	},
}

func locked(s *fsroot.Set, p fsroot.Path, f func(*fsroot.Locked)) {
	l, err := s.Lock(context.Background(), p)
	if err != nil {
		return
	}
	defer l.Unlock()
	f(l)
}

// Files, folders, pipes, links that lead nowhere and what is not there: no call keeps anything open, done or refused.
func TestNoCallKeepsAnythingOpen(t *testing.T) {
	ws := workspace(t)
	must(t, syscall.Mkfifo(ws+"/pipe", 0o600))
	must(t, os.Link(ws+"/f", ws+"/hard"))
	for _, dir := range []string{"", t.TempDir()} {
		s := open(t, fsroot.Options{LockDir: dir}, ws)
		for name, call := range every {
			for _, asked := range []string{".", "f", "a", "a/b", "pipe", "hard", "nothing", "nothing/below", "f/below", "abs_in", "dirlink/new"} {
				p, err := s.Resolve("", asked)
				if err != nil {
					continue
				}
				before := descriptors(t)
				call(s, p)
				if n := descriptors(t) - before; n != 0 {
					t.Errorf("%s %s: %d descriptors more", name, asked, n)
				}
			}
		}
	}
}

// A folder is no file, whatever is done to it; what is no file at all is called what it is.
func TestWhatIsNoFileIsRefusedByItsKind(t *testing.T) {
	s := open(t, fsroot.Options{}, workspace(t), "/dev")
	for _, asked := range []string{".", "a"} {
		p, err := s.Resolve("", asked)
		must(t, err)
		if _, _, err := s.Open(p); !errors.Is(err, fsroot.ErrDirectory) {
			t.Errorf("Open %s: %v", asked, err)
		}
		if err := put(s, asked, "x"); !errors.Is(err, fsroot.ErrDirectory) {
			t.Errorf("Replace %s: %v", asked, err)
		}
	}
	p, err := s.Resolve("", "/dev/null")
	must(t, err)
	if _, _, err := s.Open(p); !errors.Is(err, fsroot.ErrNotRegular) || !strings.Contains(err.Error(), "a device") {
		t.Errorf("a device: %v", err)
	}
}

// Space is reserved for a large file: a writer that fails leaves the old one, and one that writes less leaves no gap.
func TestALargeFileIsWrittenWholeOrNotAtAll(t *testing.T) {
	ws := workspace(t)
	s := open(t, fsroot.Options{Sync: true}, ws)
	const size = 2 << 20
	replace := func(write func(io.Writer) error) error {
		p, err := s.Resolve("", "f")
		must(t, err)
		l, err := s.Lock(t.Context(), p)
		must(t, err)
		defer l.Unlock()
		_, err = l.Replace(size, write)
		return err
	}
	whole := strings.Repeat("x", size)
	must(t, replace(text(whole)))
	if content(t, ws+"/f") != whole {
		t.Error("it is not what was written")
	}
	must(t, replace(text("short")))
	if got := content(t, ws+"/f"); got != "short" {
		t.Errorf("%d bytes, want 5", len(got))
	}
	no := errors.New("no")
	err := replace(func(w io.Writer) error { io.WriteString(w, "half"); return no })
	if got := content(t, ws+"/f"); !errors.Is(err, no) || got != "short" {
		t.Errorf("%v; %.20q is there", err, got)
	}
	noTemps(t, ws)
}

// Who opens the locks removes what a killed writer left in any folder, and nothing else that a note names.
func TestWhatAKilledWriterLeftGoesWithTheNextSet(t *testing.T) {
	ws, locks := workspace(t), t.TempDir()
	s := open(t, fsroot.Options{LockDir: locks}, ws)
	var temp, lock string
	p, err := s.Resolve("", "f")
	must(t, err)
	l, err := s.Lock(t.Context(), p)
	must(t, err)
	_, err = l.Replace(1, func(io.Writer) error {
		temp = only(t, ws, fsroot.IsTemp)
		lock = only(t, locks, func(string) bool { return true })
		return errors.New("no")
	})
	if err == nil {
		t.Fatal("it was written")
	}
	l.Unlock()
	for left, stays := range map[string]bool{ws + "/a/" + temp: false, ws + "/g": true, "a/" + temp: true} {
		file := left
		if !filepath.IsAbs(file) {
			file = filepath.Join(ws, file)
		}
		must(t, os.WriteFile(file, []byte("left"), 0o600))
		must(t, os.WriteFile(filepath.Join(locks, lock), []byte(left+"\x00"), 0o600))
		again := open(t, fsroot.Options{LockDir: locks}, ws)
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) == stays {
			t.Errorf("%s: %v, want that it stays: %v", left, err, stays)
		}
		if note := content(t, filepath.Join(locks, lock)); note != "" {
			t.Errorf("%s: the note is still %q", left, note)
		}
		must(t, put(again, "f", "x"))
		os.Remove(file)
	}
}

// only is the one name in a folder that is meant.
func only(t *testing.T, dir string, meant func(string) bool) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		if meant(e.Name()) {
			return e.Name()
		}
	}
	t.Fatalf("nothing is in %s", dir)
	return ""
}

func TestAFolderThatIsHeldIsNotWritten(t *testing.T) {
	for _, locks := range []string{"", t.TempDir()} {
		s := open(t, fsroot.Options{LockDir: locks}, workspace(t))
		release, err := s.Hold(t.Context(), 0, "a/")
		must(t, err)
		p, err := s.Resolve("", "a/new")
		must(t, err)
		done, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.Lock(done, p); !errors.Is(err, fsroot.ErrLocked) {
			t.Errorf("a file of a folder that is held: %v", err)
		}
		release()
		must(t, put(s, "a/new", "x"))
	}
}

// A folder for locks that cannot be had keeps nobody from reading, and everybody from writing.
func TestWithoutALockNothingIsWritten(t *testing.T) {
	ws := workspace(t)
	for _, dir := range []string{ws + "/f", ws + "/f/below"} {
		s := open(t, fsroot.Options{LockDir: dir}, ws)
		p, err := s.Resolve("", "f")
		must(t, err)
		f, _, err := s.Open(p)
		must(t, err)
		f.Close()
		if err := put(s, "new", "x"); err == nil || !strings.Contains(err.Error(), "mkdir "+ws+"/f") {
			t.Errorf("%s: written: %v", dir, err)
		}
		if _, err := s.Hold(t.Context(), 0, "."); err == nil {
			t.Errorf("%s: held", dir)
		}
		if _, err := os.Stat(ws + "/new"); err == nil {
			t.Errorf("%s: the file is there", dir)
		}
	}
}
