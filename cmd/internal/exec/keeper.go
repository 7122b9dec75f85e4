package exec

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"helve/cmd/internal/command"
	"helve/engine/sandbox"
)

// A line that ends in the background (server &) is over for whoever waits when its shell has ended, and what it left
// behind goes on. Two processes run it: the one that was called starts a copy of itself, the keeper, and ends when that
// says so; the keeper stays, with the confinement and the record, until nothing of the line is left. It is in the same
// group and session as what a shell leaves behind, and ends with those.

// keeperVariable tells a keeper by which descriptor it says that the shell has ended.
const keeperVariable = "HELVE_EXEC_KEEPER"

// keeperFD is that descriptor.
const keeperFD = 3

// maxKept bounds what a keeper says, in bytes: a status and a folder.
const maxKept = 16 << 10

// kept is what a keeper says when the shell has ended.
type kept struct {
	Status int    `json:"status"`
	Folder string `json:"folder,omitempty"` // in which it ended
}

// keeperOf is the descriptor of a keeper, and the environment without the word for it; 0: this process is none.
func keeperOf(e command.Environment) (int, []string) {
	if e.Getenv(keeperVariable) != strconv.Itoa(keeperFD) {
		return 0, e.Environ
	}
	isWord := func(kv string) bool { return strings.HasPrefix(kv, keeperVariable+"=") }
	return keeperFD, slices.DeleteFunc(slices.Clone(e.Environ), isWord)
}

// leave runs the command by a keeper, and ends when its shell has.
func (e *execution) leave(ctx context.Context) error {
	r, w, err := os.Pipe()
	if err != nil {
		return command.Failed(err)
	}
	defer r.Close()
	self, err := os.Executable()
	if err != nil {
		return command.Failed(errors.Join(err, w.Close()))
	}
	command.TakeSignals(ctx)
	cmd := exec.Command(self)
	cmd.Args = os.Args // what this process was asked for, under the name that it has
	cmd.Dir = e.s.Dir
	cmd.Env = append(slices.Clip(e.s.Environ), fmt.Sprintf("%s=%d", keeperVariable, keeperFD))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = e.s.Stdin, e.s.Stdout, e.s.Stderr
	cmd.ExtraFiles = []*os.File{w}
	err = errors.Join(cmd.Start(), w.Close())
	if err != nil {
		return command.Failed(err)
	}
	stop := passOn(cmd.Process)
	defer stop()
	var said kept
	text, err := io.ReadAll(io.LimitReader(r, maxKept))
	if err == nil && json.Unmarshal(text, &said) == nil {
		if e.cwdFD > 0 && said.Folder != "" && isDir(said.Folder) {
			err = tellFolder(e.cwdFD, said.Folder)
		}
		return errors.Join(err, cmd.Process.Release(), &command.ExitError{Status: said.Status})
	}
	err = cmd.Wait() // it ended before, and has said why
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
		return command.Failed(err)
	}
	return &command.ExitError{Status: max(cmd.ProcessState.ExitCode(), 0)}
}

// passOn passes signals on that reach this process alone, until stop is called. Those of the keyboard reach both.
func passOn(p *os.Process) (stop func()) {
	heard := make(chan os.Signal, 4)
	signal.Notify(heard, syscall.SIGTERM, syscall.SIGHUP)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for sig := range heard {
			_ = p.Signal(sig) // one that has ended needs none
		}
	}()
	return func() {
		signal.Stop(heard)
		close(heard)
		<-done
	}
}

// tellEnded says to whoever started this keeper that the shell of the command has ended.
func (a *attachment) tellEnded(fd int) func(sandbox.Exit) {
	return func(exit sandbox.Exit) {
		said := kept{Status: max(exit.Code, 0)}
		if exit.Signal != "" {
			said.Status = signalled + signalNumber(exit.Signal)
		}
		if dir := a.ended.Load(); dir != nil {
			said.Folder = *dir
		}
		text, err := json.Marshal(said)
		if err != nil {
			return
		}
		f := os.NewFile(uintptr(fd), "keeper")
		_, _ = f.Write(text) // who is gone need not know
		_ = f.Close()
	}
}
