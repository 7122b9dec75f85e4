//go:build !portable

package tree

import (
	"bytes"
	"encoding/binary"
	"os"

	"golang.org/x/sys/unix"
)

// notifier is the kernel's list of what happens in directories.
type notifier struct {
	fd   int
	file *os.File // owns fd; waits without holding a thread
	buf  []byte
}

const (
	// entryMask are the events of which an entry came or went.
	entryMask = unix.IN_CREATE | unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_MOVED_TO
	// selfMask are those of which the watched directory itself went.
	selfMask = unix.IN_DELETE_SELF | unix.IN_MOVE_SELF
	// fileMask are those by which a file has another content or state. IN_MODIFY, not only the close after it: a log
	// that stays open must be seen too.
	fileMask = unix.IN_MODIFY | unix.IN_CLOSE_WRITE | unix.IN_ATTRIB
	// watchMask asks for all of them, of directories only. Links are not followed, and what was deleted and is still
	// open is of no interest.
	watchMask = fileMask | namesMask
	// namesMask asks for names alone.
	namesMask = entryMask | selfMask | unix.IN_ONLYDIR | unix.IN_DONT_FOLLOW | unix.IN_EXCL_UNLINK
)

const eventsSize = 64 << 10 // bytes of events read at once

// happening is one event, in the terms of this package.
type happening struct {
	watch    int32
	name     string
	dir      bool // it is about a directory
	entry    bool // an entry came or went, as opposed to its content
	lost     bool // events were dropped: everything may have changed
	selfGone bool // the watched directory itself was moved or deleted
	ended    bool // the watch is no more
}

func newNotifier() (*notifier, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, os.NewSyscallError("inotify_init1", err)
	}
	n := &notifier{
		fd:   fd,
		file: os.NewFile(uintptr(fd), "inotify"),
		buf:  make([]byte, eventsSize),
	}
	return n, nil
}

func (n *notifier) close() { n.file.Close() }

// add watches a directory by its absolute path. Watching the same one twice gives the same number.
func (n *notifier) add(path string) (int32, error) {
	wd, err := unix.InotifyAddWatch(n.fd, path, watchMask)
	return int32(wd), err
}

// addNames watches what comes and goes in a directory.
func (n *notifier) addNames(path string) error {
	_, err := unix.InotifyAddWatch(n.fd, path, namesMask)
	return err
}

func (n *notifier) remove(watch int32) { _, _ = unix.InotifyRmWatch(n.fd, uint32(watch)) }

// full reports whether an error of add means that no more directories can be watched.
func full(err error) bool { return err == unix.ENOSPC || err == unix.ENOMEM }

// wait blocks until there may be something to read, or the notifier is closed.
func (n *notifier) wait() error {
	conn, err := n.file.SyscallConn()
	if err != nil {
		return err
	}
	first := true
	return conn.Read(func(uintptr) bool {
		again := !first
		first = false
		return again
	})
}

// read hands over what has happened up to now and does not wait.
func (n *notifier) read(each func(happening)) {
	for {
		k, err := unix.Read(n.fd, n.buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil || k <= 0 {
			return
		}
		parseEvents(n.buf[:k], each)
	}
}

// parseEvents reads struct inotify_event of inotify(7): watch, mask, cookie, length of the name, the name with zeros
// behind it.
func parseEvents(b []byte, each func(happening)) {
	for len(b) >= unix.SizeofInotifyEvent {
		mask := binary.NativeEndian.Uint32(b[4:])
		size := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(b[12:]))
		name, _, _ := bytes.Cut(b[unix.SizeofInotifyEvent:size], []byte{0})
		each(happening{
			watch:    int32(binary.NativeEndian.Uint32(b)),
			name:     string(name),
			dir:      mask&unix.IN_ISDIR != 0,
			entry:    mask&entryMask != 0,
			lost:     mask&(unix.IN_Q_OVERFLOW|unix.IN_UNMOUNT) != 0,
			selfGone: mask&selfMask != 0,
			ended:    mask&unix.IN_IGNORED != 0,
		})
		b = b[size:]
	}
}

// mountTable tells whether something was mounted.
type mountTable struct{ fd int }

func openMountTable() (*mountTable, error) {
	fd, err := unix.Open("/proc/self/mountinfo", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	return &mountTable{fd}, err
}

// changed reports whether something was mounted, or unmounted, since it was opened or last asked: see poll in proc(5).
func (m *mountTable) changed() bool {
	fds := []unix.PollFd{{Fd: int32(m.fd), Events: unix.POLLPRI}}
	n, err := unix.Poll(fds, 0)
	return n != 0 || err != nil
}

func (m *mountTable) close() { unix.Close(m.fd) }
