package sandbox

import (
	"cmp"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// copyFiles is a command with copies of its files: the first try closes those that it gets.
func copyFiles(s Spec) (Spec, error) {
	if s.Terminal != nil {
		own := *s.Terminal
		s.Terminal = &own
	}
	var made []*os.File
	for _, f := range filesOf(&s) {
		if *f == nil {
			continue
		}
		own, err := another(*f)
		if err != nil {
			for _, m := range made {
				m.Close()
			}
			return s, err
		}
		made, *f = append(made, own), own
	}
	return s, nil
}

// closeFiles closes the files of a command that was not started.
func closeFiles(s Spec) {
	for _, f := range filesOf(&s) {
		(*f).Close() // of nil that is an error
	}
}

// filesOf are the files that the start of a command closes.
func filesOf(s *Spec) []**os.File {
	out := []**os.File{&s.In, &s.Out, &s.Err, &s.Extra}
	if s.Terminal != nil {
		out = append(out, &s.Terminal.Here, &s.Terminal.There)
	}
	return out
}

// another is a file once more.
func another(f *os.File) (*os.File, error) {
	conn, err := f.SyscallConn() // Fd would make it wait
	if err != nil {
		return nil, err
	}
	var fd int
	var failed error
	err = conn.Control(func(own uintptr) { fd, failed = unix.FcntlInt(own, unix.F_DUPFD_CLOEXEC, 0) })
	if err = cmp.Or(err, failed); err != nil {
		return nil, fmt.Errorf("sandbox: %s cannot be had twice: %w", f.Name(), err)
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}
