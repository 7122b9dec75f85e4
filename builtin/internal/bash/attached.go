package bash

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"helve/engine/sandbox"
	"helve/internal/rewritten"
)

// Attached is how somebody stands to the one command that they have bash run: their streams are its own, its time is
// theirs, and nothing is tried in its place. What decides about it and what is kept of it is as for every call.
type Attached struct {
	// In is what the command reads; it stays open here. nil: nothing.
	In *os.File
	// Out and Err get what it prints as it comes, each from a goroutine of its own, Err nothing where Joined says that
	// both are one. An error of theirs closes the stream. nil: the result alone has it.
	Out, Err io.Writer
	Joined   bool
	// Terminal is one of the command's own, to which In and Out lead; both ends stay open here. nil: it has none.
	Terminal *sandbox.Terminal

	// Started is called when the command runs, with a way to send it signals. nil: nobody wants to.
	Started func(signal func(os.Signal))
	// Ended gets the folder in which its shell ended, where it succeeded: one that the command made is there when the
	// call returns. nil: nobody wants to know.
	Ended func(dir string)

	// GoesOn says that it goes on beside other work, as a server does: what it changes is not held back, and what its
	// shell leaves behind stays until it ends. Exited is called when the shell has ended; nil: nobody wants to know.
	GoesOn bool
	Exited func(sandbox.Exit)
	// Client names the program whose hook judged the line and let it run. Where helve cannot confine the command, the
	// client's own sandbox is taken to. AsItIs says that helve cannot even write its state, and the command runs as it
	// is. "": nobody judged it before.
	Client string
	AsItIs bool
	// Temp is what the command finds as /tmp; it may be shared with others of the same conversation. nil: a folder that
	// ends with it.
	Temp Temp
}

// A Temp is a folder that a command finds as /tmp and that outlives it; package internal/scratch has them.
type Temp interface {
	// Dir is where it lies.
	Dir() string
	// Bring copies what stands at these paths of the machine's, but for what is hidden.
	Bring(paths []string, hidden func(path string) bool) error
	// Leave copies what is new to the machine's, and names what is not there as it is here.
	Leave() (left []string, err error)
}

// goesOn says that nothing of the command is held back.
func (a *Attached) goesOn() bool { return a != nil && a.GoesOn }

// confinedElsewhere says that helve confines nothing.
func (a *Attached) confinedElsewhere() bool { return a != nil && a.AsItIs && a.Client != "" }

// gap says who confines a command that helve does not, "" where nobody vouches for it.
func (a *Attached) gap() string {
	if a == nil || a.Client == "" {
		return ""
	}
	return "helve confines nothing here: confined by " + a.Client
}

// to makes the process of a command that of whoever is attached.
func (a *Attached) to(s *sandbox.Spec, c *command) {
	if a == nil {
		return
	}
	s.Timeout, s.Idle = 0, 0
	s.Leave = a.GoesOn
	s.Joined = a.Joined
	if a.Out != nil {
		s.Tee = a.tee
	}
	if a.Ended != nil {
		s.Argv[len(s.Argv)-1] = following(c.in.Command)
	}
}

// tee passes on what the command printed.
func (a *Attached) tee(piece sandbox.Chunk) error {
	w := a.Out
	if piece.Stderr && a.Err != nil {
		w = a.Err
	}
	_, err := w.Write(piece.Data)
	return err
}

// following is a line whose shell says by descriptor 3 where it ended, if it succeeded. The line itself has no such
// descriptor.
func following(line string) string { return "eval " + rewritten.Quote(line) + " 3>&- && pwd -P >&3" }

// told is what comes by descriptor 3.
type told struct{ r *os.File }

func (t told) close() error {
	if t.r == nil {
		return nil
	}
	return t.r.Close()
}

const (
	// toldTime is how long the folder may take to be read when everything has ended that could tell it.
	toldTime = time.Second
	// maxFolder bounds the path of a folder, in bytes: Linux has 4 KiB.
	maxFolder = 4 << 10
)

// folder is the one that was told, "" for none.
func (t told) folder() string {
	t.r.SetReadDeadline(time.Now().Add(toldTime))
	text, err := io.ReadAll(io.LimitReader(t.r, maxFolder+1))
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) || len(text) > maxFolder {
		return ""
	}
	dir, ended := strings.CutSuffix(string(text), "\n")
	if !ended || !filepath.IsAbs(dir) {
		return ""
	}
	return dir
}

// open opens the streams of a process, which closes its own.
func (a *Attached) open(s sandbox.Spec) (sandbox.Spec, told, error) {
	if a == nil {
		return s, told{}, nil
	}
	var all opened
	if a.In != nil {
		s.In = all.duplicate(a.In)
	}
	if a.Terminal != nil {
		own := *a.Terminal
		own.Here, own.There = all.duplicate(own.Here), all.duplicate(own.There)
		s.Terminal = &own
	}
	var t told
	if a.Ended != nil {
		t.r, s.Extra = all.pipe()
	}
	if all.err != nil {
		all.close()
		return s, told{}, all.err
	}
	return s, t, nil
}

// opened are files that are opened together; after the first error nothing more is.
type opened struct {
	files []*os.File
	err   error
}

func (o *opened) duplicate(f *os.File) *os.File {
	if o.err != nil {
		return nil
	}
	own, err := duplicate(f)
	o.add(err, own)
	return own
}

func (o *opened) pipe() (r, w *os.File) {
	if o.err != nil {
		return nil, nil
	}
	r, w, err := os.Pipe()
	o.add(err, r, w)
	return r, w
}

func (o *opened) add(err error, files ...*os.File) {
	o.err = err
	if err == nil {
		o.files = append(o.files, files...)
	}
}

func (o *opened) close() {
	for _, f := range o.files {
		f.Close()
	}
}

// stay waits until all has ended that a command left behind which goes on, or until ctx is done.
func (a *Attached) stay(ctx context.Context, p *sandbox.Process, exit sandbox.Exit) {
	if !a.goesOn() {
		return
	}
	if a.Exited != nil {
		a.Exited(exit)
	}
	select {
	case <-p.Gone():
	case <-ctx.Done():
		p.Stop()
	}
}

// started says that the command runs.
func (a *Attached) started(p *sandbox.Process) {
	if a != nil && a.Started != nil {
		a.Started(p.Signal)
	}
}

// ended says where the shell of the command ended.
func (a *Attached) ended(exit sandbox.Exit, t told) {
	defer t.close()
	if a == nil || a.Ended == nil || exit.Code != 0 {
		return
	}
	if dir := t.folder(); dir != "" {
		a.Ended(dir)
	}
}

// unattended are the settings that keep programs from waiting for a person. One at a terminal is there.
var unattended = []string{"TERM=dumb", "PAGER=cat", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0"}

// environ is the environment of a command: at a terminal programs know which it is, and wait for a person.
func (a *Attached) environ(env, whole []string) []string {
	if a == nil || a.Terminal == nil {
		return env
	}
	env = slices.DeleteFunc(env, func(e string) bool { return slices.Contains(unattended, e) })
	for _, e := range whole {
		if name, _, _ := strings.Cut(e, "="); name == "TERM" {
			env = append(env, e)
		}
	}
	return env
}
