//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// own gives a program a group of its own, which ends with it when its time is over.
func own(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// endGroup ends a process with its group.
func endGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
