package upstream

import (
	"errors"
	"helve/internal/resolved"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// folders are those that were made so that a server can keep what it fetches there. A lock on each tells other helves
// that somebody may be about to use it. Those that stay empty are removed by whoever uses them last.
type folders struct {
	home string // which is there, and not made
	held []*os.File
}

// maxTries is how often a folder is made again that another helve removes at the same moment.
const maxTries = 10

// hold makes a folder, and those above it that are missing. Where that fails the server says so.
func (h *folders) hold(dir string) {
	if above := filepath.Dir(dir); above != h.home && resolved.Within(h.home, above) {
		h.hold(above)
	}
	for range maxTries {
		err := os.Mkdir(dir, 0o755)
		if err != nil && !errors.Is(err, fs.ErrExist) || h.lock(dir, err == nil) {
			return
		}
	}
}

// holds tells that a folder is held already.
func (h *folders) holds(dir string) bool {
	return slices.ContainsFunc(h.held, func(f *os.File) bool { return f.Name() == dir })
}

// lock takes part in using a folder. One that nobody made for a server is the person's own, and left alone. false:
// it was removed meanwhile.
func (h *folders) lock(dir string, made bool) bool {
	if h.holds(dir) {
		return true
	}
	f, err := os.Open(dir)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	fd := int(f.Fd())
	if !made && unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) == nil {
		f.Close()
		return true
	}
	err = unix.Flock(fd, unix.LOCK_SH|unix.LOCK_NB)
	own, statErr := f.Stat()
	now, nowErr := os.Stat(dir)
	if err != nil || statErr != nil || nowErr != nil || !os.SameFile(own, now) {
		f.Close()
		return err != nil && !errors.Is(err, unix.EWOULDBLOCK) // such a disk has no locks
	}
	h.held = append(h.held, f)
	return true
}

// release removes what stayed empty and nobody else uses, inner ones first.
func (h *folders) release() {
	for _, f := range slices.Backward(h.held) {
		if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			os.Remove(f.Name()) // one that is not empty stays
		}
		f.Close()
	}
	h.held = nil
}
