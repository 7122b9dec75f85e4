package neighbours

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// fullFor is how long the disk is full, stoppedFor how long who is stopped stands.
const (
	fullFor    = time.Second
	stoppedFor = 1500 * time.Millisecond
)

// strike deals a blow. What is returned ends what it left.
func (w *world) strike(b blow, running *sync.Map) (over func()) {
	w.Helper()
	var p *program
	for _, h := range w.helves {
		if h.name == b.on {
			p = h.program
		}
	}
	if found, ok := running.Load(b.on); ok {
		p = found.(*program)
	}
	over = func() {}
	switch b.kind {
	case "kill":
		signal(p, syscall.SIGKILL)
		over = func() { w.terminated(b.on, p) } // what still holds its pipes does so for a second
	case "stop":
		signal(p, syscall.SIGSTOP)
		time.Sleep(stoppedFor)
		signal(p, syscall.SIGCONT)
	case "term":
		signal(p, syscall.SIGTERM)
		over = func() { w.terminated(b.on, p) }
	case "server":
		w.killServers()
	case "disk":
		w.fill()
	case "clock":
		w.ahead()
	case "git":
		w.commit()
	case "person":
		w.edits()
	}
	return over
}

// signal signals a program that runs.
func signal(p *program, s os.Signal) {
	if p != nil {
		p.Process.Signal(s) // one that has ended takes none
	}
}

// terminated waits for the end of who was asked to end.
func (w *world) terminated(who string, p *program) {
	w.Helper()
	if p != nil && !p.within(stopBound) {
		w.broke("stops", "%s runs %v after SIGTERM", who, stopBound)
	}
}

// killServers kills the servers of everybody that are well, and has their helves asked at once.
func (w *world) killServers() {
	w.Helper()
	for _, p := range processes() {
		if strings.Contains(p.line, "/bin/server well") {
			syscall.Kill(p.pid, syscall.SIGKILL)
		}
	}
	for i, h := range w.helves {
		if h.serving() {
			h.again("note", fmt.Sprint("s", w.round.n, "-", i))
		}
	}
}

// fill has the disk be full for a while, where it is a small one of its own.
func (w *world) fill() {
	w.Helper()
	if !w.small {
		w.tell("no file system of its own can be mounted here: the disk is never full")
		return
	}
	name := filepath.Join(w.top, "full")
	f, err := os.Create(name)
	w.must(err)
	for block := make([]byte, 1<<20); err == nil; {
		_, err = f.Write(block)
	}
	f.Close()
	time.Sleep(fullFor)
	w.must(os.Remove(name))
}

// ahead has all that helve keeps stand an hour in the future, as it does when the clock was set back. The clock itself
// is the machine's.
func (w *world) ahead() {
	future := time.Now().Add(time.Hour)
	for _, dir := range []string{"home/state", "home/cache", "ws"} {
		filepath.WalkDir(filepath.Join(w.top, dir), func(path string, e fs.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() && !strings.Contains(path, "/.git/") {
				os.Chtimes(path, future, future) // what has gone meanwhile has no time
			}
			return nil
		})
	}
}

// edits has a person edit files: one that nobody else has, and one that commands append to.
func (w *world) edits() {
	w.Helper()
	w.person(fmt.Sprint("person", w.round.n%7, ".txt"), fmt.Sprint("a person, round ", w.round.n, "\n"))
	f, err := os.OpenFile(w.path("shared.txt"), os.O_APPEND|os.O_WRONLY, 0)
	w.must(err)
	defer f.Close()
	_, err = fmt.Fprintln(f, "a person, round", w.round.n)
	w.must(err)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lines = append(w.lines, fmt.Sprint("a person, round ", w.round.n))
}
