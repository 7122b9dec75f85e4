package proc

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// The supervisor's ends of the link.
const (
	lineFD = 3
	backFD = 4
)

// terminalFD is the descriptor of a command that is its terminal, if it has one.
const terminalFD = 1

// ExitRefused is the exit status of a supervisor that could not start the command.
const ExitRefused = 125

// supervisor is the state of the process between.
type supervisor struct {
	line  *os.File // what it is told
	back  *os.File // what it tells
	main  int      // the command
	leave bool
	small bool                   // how the command ended is told as the small program tells it
	extra int                    // descriptor 3 of the command, as it is here; 0: it has none
	kill  chan struct{}          // closed when everything must end
	end   Ending                 // what is to be done when the command has ended
	over  atomic.Pointer[string] // why the tree was ended that used too much
}

// Supervise is the whole life of a supervisor process; its result is the exit status. setup runs on the thread from
// which the command is forked, so that what it does to its thread (Landlock, seccomp, capabilities) holds for the
// command.
func Supervise(setup func(config json.RawMessage) (Ending, error)) int {
	runtime.LockOSThread()
	// A command may send this process any signal; it must not end by them. They are caught rather than ignored
	// because the command would inherit that they are ignored.
	signal.Notify(make(chan os.Signal, 1))
	v := &supervisor{
		line: os.NewFile(lineFD, "line"),
		back: os.NewFile(backFD, "back"),
		kill: make(chan struct{}),
	}
	keepDescriptors()
	if err := v.takeFiles(); err != nil {
		return v.refuse(err)
	}
	o, err := readOrder(v.line)
	if err != nil {
		return v.refuse(err)
	}
	err = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	if err != nil {
		return v.refuse(fmt.Errorf("become the parent of orphans: %w", err))
	}
	v.end, err = setup(o.Config)
	if err != nil {
		return v.refuse(err)
	}
	v.leave = o.Leave
	files := []uintptr{0, 1, 2}
	if v.extra > 0 {
		files = append(files, uintptr(v.extra))
	}
	sys := &syscall.SysProcAttr{Setsid: true, Setctty: o.TTY, Ctty: terminalFD}
	if o.Small {
		if err := v.shrink(o); err != nil {
			return v.refuse(err)
		}
		o.Argv = append([]string{shell, shell, "-c", between, "sh", o.Argv[0]}, o.Argv[2:]...)
		sys = &syscall.SysProcAttr{Setpgid: true}
	}
	v.main, err = syscall.ForkExec(o.Argv[0], o.Argv[1:], &syscall.ProcAttr{
		Dir:   o.Dir,
		Env:   o.Env,
		Files: files,
		Sys:   sys,
	})
	if err != nil {
		return v.refuse(err)
	}
	if v.extra > 0 {
		unix.Close(v.extra) // the command's must be the only one left
	}
	if !v.small {
		v.tell(news{Ready: true})
	}
	go v.listen()
	if o.Bounds.any() {
		go v.watch(o.Bounds)
	}
	return v.reap()
}

// between is a process between the first one of a namespace and a server, where the small program is none: many servers
// take a parent that is process 1 for the sign that their client has ended, and leave.
const (
	shell   = "/bin/sh"
	between = `trap : HUP INT TERM; "$@"; exit $?`
)

// shrink has the small program go on in this process, which is not to come back then. Where that cannot be, or
// something goes on here while the command runs, this process stays. The error is that of a command that cannot be
// started.
func (v *supervisor) shrink(o order) error {
	if err := unix.Access(o.Argv[0], unix.X_OK); err != nil {
		return err
	}
	if o.Dir != "" {
		if err := os.Chdir(o.Dir); err != nil {
			return err
		}
	}
	if v.end.Stays || v.end.Save != nil || v.end.Left != nil || o.Bounds.any() {
		return nil
	}
	f, err := smallFile()
	if err != nil {
		return nil // it cannot be had here
	}
	v.small = true
	v.tell(news{Ready: true, Small: true})
	_ = giveWay(f, o)
	f.Close()
	return nil
}

// takeFiles receives the descriptors of the command and makes them its input and output.
func (v *supervisor) takeFiles() error {
	b := make([]byte, 1)
	rights := make([]byte, unix.CmsgSpace(4*4)) // four descriptors of four bytes
	n, size, _, _, err := unix.Recvmsg(lineFD, b, rights, unix.MSG_CMSG_CLOEXEC)
	if err != nil || n == 0 {
		return errors.Join(err, errors.New("no order came"))
	}
	messages, err := unix.ParseSocketControlMessage(rights[:size])
	if err != nil || len(messages) != 1 || b[0] != lineFiles {
		return errors.Join(err, errors.New("no files came"))
	}
	files, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return err
	}
	// They arrived with numbers above 4: 0 to 4 were open before. None of them is overwritten by another.
	for to, from := range files {
		if to == lineFD {
			v.extra = from
			continue
		}
		if err := unix.Dup3(from, to, 0); err != nil {
			return err
		}
		unix.Close(from)
	}
	return nil
}

