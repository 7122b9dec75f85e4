package upstream

import (
	"io"
	"time"

	"helve/internal/spawn"
)

// A Launcher starts programs in a way of its own: confined, say.
type Launcher interface {
	Launch(Command) (Process, error)
}

// A Command is a program that a Launcher starts.
type Command struct {
	Argv   []string
	Dir    string
	Env    []string  // the whole environment
	Set    []string  // the part of it that the configuration sets
	Stderr io.Writer // written to until the process has ended
}

// A Process is a program that was started.
type Process interface {
	// Pipe is the same two at every call.
	Pipe() (stdin io.WriteCloser, stdout io.Reader)
	// Done is closed when the program has ended, with all that it started.
	Done() <-chan struct{}
	// Exit says how it ended, after Done: exit status 1, ended by SIGKILL.
	Exit() string
	// End closes stdin, waits for grace, ends the whole tree, and returns when
	// it is gone.
	End(grace time.Duration)
}

type plainLauncher struct{}

type plainProcess struct{ *spawn.Process }

func (plainLauncher) Launch(c Command) (Process, error) {
	p, err := spawn.Start(spawn.Spec{Argv: c.Argv, Dir: c.Dir, Env: c.Env, Stderr: c.Stderr})
	if err != nil {
		return nil, err
	}
	return plainProcess{p}, nil
}

func (p plainProcess) Pipe() (io.WriteCloser, io.Reader) { return p.Stdin, p.Stdout }
func (p plainProcess) Exit() string                      { return p.Process.Exit().String() }
