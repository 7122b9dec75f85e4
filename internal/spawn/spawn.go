// Package spawn starts programs that are talked to through pipes, and ends them with everything
// that they started.
package spawn

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"helve/internal/pipes"
)

const (
	// drainTime is how long stderr stays open after the whole tree is gone: a program that hid from
	// the hunt may hold the pipe open for ever. While there are words in it that nobody has read,
	// that begins anew, at most drainRounds times: such a program may go on to talk.
	drainTime   = 300 * time.Millisecond
	drainRounds = 20
	// termTime lies between the request to end (SIGTERM) and the end (SIGKILL).
	termTime = 300 * time.Millisecond
	// killRounds bounds the hunt for processes that fork faster than they are ended.
	killRounds = 50
	// markName is the variable by which the children of a program are known, wherever they went.
	markName = "HELVE_TREE"
)

// A Spec describes a program. Argv is required.
type Spec struct {
	Argv   []string  // a program without a slash is looked up in the absolute folders of Env's PATH
	Dir    string    // where it starts; "" means here
	Env    []string  // the whole environment
	Stderr io.Writer // nil: thrown away
}

// A Process is a running program. Its methods are safe for concurrent use.
type Process struct {
	Stdin  *os.File // the caller writes; has deadlines
	Stdout *os.File // the caller reads; ends when the program and all that it started are gone

	cmd  *exec.Cmd
	tree tree
	mark string
	done chan struct{}
	exit Exit
	once sync.Once
}

// An Exit is how a program ended.
type Exit struct {
	Code   int    // exit status, -1 if a signal ended it
	Signal string // SIGKILL; "" if none did
	Err    error  // it could not be waited for
}

func (e Exit) String() string {
	switch {
	case e.Signal != "":
		return "ended by " + e.Signal
	case e.Err != nil:
		return e.Err.Error()
	}
	return fmt.Sprintf("exit status %d", e.Code)
}

// Start runs the program. The caller must End it.
func Start(s Spec) (*Process, error) {
	if len(s.Argv) == 0 || s.Argv[0] == "" {
		return nil, errors.New("start: no program given")
	}
	path, err := LookPath(s.Argv[0], s.Env)
	if err != nil {
		return nil, err
	}
	var id [8]byte
	rand.Read(id[:]) // never fails
	p := &Process{mark: markName + "=" + hex.EncodeToString(id[:]), done: make(chan struct{})}
	p.cmd = &exec.Cmd{
		Path:        path,
		Args:        s.Argv,
		Dir:         s.Dir,
		Env:         append(slices.Clip(s.Env), p.mark),
		SysProcAttr: ownGroup(),
	}
	errs, err := p.open(s)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", s.Argv[0], err)
	}
	drained := make(chan struct{})
	// A program that nobody listens to would wait as soon as the pipe is full.
	go func() {
		defer close(drained)
		w := s.Stderr
		if w == nil {
			w = io.Discard
		}
		io.Copy(w, errs)
	}()
	go p.wait(errs, drained)
	return p, nil
}

// open makes the pipes and starts the program with their other ends.
func (p *Process) open(s Spec) (*os.File, error) {
	var ours, theirs []*os.File
	shut := func(files []*os.File) {
		for _, f := range files {
			f.Close()
		}
	}
	for i := range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			shut(ours)
			shut(theirs)
			return nil, err
		}
		if i == 0 { // of the first we write
			r, w = w, r
		}
		ours, theirs = append(ours, r), append(theirs, w)
	}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirs[0], theirs[1], theirs[2]
	err := p.tree.start(p.cmd)
	shut(theirs)
	if err != nil {
		shut(ours)
		return nil, err
	}
	p.Stdin, p.Stdout = ours[0], ours[1]
	return ours[2], nil
}

// wait collects the program, and ends what it left behind.
func (p *Process) wait(errs *os.File, drained chan struct{}) {
	err := p.cmd.Wait()
	p.hunt()
	p.tree.release()
	drain(errs, drained)
	p.exit = exitOf(p.cmd.ProcessState, err)
	close(p.done)
}

