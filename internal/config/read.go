package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"helve/internal/standin"
)

// maxFile bounds one file. The largest that people write by hand are some ten kilobytes.
const maxFile = 1 << 20

const (
	// readTries is how often a file that changes while it is read is read again, and readPause how long after.
	readTries = 10
	readPause = 50 * time.Millisecond
	// emptyTime is how long a file must have been empty to count as such: many programs cut a file off before they
	// write it, which on a busy machine may wait for its turn between the two, and no configuration at all may allow
	// more than the one that is being written.
	emptyTime = 8 * readPause
)

// readFile reads a regular file of ours, small and at rest. A missing one is fs.ErrNotExist.
// Nothing here can hang: a FIFO opens without waiting and is refused.
func readFile(path string) ([]byte, error) {
	for try := range readTries {
		if try > 0 {
			time.Sleep(readPause)
		}
		text, still, err := readOnce(path)
		if err != nil && (standin.At(path) || isNull(path)) {
			return nil, fs.ErrNotExist
		}
		if err != nil {
			return nil, plainer(path, err)
		}
		if still {
			return text, nil
		}
	}
	return nil, fmt.Errorf("%s: changes while it is read: try again", path)
}

// readOnce reads a file, and tells whether it was still meanwhile: half of what an editor writes
// may be valid and mean something else.
func readOnce(path string) (text []byte, still bool, err error) {
	// Before it is opened: a socket cannot be, and a device may do something then.
	if st, err := os.Stat(path); err == nil {
		if err := readable(path, st); err != nil {
			return nil, false, err
		}
	}
	f, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	before, err := f.Stat()
	if err != nil {
		return nil, false, err
	}
	if err := errors.Join(readable(path, before), ours(path, before)); err != nil {
		return nil, false, err
	}
	var b bytes.Buffer
	if _, err := io.Copy(&b, io.LimitReader(f, maxFile+1)); err != nil {
		return nil, false, err
	}
	if b.Len() > maxFile {
		return nil, false, fmt.Errorf("%s: is larger than %d bytes: no configuration is that long", path, maxFile)
	}
	after, err := f.Stat()
	if err != nil {
		return nil, false, err
	}
	still = after.Size() == before.Size() && after.ModTime().Equal(before.ModTime())
	if age := time.Since(after.ModTime()); b.Len() == 0 && age >= 0 && age < emptyTime {
		still = false
	}
	return b.Bytes(), still && int64(b.Len()) == after.Size(), nil
}

// readable refuses what cannot be read to its end in reasonable time: devices, pipes, huge files.
func readable(path string, st fs.FileInfo) error {
	const remedy = "move it away, or remove it"
	switch {
	case st.IsDir():
		return fmt.Errorf("%s: is a directory, want a file: %s", path, remedy)
	case !st.Mode().IsRegular():
		return fmt.Errorf("%s: is %s, not a regular file: %s", path, kind(st.Mode()), remedy)
	case st.Size() > maxFile:
		const long = "%s: is %d bytes, at most %d are read: no configuration is that long: %s"
		return fmt.Errorf(long, path, st.Size(), maxFile, remedy)
	}
	return nil
}

// kind is what stands there in place of a file.
func kind(m fs.FileMode) string {
	switch {
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeNamedPipe != 0:
		return "a pipe"
	}
	return "a device"
}

// ours refuses what another user could have written: whoever writes a configuration decides what
// runs.
func ours(path string, st fs.FileInfo) error {
	if why := foreign(st); why != "" {
		const remedy = "it could be another user's doing; take it over with chown and chmod o-w, or remove it"
		return fmt.Errorf("%s: %s: %s", path, why, remedy)
	}
	dir := filepath.Dir(path)
	if st, err := os.Stat(dir); err == nil {
		if why := openToAll(st); why != "" {
			return fmt.Errorf("%s: its folder %s: another user could change it; chmod o-w it", path, why)
		}
	}
	return nil
}

// plainer gives the errors of the system our words.
func plainer(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return err
	case isLoop(err):
		return fmt.Errorf("%s: is a link that leads in a circle: remove it", path)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: cannot be read: permission denied: chmod u+r it, or remove it", path)
	}
	if bad, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", path, bad.Err)
	}
	return err
}
