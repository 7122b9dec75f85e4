package proc

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// markerName is the variable by which processes of a tree are found again after they left their session.
const markerName = "HELVE_TREE"

// lastResort is how long a supervisor may take to end its tree before it is killed itself.
const lastResort = 500 * time.Millisecond

// saveTime is how long it may take besides to save what ends with it.
const saveTime = 10 * time.Minute

// start starts the command, or the supervisor and through it the command.
func (p *Process) start() error {
	s := p.spec
	if !s.Supervisor.ownsProcesses() {
		p.marker = newMarker()
		s.Env = append(slices.Clip(s.Env), p.marker) // the caller's own array stays as it is
	}
	stdin, stdout, done, err := p.stdio()
	if err != nil {
		return err
	}
	defer done()
	path, err := lookPath(s.Argv[0], s.Dir, s.Env)
	if err != nil {
		return err
	}
	if s.Supervisor != nil {
		return p.startSupervised(s, stdin, stdout, path)
	}
	p.cmd = &exec.Cmd{
		Path:       path,
		Args:       s.Argv,
		Dir:        s.Dir,
		Env:        s.Env,
		Stdin:      stdin,
		Stdout:     stdout,
		Stderr:     p.stderr(),
		ExtraFiles: s.extra(),
		SysProcAttr: &syscall.SysProcAttr{
			Setsid:    true,
			Setctty:   s.Terminal != nil,
			Ctty:      terminalFD,
			Pdeathsig: syscall.SIGKILL,
		},
	}
	return p.cmd.Start()
}

// ownsProcesses tells whether the kernel itself ends the tree: with the first process of a PID namespace all others
// end. Otherwise the tree is found by a marker in its environment.
func (v *Supervisor) ownsProcesses() bool {
	return v != nil && v.Attr != nil && v.Attr.Cloneflags&syscall.CLONE_NEWPID != 0
}

// startSupervised gives the order to the supervisor, one that waits or a new one.
func (p *Process) startSupervised(s Spec, stdin, stdout *os.File, path string) error {
	v := s.Supervisor
	r := v.Ready
	if r == nil {
		var err error
		r, err = Prepare(*v)
		if err != nil {
			return err
		}
	}
	o := order{
		Argv:   append([]string{path}, s.Argv...), // the program to run, then what it is told that it is called
		Dir:    s.Dir,
		Env:    s.Env,
		Leave:  s.Leave,
		Small:  s.Lasting && !s.Leave && v.ownsProcesses(),
		TTY:    s.Terminal != nil,
		Bounds: s.Bounds,
		Config: v.Config,
	}
	err := r.link.begin(o, append([]*os.File{stdin, stdout, p.stderr()}, s.extra()...))
	if err != nil {
		r.Close()
		return err
	}
	p.cmd, p.link = r.cmd, r.link
	return nil
}

func newMarker() string {
	var b [12]byte
	rand.Read(b[:]) // never fails
	return markerName + "=" + hex.EncodeToString(b[:])
}

// fromStart is the file opened once more, with an offset of its own and only to be read.
func fromStart(f *os.File) (*os.File, error) {
	r, err := os.Open("/proc/self/fd/" + itoa(int(f.Fd())))
	return r, errors.Join(err, f.Close())
}

// tempFile is a file that has no name, so that nothing is left if this process is killed.
func tempFile(dir string) (*os.File, error) {
	if dir == "" {
		dir = os.TempDir()
	}
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err == nil {
		return os.NewFile(uintptr(fd), filepath.Join(dir, "output")), nil
	}
	f, err := os.CreateTemp(dir, "output-*") // a file system without O_TMPFILE
	if err != nil {
		return memoryFile(err) // in a sandbox nothing may be writable
	}
	name := f.Name()
	f.Close()
	f, err = os.OpenFile(name, os.O_RDWR, 0o600)
	return f, errors.Join(err, os.Remove(name))
}

// memoryFile is a file in memory; why is said where there is none, either.
func memoryFile(why error) (*os.File, error) {
	fd, err := unix.MemfdCreate("output", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, errors.Join(why, err)
	}
	return os.NewFile(uintptr(fd), "output"), nil
}

func closeTemp(f *os.File) error { return f.Close() }

// await waits for the end of the first process. It stays a zombie, so that its number cannot become another's
// meanwhile.
func (p *Process) await() Exit {
	if p.link != nil {
		if exit, ok := p.link.exit(); ok {
			return exit
		}
		return Exit{Code: -1, Signal: "SIGKILL"} // of the supervisor, which took everything with it
	}
	var info unix.Siginfo
	for {
		err := unix.Waitid(unix.P_PID, p.PID(), &info, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return exitOfInfo(&info)
		}
	}
}

// exitOfInfo reads what waitid tells: the kernel's layout puts the status behind the number and the user of the
// child, which start at the first multiple of the word size after three ints.
func exitOfInfo(info *unix.Siginfo) Exit {
	const (
		word   = unsafe.Sizeof(uintptr(0))
		child  = (3*4 + word - 1) / word * word
		exited = 1 // CLD_EXITED; the others are ends by a signal
	)
	status := *(*int32)(unsafe.Add(unsafe.Pointer(info), child+8))
	if info.Code == exited {
		return Exit{Code: int(status)}
	}
	return Exit{Code: -1, Signal: unix.SignalName(syscall.Signal(status))}
}

// pass sends a signal to the whole tree.
func (p *Process) pass(sig os.Signal) {
	number, ok := sig.(syscall.Signal)
	switch {
	case !ok:
	case p.link != nil:
		p.link.signal(number)
	default:
		for _, pid := range treeOf(p.PID(), p.marker) {
			unix.Kill(pid, number)
		}
	}
}

// reap ends what the first process left behind and collects it.
func (p *Process) reap() {
	if p.link == nil {
		killTree(p.PID(), p.marker)
		p.collect()
		return
	}
	t := time.AfterFunc(lastResort, func() { p.cmd.Process.Kill() })
	p.cmd.Wait()
	t.Stop()
	p.link.close()
	if p.marker != "" && p.cmd.ProcessState.Sys().(syscall.WaitStatus).Signaled() {
		killTree(p.PID(), p.marker) // the supervisor was killed and could not
	}
}

// linger waits until the rest of the tree has ended by itself or is to be ended.
func (p *Process) linger() {
	if p.link != nil {
		p.cmd.Wait()
		p.link.close()
		return
	}
	if len(treeOf(p.PID(), p.marker)) > 0 {
		<-p.endings
		killTree(p.PID(), p.marker)
	}
	p.collect()
}

// collect lets the kernel forget the direct child, whose status is known.
func (p *Process) collect() { p.cmd.Wait() }

// exitOf reads what wait4 tells.
func exitOf(status syscall.WaitStatus) (code int, signal string) {
	if status.Signaled() {
		return -1, unix.SignalName(status.Signal())
	}
	return status.ExitStatus(), ""
}

// terminate asks the tree to end.
func (p *Process) terminate() {
	if p.link != nil {
		p.link.say(lineTerm)
		return
	}
	for _, pid := range treeOf(p.PID(), p.marker) {
		unix.Kill(pid, unix.SIGTERM)
	}
}

// kill ends the tree. A supervisor that does not do it in time is killed itself.
func (p *Process) kill() {
	if p.link == nil {
		killTree(p.PID(), p.marker)
		return
	}
	p.link.say(lineKill)
	select {
	case <-p.gone:
		return
	case <-time.After(lastResort):
	}
	if p.link.saves.Load() {
		select {
		case <-p.gone:
			return
		case <-time.After(saveTime):
		}
	}
	p.cmd.Process.Kill()
}
