package spawn

import (
	"os"
	"os/exec"
	"syscall"

	"helve/internal/job"
)

func ownGroup() *syscall.SysProcAttr { return nil }

// interrupt ends the program: there is no request that every program understands. Its stdin was closed before.
func interrupt(p *os.Process) { p.Kill() }

// A tree is a program with what it started: its job object.
type tree struct{ job *job.Job }

func (t *tree) start(cmd *exec.Cmd) (err error) {
	t.job, err = job.Start(cmd, job.Limits{})
	return err
}

func (t *tree) kill(*os.Process) { t.job.End() }

func (t *tree) release() { t.job.Close() }

func signalName(*os.ProcessState) string { return "" }
