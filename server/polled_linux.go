//go:build !portable

package server

import (
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"syscall"
)

// polled is in as the runtime's poller reads it, where that can be: a read that
// waits in the kernel keeps a thread, and waking that thread costs a quarter of
// what a forwarded call costs. What it opens, done closes.
func polled(in io.Reader, out io.Writer) (r io.Reader, done func()) {
	plain := func() {}
	f, ok := in.(*os.File)
	if !ok {
		return in, plain
	}
	st, err := f.Stat()
	if err != nil {
		return in, plain
	}
	switch {
	case st.Mode()&fs.ModeNamedPipe != 0:
		// Opened anew, it is ours alone: who shares the old one still blocks on it.
		own, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", f.Fd()), os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err == nil {
			return own, func() { own.Close() }
		}
	case st.Mode()&fs.ModeSocket != 0 && !sameFile(st, out):
		// A socket cannot be opened anew. It was made for this process, as Node
		// does; where answers go out over it, too, it stays as it is, because who
		// writes to it does not expect to be told to come back.
		own, err := net.FileConn(f)
		if err == nil {
			return own, func() { own.Close() }
		}
	}
	return in, plain
}

// sameFile tells whether out is the file that st is of.
func sameFile(st fs.FileInfo, out io.Writer) bool {
	f, ok := out.(*os.File)
	if !ok {
		return false
	}
	other, err := f.Stat()
	return err != nil || os.SameFile(st, other)
}