// drain waits until the last words are read, and closes the pipe.
func drain(errs *os.File, drained chan struct{}) {
	for range drainRounds {
		select {
		case <-drained:
			errs.Close()
			return
		case <-time.After(drainTime):
		}
		if pipes.Unread(errs) == 0 {
			break
		}
	}
	errs.Close()
	<-drained
}

func exitOf(st *os.ProcessState, err error) Exit {
	if st == nil {
		return Exit{Code: -1, Err: err}
	}
	if sig := signalName(st); sig != "" {
		return Exit{Code: -1, Signal: sig}
	}
	return Exit{Code: st.ExitCode()}
}

// Done is closed when the program and all that it started are gone.
func (p *Process) Done() <-chan struct{} { return p.done }

// Exit is how the program ended. It waits for that.
func (p *Process) Exit() Exit {
	<-p.done
	return p.exit
}

// PID is the program's process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// End closes the program's stdin, gives it grace to leave, asks it to, and then ends it and all
// that it started; without grace at once. It returns when nothing is left. Both pipes are closed.
func (p *Process) End(grace time.Duration) {
	p.once.Do(func() {
		p.Stdin.Close()
		if !p.gone(grace) {
			if grace > 0 {
				interrupt(p.cmd.Process)
			}
			if !p.gone(min(grace, termTime)) {
				p.hunt()
			}
		}
	})
	<-p.done
	p.Stdout.Close()
}

func (p *Process) gone(within time.Duration) bool {
	if within <= 0 {
		return false
	}
	t := time.NewTimer(within)
	defer t.Stop()
	select {
	case <-p.done:
		return true
	case <-t.C:
		return false
	}
}

// hunt ends the program's group and everything that carries its mark.
func (p *Process) hunt() {
	for range killRounds {
		p.tree.kill(p.cmd.Process)
		if killMarked(p.mark) == 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// ErrNotFound says that a program is in none of the absolute folders of PATH.
var ErrNotFound = errors.New("not found in the absolute folders of PATH")

// LookPath finds a program in the absolute folders of env's PATH: a relative folder would find
// programs of the workspace. A name with a slash stays as it is.
func LookPath(name string, env []string) (string, error) {
	if strings.ContainsRune(name, '/') || strings.ContainsRune(name, os.PathSeparator) {
		return name, nil
	}
	path := ""
	for _, e := range env {
		have, v, _ := strings.Cut(e, "=")
		if have == "PATH" || runtime.GOOS == "windows" && strings.EqualFold(have, "PATH") {
			path = v
		}
	}
	for _, d := range filepath.SplitList(path) {
		if !filepath.IsAbs(d) {
			continue
		}
		if full, err := exec.LookPath(filepath.Join(d, name)); err == nil {
			return full, nil
		}
	}
	return "", fmt.Errorf("start %s: %w", name, ErrNotFound)
}

// inherited are the variables that every program may see. Everything else is named by the
// configuration: the environment of an agent holds keys.
var inherited = [...]string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LANGUAGE", "TZ", "TMPDIR",
	"SSL_CERT_FILE", "SSL_CERT_DIR",
	// Windows
	"APPDATA", "LOCALAPPDATA", "PROGRAMFILES", "PROGRAMDATA", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR",
	"COMSPEC", "PATHEXT", "TEMP", "TMP", "USERNAME", "USERPROFILE", "HOMEDRIVE", "HOMEPATH",
}

// Environ is the allow-listed part of environ, with the variables of extra over it.
func Environ(environ []string, extra map[string]string) []string {
	var out []string
	for _, e := range environ {
		name, _, _ := strings.Cut(e, "=")
		if _, own := extra[name]; !own && allowed(name) {
			out = append(out, e)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(extra)) {
		out = append(out, k+"="+extra[k])
	}
	return out
}

func allowed(name string) bool {
	if runtime.GOOS == "windows" {
		name = strings.ToUpper(name)
	}
	if strings.HasPrefix(name, "LC_") {
		return true
	}
	for _, a := range inherited {
		if name == a {
			return true
		}
	}
	return false
}