// keepDescriptors makes sure that the command inherits 0, 1 and 2 only, whatever this process was given.
func keepDescriptors() {
	unix.CloseOnExec(lineFD)
	unix.CloseOnExec(backFD)
	err := unix.CloseRange(backFD+1, ^uint(0)>>1, unix.CLOSE_RANGE_CLOEXEC)
	if err == nil {
		return
	}
	// A kernel before 5.11: numbers are given from below, so what is open lies little above how many are open.
	names, _ := os.ReadDir("/proc/self/fd")
	last := backFD + 1 + 4*len(names) + 1024
	for fd := backFD + 1; fd < last; fd++ {
		unix.CloseOnExec(fd)
	}
}

// tell sends news. Where nobody is left to hear it, the end of the line comes next and ends everything.
func (v *supervisor) tell(n news) { json.NewEncoder(v.back).Encode(n) }

// refuse tells why the command was not started; its result is the exit status.
func (v *supervisor) refuse(err error) int {
	v.tell(news{Error: err.Error()})
	return ExitRefused
}

// listen hears what the starting process wants. The end of the line means that it is gone.
func (v *supervisor) listen() {
	b := make([]byte, 1)
	for {
		n, err := v.line.Read(b)
		switch {
		case n == 1 && b[0] == lineTerm:
			signalBelow(unix.SIGTERM)
		case n == 1 && b[0] == lineSignal:
			if n, _ := v.line.Read(b); n == 1 {
				signalBelow(unix.Signal(b[0]))
			}
		case n == 1 && b[0] == lineKill, err != nil:
			close(v.kill)
			v.killAll()
			return
		}
	}
}

// killAll ends everything below until the main loop, which collects, leaves.
func (v *supervisor) killAll() {
	for {
		signalBelow(unix.SIGKILL)
		time.Sleep(roundPause)
	}
}

// reap collects children, its own and adopted ones, until the command has ended and, with leave, all others too.
func (v *supervisor) reap() int {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case err == syscall.EINTR:
		case errors.Is(err, syscall.ECHILD):
			return 0
		case pid == v.main:
			if v.small {
				binary.Write(v.back, binary.NativeEndian, uint32(status))
				return 0 // the first of a namespace: the kernel ends the rest
			}
			code, signal := exitOf(status)
			n := news{Exited: true, Code: code, Signal: signal}
			if !v.leave {
				v.finish(&n)
			}
			if over := v.over.Load(); over != nil {
				n.Over = *over
			}
			v.tell(n)
			if !v.leave {
				v.sweep()
				return 0
			}
		}
	}
}

// finish does what is to be done when the command has ended.
func (v *supervisor) finish(n *news) {
	if v.end.Save != nil {
		v.tell(news{Saves: true})
		v.endAll()
		if err := v.end.Save(); err != nil {
			n.Lost = err.Error()
		}
	}
	if v.end.Left != nil {
		n.Left = v.end.Left()
	}
}

// endAll ends what the command left behind, and returns when nothing of it runs.
func (v *supervisor) endAll() {
	for {
		signalBelow(unix.SIGKILL)
		_, err := syscall.Wait4(-1, nil, 0, nil)
		if errors.Is(err, syscall.ECHILD) {
			return
		}
	}
}

// watch ends the tree when it uses more than it may. It returns with the process.
func (v *supervisor) watch(b Bounds) {
	g := newGauge(b)
	for pause := soonest; ; {
		time.Sleep(pause)
		var over string
		over, pause = g.look(members())
		if over != "" {
			v.over.Store(&over)
			v.killAll()
		}
	}
}

// members lists the processes of the command.
func members() []int {
	if os.Getpid() != 1 {
		return below()
	}
	var out []int
	for _, e := range allPIDs() {
		if e != 1 {
			out = append(out, e)
		}
	}
	return out
}

// sweep ends what the command left behind. The first process of a PID namespace need not: the kernel does it.
func (v *supervisor) sweep() {
	if os.Getpid() == 1 {
		return
	}
	for range maxRounds {
		if len(below()) == 0 {
			return
		}
		signalBelow(unix.SIGKILL)
		collectEnded()
		time.Sleep(roundPause / 4)
	}
}

// collectEnded takes the status of every child that has ended, without waiting for one.
func collectEnded() {
	for {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if err != nil || pid <= 0 {
			return
		}
	}
}

// signalBelow signals every living descendant.
func signalBelow(sig unix.Signal) {
	if os.Getpid() == 1 {
		unix.Kill(-1, sig) // everybody in this namespace but us
		return
	}
	for _, pid := range below() {
		unix.Kill(pid, sig)
	}
}

// below lists the living descendants of this process.
func below() []int {
	self := os.Getpid()
	all := treeOf(self, "")
	out := all[:0]
	for _, pid := range all {
		if pid != self {
			out = append(out, pid)
		}
	}
	return out
}
