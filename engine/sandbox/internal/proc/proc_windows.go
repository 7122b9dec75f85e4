package proc

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"helve/internal/job"
)

// start starts the command in a job object that ends everything in it when it is closed.
func (p *Process) start() error {
	cmd, done, err := p.command()
	if err != nil {
		return err
	}
	defer done()
	p.cmd = cmd
	if p.spec.Token != 0 {
		p.cmd.SysProcAttr = &syscall.SysProcAttr{Token: syscall.Token(p.spec.Token)}
	}
	limits := job.Limits{
		Processes: p.spec.Bounds.Processes,
		Memory:    p.spec.Bounds.Memory,
		Apart:     p.spec.Token != 0,
	}
	started, err := job.Start(p.cmd, limits)
	if err != nil {
		return err
	}
	p.job.Store(started)
	return nil
}

func (p *Process) await() Exit {
	p.cmd.Wait()
	return Exit{Code: p.cmd.ProcessState.ExitCode()}
}

// kill ends everything in the job.
func (p *Process) kill() {
	if j := p.job.Load(); j != nil {
		j.End()
	}
}

func (p *Process) terminate() { p.kill() } // there is no polite way

// pass ends the tree, which is all that a signal can mean here.
func (p *Process) pass(os.Signal) { p.kill() }

func (p *Process) reap() {
	if j := p.job.Load(); j != nil {
		j.Close() // which ends what is left in it
	}
}

func (p *Process) linger() {
	<-p.endings
	p.reap()
}

// tempFile is deleted by closeTemp: an open file cannot be deleted here.
func tempFile(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "output-"+strconv.Itoa(os.Getpid())+"-*")
	if err != nil {
		return nil, err
	}
	name := f.Name()
	f.Close()
	return os.OpenFile(name, os.O_RDWR, 0o600)
}

func closeTemp(f *os.File) error { return errors.Join(f.Close(), os.Remove(f.Name())) }

// places are where Git for Windows puts its bash: its installer adds another folder to PATH.
func places(name string, env []string) []string {
	if name != "bash" {
		return nil
	}
	var out []string
	for _, v := range []string{"PROGRAMFILES", "LOCALAPPDATA"} {
		if dir := variable(env, v); dir != "" {
			out = append(out, filepath.Join(dir, "Git", "bin"), filepath.Join(dir, "Programs", "Git", "bin"))
		}
	}
	return out
}

// foreign tells that a folder's bash is that of WSL, which lies in the folder of Windows: it has a file system and
// paths of its own, so that a command would not run where it was judged.
func foreign(name, dir string, env []string) bool {
	root := variable(env, "SYSTEMROOT")
	if name != "bash" || root == "" {
		return false
	}
	rel, err := filepath.Rel(root, dir)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, `..\`)
}
