//go:build unix

package exec

import (
	"fmt"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// forwarded are the signals that reach the command instead of this process.
var forwarded = []os.Signal{
	unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT, unix.SIGUSR1, unix.SIGUSR2,
}

// survivePipes has this process hear of a reader that goes away by an error: the command hears of it then, and what it
// changed until then is kept.
func survivePipes() { signal.Notify(make(chan os.Signal, 1), unix.SIGPIPE) }

// signalNumber is the number of a signal by its name.
func signalNumber(name string) int { return int(unix.SignalNum(name)) }

// tellFolder writes a folder to a descriptor that somebody gave this process.
func tellFolder(fd int, dir string) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return fmt.Errorf("exec: --cwd-fd %d: %w", fd, err)
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFIFO, unix.S_IFREG, unix.S_IFCHR: // not a file of the Go runtime's
	default:
		return fmt.Errorf("exec: --cwd-fd %d is no file that can be written", fd)
	}
	_, err := os.NewFile(uintptr(fd), "cwd").WriteString(dir)
	return err
}

// keepFolderFD keeps the descriptor from whatever this process starts: its reader waits until all have closed it.
func keepFolderFD(fd int) { unix.CloseOnExec(fd) }
