package proc

import (
	"os"
	"time"
)

// Spec describes a command. Argv is required, the rest is optional.
type Spec struct {
	// Argv is the program and its arguments; a program without a slash is looked up in the PATH of Env.
	Argv []string
	// Dir is where it starts; empty: here.
	Dir string
	// Env is the whole environment. Nil is an empty one.
	Env []string
	// Stdin is what it can read. Nil: nothing.
	Stdin []byte
	// In and Out are the command's stdin and stdout where the caller talks to it: its ends of two pipes, which Start
	// closes here. Stdin is then of no meaning, and Process.Stdout stays empty.
	In, Out *os.File
	// Err is its stderr, where the caller wants it as it comes. Process.Stderr then stays empty. Start closes it here.
	Err *os.File
	// Extra is descriptor 3 of the command, for what it tells the caller beside its output; not on Windows. nil: it has
	// none. Start closes it here.
	Extra *os.File
	// Tee gets what the command prints as it comes, before that is kept, from one goroutine for each stream: while it
	// waits, so does the command. Its error closes the stream, as a reader that goes away does. nil: nobody does.
	Tee func(Chunk) error
	// Joined has the command print stdout and stderr into one stream, which is Process.Stdout: what it prints keeps its
	// order.
	Joined bool
	// Terminal becomes the command's own, on Linux: its stdout, and what else the terminal says. It can open /dev/tty,
	// and the signals of the keyboard reach it. nil: it has none.
	Terminal *Terminal
	// Keep bounds the bytes of each stream that stay readable; the middle of a longer one is dropped. Zero:
	// DefaultKeep.
	Keep int64
	// Timeout ends the command after this time, Idle after this time without output. Zero: never.
	Timeout, Idle time.Duration
	// Bounds are what all its processes may use together. They are kept on Linux, with a Supervisor, and on Windows,
	// but for that of a folder.
	Bounds Bounds
	// Grace after SIGTERM. Zero: DefaultGrace.
	Grace time.Duration
	// Lasting says that the command is a server that is talked to for long. Where a namespace holds its processes, it
	// stays in the session of this process, in a group of its own (the scheduler weighs sessions against each other),
	// and what watches over it is small. Its terminal must be out of its reach then. Not with Leave.
	Lasting bool
	// Once says that this process starts no other command: no launcher is set waiting for the next one.
	Once bool
	// Leave lets the tree live on when its first process ends, until Stop or Close.
	Leave bool
	// Progress gets new output as it comes, at most 20 times a second, one call at a time. It must not block for long.
	Progress func(Chunk)
	// TempDir for the output files, which have no name there. Empty: the system's.
	TempDir string
	// After is called once, when the tree has ended, before anybody who waits for that is told.
	After func()
	// Supervisor runs the command in place of this process. Nil: it is a direct child.
	Supervisor *Supervisor
	// Token is a token of Windows to start the command with, which the caller closes when Start has returned. A command
	// that has one is kept from the person's session: clipboard, desktop, windows of others. Zero: that of this
	// process.
	Token uintptr
}

// A Terminal is a pair of a terminal's ends, both of which Start closes here.
type Terminal struct {
	Here, There *os.File // what is read and written here, and what the command gets as its terminal
	In, Err     bool     // its stdin, its stderr are the terminal, too
}

// Chunk is a piece of output.
type Chunk struct {
	Stderr bool
	Data   []byte
}

// Exit tells how the first process ended.
type Exit struct {
	// Code is the exit status; -1 when a signal ended it.
	Code int
	// Signal is the name of the signal that ended it: SIGKILL. Empty: none.
	Signal string
	// TimedOut, Idle and Cancelled tell why it was ended from here.
	TimedOut, Idle, Cancelled bool
	// Stopped says that Stop or Close ended it.
	Stopped  bool
	Duration time.Duration
	// Left names what the command left where it is lost, as far as the supervisor's setup looks for it. Not with
	// Spec.Leave.
	Left []string
	// Lost says why the supervisor could not save what it was to save.
	Lost string
	// Over says in words which of Spec.Bounds the tree exceeded: it was ended because of that. Empty: none.
	Over string
}

func (s Spec) filled() Spec {
	if s.Keep <= 0 {
		s.Keep = DefaultKeep
	}
	if s.Grace <= 0 {
		s.Grace = DefaultGrace
	}
	if s.Env == nil {
		s.Env = []string{}
	}
	return s
}

// stdout is where the command prints to.
func (s Spec) stdout() (*Output, error) {
	if s.Terminal != nil {
		return newOutputOn(s.Terminal.Here, s.Terminal.There, s.TempDir, s.Keep, s.tee(false))
	}
	return newOutput(s.TempDir, s.Keep, s.tee(false))
}

// tee is Tee for one stream; nil: nobody gets what is printed there.
func (s Spec) tee(stderr bool) func([]byte) error {
	if s.Tee == nil {
		return nil
	}
	return func(data []byte) error { return s.Tee(Chunk{Stderr: stderr, Data: data}) }
}

// extra are the descriptors of the command from 3 on.
func (s Spec) extra() []*os.File {
	if s.Extra == nil {
		return nil
	}
	return []*os.File{s.Extra}
}
