//go:build unix

package spawn

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func interrupt(p *os.Process) { syscall.Kill(-p.Pid, syscall.SIGTERM) }

// A tree is a program with what it started: its process group.
type tree struct{}

func (tree) start(cmd *exec.Cmd) error { return cmd.Start() }

func (tree) kill(p *os.Process) { syscall.Kill(-p.Pid, syscall.SIGKILL) }

func (tree) release() {}

func signalName(st *os.ProcessState) string {
	if ws, ok := st.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return unix.SignalName(ws.Signal())
	}
	return ""
}
