package fsroot

import (
	"errors"
	"fmt"
	"io/fs"
)

// What can be wrong with a path, besides fs.ErrNotExist and fs.ErrPermission. ErrOutside and
// ErrProtected are refusals of permission; the others say that the call was wrong or that the file
// is not one that tools touch.
var (
	ErrOutside    = errors.New("outside the workspace")
	ErrProtected  = errors.New("protected")
	ErrBadPath    = errors.New("not a usable path")
	ErrLoop       = errors.New("too many symbolic links")
	ErrDirectory  = errors.New("is a directory")
	ErrNotDir     = errors.New("is not a directory")
	ErrNotRegular = errors.New("is not a regular file")
	ErrHardLink   = errors.New("has more than one hard link")
	ErrChanged    = errors.New("changed meanwhile")
	ErrNoSpace    = errors.New("no space left")
	ErrReadOnly   = errors.New("is read-only")
	ErrAttributes = errors.New("cannot keep the file's attributes")
	ErrTooLarge   = errors.New("too large")
	ErrLocked     = errors.New("in use by another writer")
)

// An Error says what was tried on which path, why it failed, and what to do next.
type Error struct {
	Op   string // "open", "write", …
	Path string // as it was asked for, or the target once it is known
	Hint string // the next step; "" where there is none
	Err  error  // one of the errors above, fs.ErrNotExist, or the system's
}

func (e *Error) Error() string {
	msg := fmt.Sprintf("%s: %s: %s", e.Op, e.Path, plain(e.Err))
	if e.Hint != "" {
		msg += ": " + e.Hint
	}
	return msg
}

// Unwrap gives the cause, for errors.Is.
func (e *Error) Unwrap() error { return e.Err }

func fail(op, path string, err error, hint string) *Error {
	return &Error{Op: op, Path: path, Err: err, Hint: hint}
}

// plain drops the operation and the path that an fs.PathError repeats.
func plain(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// kindError tells why a file of this mode is refused: nil for a regular file.
func kindError(op, path string, mode fs.FileMode) error {
	switch {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return fail(op, path, ErrDirectory, "name a file in it")
	default:
		return fail(op, path, fmt.Errorf("%w but %s", ErrNotRegular, kindName(mode)), "only regular files are read and written")
	}
}

func kindName(m fs.FileMode) string {
	switch {
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	case m&fs.ModeSymlink != 0:
		return "a symbolic link"
	default:
		return "something else"
	}
}
