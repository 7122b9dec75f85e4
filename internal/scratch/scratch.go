// Package scratch keeps the temporary folder that the commands of one conversation share. They find it as /tmp, and
// nobody else writes there. What they make in it is copied to the machine's own, where nothing stands; what they name
// of the machine's is copied to theirs before they run. So a client's other tools and its commands see each other's
// files, and no command writes a file of somebody else's.
//
// Folders are private and lie in helve's state. Several processes may use one of them at once.
package scratch

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"time"

	"github.com/gofrs/flock"

	"helve/internal/state"
)

// Place is the folder that a Folder stands for.
const Place = "/tmp"

// Private is Place on systems where commands have one of their own; "": they have the machine's.
func Private() string {
	if runtime.GOOS != "linux" {
		return ""
	}
	return Place
}

const (
	// keptFor is how long a folder is kept that nobody uses. A machine that starts anew keeps no /tmp either.
	keptFor = 3 * 24 * time.Hour
	// most bounds the folders; the oldest that nobody uses go.
	most = 16

	filesName = "tmp"        // in a folder of this package: what commands find as Place
	indexName = "index.json" // what was copied
	lockName  = "used.lock"  // held while a command has it
)

// A Folder is what the commands of one conversation find as /tmp. Close it when the command has ended.
type Folder struct {
	dir  string
	real string // the machine's
	used *flock.Flock
}

// Open opens the folder of a conversation in helve's state folder, and makes it if need be.
func Open(stateDir, conversation string) (*Folder, error) {
	return OpenFor(Place, stateDir, conversation)
}

// OpenFor is Open for another folder than Place.
func OpenFor(place, stateDir, conversation string) (*Folder, error) {
	all := filepath.Join(stateDir, "scratch")
	sum := sha256.Sum256([]byte(conversation))
	f := &Folder{dir: filepath.Join(all, hex.EncodeToString(sum[:12])), real: place}
	if err := state.MakeDir(f.dir); err != nil {
		return nil, err
	}
	f.used = flock.New(filepath.Join(f.dir, lockName), flock.SetPermissions(0o600))
	if ok, err := f.used.TryRLock(); err != nil || !ok {
		return nil, errors.Join(fmt.Errorf("scratch: %s is being removed", f.dir), err)
	}
	now := time.Now()
	os.Chtimes(f.dir, now, now) // what forget goes by
	err := os.Mkdir(f.Dir(), 0o700)
	if err == nil {
		forget(all, now)
		err = os.Chmod(f.Dir(), os.ModeSticky|0o777) // as /tmp is; the folder around it is private
	}
	if err != nil && !errors.Is(err, os.ErrExist) {
		f.Close()
		return nil, fmt.Errorf("scratch: %w", err)
	}
	return f, nil
}

// Dir is where the files lie.
func (f *Folder) Dir() string { return filepath.Join(f.dir, filesName) }

// Close says that the command has ended.
func (f *Folder) Close() error { return f.used.Close() }

// forget removes the folders that nobody has used for long, and the oldest beyond most.
func forget(all string, now time.Time) {
	list, err := os.ReadDir(all)
	if err != nil {
		return
	}
	type old struct {
		dir string
		at  time.Time
	}
	var found []old
	for _, e := range list {
		if info, err := e.Info(); err == nil && e.IsDir() {
			found = append(found, old{filepath.Join(all, e.Name()), info.ModTime()})
		}
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].at.Before(found[j].at) })
	for i, o := range found {
		if len(found)-i > most || now.Sub(o.at) > keptFor {
			remove(o.dir)
		}
	}
}

// remove removes a folder that no command has. One that opens it meanwhile makes it anew.
func remove(dir string) {
	used := flock.New(filepath.Join(dir, lockName), flock.SetPermissions(0o600))
	if ok, err := used.TryLock(); err != nil || !ok {
		return
	}
	defer used.Close()
	os.RemoveAll(filepath.Join(dir, filesName)) // what cannot be removed is tried again with the next one
	os.Remove(filepath.Join(dir, indexName))
	os.Remove(filepath.Join(dir, lockName))
	os.Remove(dir) // it stays where another process has made a lock in it meanwhile
}
