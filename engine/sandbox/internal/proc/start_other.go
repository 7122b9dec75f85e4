//go:build !linux

package proc

import (
	"errors"
	"os"
	"os/exec"
)

// ExitRefused is the exit status of a supervisor that could not start the command.
const ExitRefused = 125

// Supervisors need Linux; Start refuses them elsewhere.
type (
	link     struct{}
	Prepared struct{}
)

// command makes the command as far as it is the same on all systems. done closes what it is fed from once it has
// started.
func (p *Process) command() (cmd *exec.Cmd, done func(), err error) {
	s := p.spec
	if s.Supervisor != nil {
		return nil, nil, errors.New("a supervisor needs Linux")
	}
	stdin, stdout, done, err := p.stdio()
	if err != nil {
		return nil, nil, err
	}
	path, err := lookPath(s.Argv[0], s.Dir, s.Env)
	if err != nil {
		done()
		return nil, nil, err
	}
	cmd = &exec.Cmd{
		Path:   path,
		Args:   s.Argv,
		Dir:    s.Dir,
		Env:    s.Env,
		Stdin:  stdin,
		Stdout: stdout,
		Stderr: p.stderr(),
	}
	return cmd, done, nil
}

// fromStart is the file, to be read from its beginning.
func fromStart(f *os.File) (*os.File, error) {
	_, err := f.Seek(0, 0)
	return f, err
}
