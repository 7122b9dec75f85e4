package ticket

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// In a sandbox of the client whoever runs a line can write nothing of helve's. Beside a lock, which needs no writing, a
// word in a temporary folder is what the hook outside can hear of it. Every command there could have said that word: it
// tells how the line ended, and nobody decides anything by it.

// An End is how a line ended.
type End struct {
	Status int           `json:"status"` // as a shell has it
	Took   time.Duration `json:"took"`
}

// begun is what stands in the place of an End while a line runs.
var begun = End{Status: -1}

const (
	endPrefix = "helve-end-"
	maxEnd    = 200 // bytes: two numbers
)

// EndName names the word of one line, by letters and digits that no other line has.
func EndName(letters string) string { return endPrefix + letters }

// endPlaces are the temporary folders in which the word may stand: that of this process, and those that clients let
// their commands write in.
func endPlaces(name string) []string {
	own, ok := strings.CutPrefix(name, endPrefix)
	other := func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }
	if !ok || own == "" || strings.ContainsFunc(own, other) {
		return nil
	}
	var out []string
	for _, dir := range []string{os.TempDir(), "/tmp", fmt.Sprintf("/tmp/claude-%d", os.Getuid()), "/tmp/claude"} {
		out = append(out, filepath.Join(dir, name))
	}
	return out
}

// Begin says that a line runs, in the first folder that takes it.
func Begin(name string) error { return begun.put(name, os.O_EXCL) }

// Say says how a line ended that was said to begin.
func (e End) Say(name string) error { return e.put(name, os.O_TRUNC) }

func (e End) put(name string, how int) error {
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	err = errors.New("ticket: there is no place for the end of a line")
	for _, path := range endPlaces(name) {
		var f *os.File
		if st, bad := os.Lstat(path); how != os.O_EXCL && (bad != nil || !st.Mode().IsRegular()) {
			continue // it began elsewhere
		}
		if f, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|how, 0o600); err != nil {
			continue
		}
		_, err = f.Write(text)
		return errors.Join(err, f.Close())
	}
	return err
}

// Ended tells whether a line was said to begin, and when to have ended; zero: it was not.
func Ended(name string) (began bool, at time.Time) {
	for _, path := range endPlaces(name) {
		var e End
		text := readEnd(path)
		if text == nil || json.Unmarshal(text, &e) != nil {
			continue
		}
		if st, err := os.Lstat(path); err == nil && e != begun {
			return true, st.ModTime()
		}
		began = true
	}
	return began, time.Time{}
}

// Heard is how a line ended, where somebody said it. It is said once.
func Heard(name string) (e End, ok bool) {
	for _, path := range endPlaces(name) {
		text := readEnd(path)
		if text == nil {
			continue
		}
		os.Remove(path)
		ok = ok || json.Unmarshal(text, &e) == nil && e.Status >= 0 && e.Status < 256 && e.Took >= 0
	}
	return e, ok
}

// readEnd reads a small file that anybody may have put there: nothing but a file is opened, and no link followed.
func readEnd(path string) []byte {
	st, err := os.Lstat(path)
	if err != nil || !st.Mode().IsRegular() {
		return nil
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	now, err := f.Stat()
	if err != nil || !os.SameFile(st, now) {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(f, maxEnd))
	if err != nil {
		return nil
	}
	return text
}

// Hold says that the line runs, until release is called or this process ends: the hook can tell by it whether to wait.
func (t Ticket) Hold() (release func(), err error) {
	if _, err := os.Stat(t.Look); err != nil { // else it would be made
		return nil, err
	}
	l := flock.New(t.Look, flock.SetFlag(os.O_RDONLY))
	ok, err := l.TryRLock()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fs.ErrExist
	}
	return func() { l.Close() }, nil
}
