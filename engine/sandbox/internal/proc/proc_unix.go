//go:build unix && !linux

package proc

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// start starts the command in a session of its own. Without Linux's means a child that leaves the session is not
// found again.
func (p *Process) start() error {
	cmd, done, err := p.command()
	if err != nil {
		return err
	}
	defer done()
	cmd.ExtraFiles = p.spec.extra()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	p.cmd = cmd
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
