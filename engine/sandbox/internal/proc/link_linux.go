package proc

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// link is what connects a process with the supervisor that it started.
type link struct {
	line *os.File // a socket to the supervisor: three descriptors, the order, then single bytes
	back *json.Decoder
	file *os.File // under back

	small bool        // news come as those of the small program
	saves atomic.Bool // the command has ended, and the supervisor still works
}

// newLink returns the link and the supervisor's ends of it, which become its descriptors 3 and 4.
func newLink() (*link, []*os.File, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	unix.SetNonblock(pair[0], true) // for Go's poller: a write that waits must not hold a thread
	line := os.NewFile(uintptr(pair[0]), "line")
	far := os.NewFile(uintptr(pair[1]), "line")
	backR, backW, err := os.Pipe()
	if err != nil {
		return nil, nil, errors.Join(err, line.Close(), far.Close())
	}
	l := &link{line: line, back: json.NewDecoder(backR), file: backR}
	return l, []*os.File{far, backW}, nil
}

func (l *link) close() {
	l.line.Close()
	l.file.Close()
}

// begin sends the command's descriptors and the order, and waits until the command runs. A goroutine of its own writes
// because a socket holds less than an order may have; it ends with the link.
func (l *link) begin(o order, files []*os.File) error {
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	if len(text) > maxOrder {
		return fmt.Errorf("arguments and environment are too large (%d bytes, at most %d)", len(text), maxOrder)
	}
	line := int(l.line.Fd())
	var fds []int
	for _, f := range files {
		fds = append(fds, int(f.Fd()))
	}
	rights := unix.UnixRights(fds...)
	err = unix.Sendmsg(line, []byte{lineFiles}, rights, nil, 0)
	if err != nil {
		return fmt.Errorf("hand over the output: %w", err)
	}
	unix.SetNonblock(line, true) // Fd made it wait
	written := make(chan error, 1)
	go func() {
		_, err := l.line.Write(append(text, '\n'))
		written <- err
	}()
	var n news
	if err := l.back.Decode(&n); err != nil {
		return fmt.Errorf("the supervisor ended before the command started: %w", err)
	}
	if n.Error != "" {
		return errors.New(n.Error)
	}
	l.small = n.Small
	return <-written
}

// exit waits for the news of the command's end. Without it the supervisor was killed.
func (l *link) exit() (Exit, bool) {
	if l.small {
		return l.status()
	}
	for {
		var n news
		if err := l.back.Decode(&n); err != nil {
			return Exit{}, false
		}
		if n.Saves {
			l.saves.Store(true)
			continue
		}
		exit := Exit{
			Code:   n.Code,
			Signal: n.Signal,
			Left:   n.Left,
			Lost:   n.Lost,
			Over:   n.Over,
		}
		return exit, n.Exited
	}
}

// status is exit of the small program, which writes the wait status behind the line end of the news before it.
func (l *link) status() (Exit, bool) {
	var b [1 + 4]byte
	if _, err := io.ReadFull(io.MultiReader(l.back.Buffered(), l.file), b[:]); err != nil {
		return Exit{}, false
	}
	code, signal := exitOf(syscall.WaitStatus(binary.NativeEndian.Uint32(b[1:])))
	return Exit{Code: code, Signal: signal}, true
}

// say sends one of the bytes after the order. A supervisor that is gone needs no words.
func (l *link) say(b byte) { l.line.Write([]byte{b}) }

// signal has the supervisor send a signal to all that is below it.
func (l *link) signal(number syscall.Signal) { l.line.Write([]byte{lineSignal, byte(number)}) }

// Prepared is a supervisor that runs already and waits for its order. It ends when it is closed, or with this process.
type Prepared struct {
	cmd  *exec.Cmd
	link *link
}

// Prepare starts a supervisor before its command is known: the start of a program is most of what a supervised
// command costs.
func Prepare(v Supervisor) (*Prepared, error) {
	l, ends, err := newLink()
	if err != nil {
		return nil, err
	}
	attr := &syscall.SysProcAttr{}
	if v.Attr != nil {
		copied := *v.Attr
		attr = &copied
	}
	attr.Setsid, attr.Setpgid = !v.InSession, v.InSession
	cmd := &exec.Cmd{
		Path:        v.Argv[0],
		Args:        v.Argv,
		Dir:         v.Dir,
		Env:         v.Env,
		ExtraFiles:  ends,
		SysProcAttr: attr,
	}
	err = cmd.Start()
	for _, e := range ends { // the supervisor's must be the only ones left, or its end is never seen
		e.Close()
	}
	if err != nil {
		l.close()
		return nil, err
	}
	return &Prepared{cmd, l}, nil
}

// Close ends a supervisor that got no order.
func (r *Prepared) Close() {
	r.link.close()
	r.cmd.Process.Kill()
	r.cmd.Wait()
}
