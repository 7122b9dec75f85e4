//go:build unix && !linux

package proc

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// start starts the command in a session of its own. Without Linux's means a child that leaves the session is not
// found again.
func (p *Process) start() error {
	s := p.spec
	if s.Supervisor != nil {
		return errors.New("a supervisor needs Linux")
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
	p.cmd = &exec.Cmd{
		Path:        path,
		Args:        s.Argv,
		Dir:         s.Dir,
		Env:         s.Env,
		Stdin:       stdin,
		Stdout:      stdout,
		Stderr:      p.stderr(),
		ExtraFiles:  s.extra(),
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	return p.cmd.Start()
}

// await collects the first process. Its number is free from then on, but not that of its group while a member lives.
func (p *Process) await() Exit {
	p.cmd.Wait()
	status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	switch {
	case !ok:
		return Exit{Code: -1}
	case status.Signaled():
		return Exit{Code: -1, Signal: unix.SignalName(status.Signal())}
	}
	return Exit{Code: status.ExitStatus()}
}

// group signals the whole session. That there is no such group means that it has ended.
func (p *Process) group(sig syscall.Signal) { syscall.Kill(-p.PID(), sig) }

func (p *Process) reap()      { p.group(syscall.SIGKILL) }
func (p *Process) terminate() { p.group(syscall.SIGTERM) }
func (p *Process) kill()      { p.group(syscall.SIGKILL) }

// pass sends a signal to the whole session.
func (p *Process) pass(sig os.Signal) {
	if number, ok := sig.(syscall.Signal); ok {
		p.group(number)
	}
}

// linger waits until what is left of the session is to be ended.
func (p *Process) linger() {
	if syscall.Kill(-p.PID(), 0) != nil {
		return
	}
	<-p.endings
	p.group(syscall.SIGKILL)
}

// tempFile has no name, so that nothing is left if this process is killed.
func tempFile(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "output-*")
	if err != nil {
		return nil, err
	}
	name := f.Name()
	f.Close()
	f, err = os.OpenFile(name, os.O_RDWR, 0o600)
	return f, errors.Join(err, os.Remove(name))
}

func closeTemp(f *os.File) error { return f.Close() }

func stdinFile(dir string, data []byte) (*os.File, error) {
	if data == nil {
		return os.Open(os.DevNull)
	}
	f, err := tempFile(dir)
	if err != nil {
		return nil, err
	}
	if _, err := f.Write(data); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	_, err = f.Seek(0, 0)
	return f, err
}
