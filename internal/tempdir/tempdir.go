// Package tempdir makes folders for temporary files that do not outlive their process for long: what a process that was
// killed left is cleared by the next one that makes such a folder.
package tempdir

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

const (
	// settled is how long nothing was made in a folder that is cleared: between making one and locking it, it looks as
	// if nobody had it.
	settled = time.Hour
	// maxCleared bounds what one process clears: its own work waits for it.
	maxCleared = 64
)

// A Dir is a folder of this process alone.
type Dir struct {
	Path string
	lock *os.File // ends with the process, whatever ends that; nil: this system has none for folders
}

// cleared are the kinds of folders that this process has cleared: once is enough.
var cleared sync.Map // parent and prefix → sync.OnceFunc

// Make makes a folder whose name begins with prefix in parent; "" is the system's folder for temporary files. The
// caller removes it.
func Make(parent, prefix string) (*Dir, error) {
	if parent == "" {
		parent = os.TempDir()
	}
	clearing := sync.OnceFunc(func() { clearOld(parent, prefix, time.Now()) })
	once, _ := cleared.LoadOrStore([2]string{parent, prefix}, clearing)
	once.(func())()
	path, err := os.MkdirTemp(parent, prefix+"*")
	if err != nil {
		return nil, err
	}
	return &Dir{path, lock(path)}, nil
}

// Remove removes the folder with all that is in it.
func (d *Dir) Remove() error {
	err := os.RemoveAll(d.Path)
	if d.lock != nil {
		d.lock.Close()
	}
	return err
}

// clearOld removes the folders of processes that have ended. What cannot be removed stays.
func clearOld(parent, prefix string, now time.Time) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	removed := 0
	for _, e := range entries {
		if removed >= maxCleared {
			return
		}
		if !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		info, err := e.Info()
		if err != nil || now.Sub(info.ModTime()) < settled || !own(info) {
			continue
		}
		if left := lock(filepath.Join(parent, e.Name())); left != nil {
			(&Dir{left.Name(), left}).Remove()
			removed++
		}
	}
}
