package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// viewTime bounds how long it takes to lay a view, and the start of who does it: a matter of milliseconds.
	viewTime = 20 * time.Second
	// viewSocket is the descriptor by which a viewer hands directories over.
	viewSocket = 3
	// viewWords bounds what a viewer says, in bytes.
	viewWords = 4 << 10
)

// A viewer is a launched copy of the program that lays layers over their roots, in a namespace of its own, for one view
// after another: its start takes ten times as long as that.
type viewer struct {
	launcher string
	cmd      *exec.Cmd
	words    bytes.Buffer // what it said beside its answers, to be read when it has ended
	orders   io.WriteCloser
	answers  *net.UnixConn
	mounts   *os.File // tells whether something was mounted since its start, which it may not see
}

// viewers holds the one that waits for the next view.
var viewers struct {
	sync.Mutex
	ready *viewer
	timer *time.Timer
}

// laidFor has a viewer lay layers over their roots, and opens what it hands over.
func laidFor(ctx context.Context, launcher string, layers []layerPlan) ([]*os.File, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if v := takeViewer(launcher); v != nil {
		if dirs, err := v.lay(ctx, layers); err == nil {
			keepViewer(v)
			return dirs, nil
		}
		v.close() // a new one says what is wrong, if it is not this one
	}
	v, err := startViewer(launcher)
	if err != nil {
		return nil, err
	}
	dirs, err := v.lay(ctx, layers)
	if err != nil {
		v.close()
		if said := strings.TrimSpace(v.words.String()); said != "" && ctx.Err() == nil {
			return nil, errors.New(said)
		}
		return nil, err
	}
	keepViewer(v)
	return dirs, nil
}

// takeViewer is the viewer that waits; nil: there is none, or not one that sees what is mounted now.
func takeViewer(launcher string) *viewer {
	viewers.Lock()
	defer viewers.Unlock()
	v := viewers.ready
	if v == nil {
		return nil
	}
	viewers.timer.Stop()
	viewers.ready = nil
	poll := []unix.PollFd{{Fd: int32(v.mounts.Fd()), Events: unix.POLLPRI}} // proc_pid_mounts(5)
	if n, err := unix.Poll(poll, 0); n != 0 || err != nil || v.launcher != launcher {
		v.close()
		return nil
	}
	return v
}

// keepViewer has a viewer wait for the next view, as long as a launcher waits for the next command.
func keepViewer(v *viewer) {
	viewers.Lock()
	defer viewers.Unlock()
	if viewers.ready != nil {
		v.close()
		return
	}
	viewers.ready = v
	viewers.timer = time.AfterFunc(warmTime, func() { restViewer(v) })
}

// restViewer ends the viewer that waits, if it is this one, or whichever it is.
func restViewer(which *viewer) {
	viewers.Lock()
	defer viewers.Unlock()
	v := viewers.ready
	if v == nil || which != nil && v != which {
		return
	}
	viewers.timer.Stop()
	viewers.ready = nil
	v.close()
}

// startViewer starts one. It ends when it is closed, or with this process.
func startViewer(launcher string) (*viewer, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "view"), os.NewFile(uintptr(pair[1]), "view")
	defer ours.Close()
	defer theirs.Close()
	answers, err := net.FileConn(ours)
	if err != nil {
		return nil, err
	}
	v := &viewer{launcher: launcher, cmd: exec.Command(launcher), answers: answers.(*net.UnixConn)}
	if v.mounts, err = os.Open("/proc/self/mountinfo"); err != nil {
		answers.Close()
		return nil, err
	}
	v.cmd.Env = append(launcherEnv(), marker+"=view") // the last of two counts
	v.cmd.Dir = "/"
	v.cmd.Stderr = &v.words
	v.cmd.ExtraFiles = []*os.File{theirs}
	v.cmd.SysProcAttr = plan{Root: os.Geteuid() == 0, Network: true}.attr()
	v.cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS
	v.cmd.SysProcAttr.Setsid = true // what a terminal sends to this process is not for it
	if v.orders, err = v.cmd.StdinPipe(); err == nil {
		err = noNamespace(v.cmd.Start())
	}
	if err != nil {
		v.mounts.Close()
		answers.Close()
		return nil, err
	}
	return v, nil
}

// noNamespace has the kernel's words for a process that may have no namespace be those of a layer that it refuses:
// ENOSPC says that there may be none at all (user_namespaces(7)).
func noNamespace(err error) error {
	for _, never := range []error{unix.ENOSPC, unix.EPERM, unix.EUSERS, unix.EINVAL, unix.ENOSYS} {
		if errors.Is(err, never) {
			return fmt.Errorf("%w: no user namespace can be had (%w)", errLayer, err)
		}
	}
	return err
}

// close ends it.
func (v *viewer) close() {
	v.orders.Close()
	v.answers.Close()
	v.mounts.Close()
	v.cmd.Process.Kill()
	v.cmd.Wait()
}

// lay lays layers over their roots.
func (v *viewer) lay(ctx context.Context, layers []layerPlan) ([]*os.File, error) {
	ctx, cancel := context.WithTimeout(ctx, viewTime)
	defer cancel()
	v.answers.SetDeadline(time.Time{})
	defer context.AfterFunc(ctx, func() { v.answers.SetDeadline(time.Unix(1, 0)) })()
	if err := json.NewEncoder(v.orders).Encode(layers); err != nil {
		return nil, fmt.Errorf("order: %w", err)
	}
	words, room := make([]byte, viewWords), make([]byte, unix.CmsgSpace(len(layers)*4))
	n, rights, _, _, err := v.answers.ReadMsgUnix(words, room)
	switch {
	case err != nil && ctx.Err() != nil:
		err = context.Cause(ctx)
	case err == nil && rights == 0:
		err = errors.New(string(words[:n]))
	}
	if err != nil {
		return nil, err
	}
	return received(room[:rights], len(layers))
}

// received are the directories that came with an answer.
func received(rights []byte, count int) ([]*os.File, error) {
	messages, err := unix.ParseSocketControlMessage(rights)
	if err != nil || len(messages) != 1 {
		return nil, fmt.Errorf("receive: %d messages: %w", len(messages), err)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return nil, fmt.Errorf("receive: %w", err)
	}
	var out []*os.File
	for _, fd := range fds {
		out = append(out, os.NewFile(uintptr(fd), "layer"))
	}
	if len(out) != count {
		for _, f := range out {
			f.Close()
		}
		return nil, fmt.Errorf("received %d of %d", len(out), count)
	}
	return out, nil
}

// viewMain is the life of a viewer.
func viewMain() int {
	orders := json.NewDecoder(os.Stdin)
	for {
		var layers []layerPlan
		err := orders.Decode(&layers)
		if errors.Is(err, io.EOF) {
			return 0
		}
		if err == nil {
			err = handOver(layers)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
}

// handOver lays layers and sends the directories, or says in words why it cannot.
func handOver(layers []layerPlan) error {
	var fds []int
	defer func() {
		for _, fd := range fds {
			unix.Close(fd)
		}
	}()
	for _, l := range layers {
		t, err := layTree(l)
		if err != nil {
			said := err.Error()
			return unix.Sendmsg(viewSocket, []byte(said[:min(len(said), viewWords)]), nil, nil, 0)
		}
		fds = append(fds, t.fd)
	}
	return unix.Sendmsg(viewSocket, []byte{1}, unix.UnixRights(fds...), nil, 0)
}
