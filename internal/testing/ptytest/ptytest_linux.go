package ptytest

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// patience is how long a text or an end is waited for, on a machine that does much else.
const patience = 60 * time.Second

// A Terminal has one program on it.
type Terminal struct {
	t      testing.TB
	master *os.File
	cmd    *exec.Cmd
	ended  chan struct{}

	mu  sync.Mutex
	raw strings.Builder
	scr screen
}

// Start runs a program whose standard input, output and error are a terminal of so many columns. It is ended with the test.
func Start(t testing.TB, cmd *exec.Cmd, columns int) *Terminal {
	t.Helper()
	master, slave, err := open(columns)
	if err != nil {
		t.Skipf("needs pseudo-terminals: %v", err)
	}
	x := &Terminal{t: t, master: master, cmd: cmd, ended: make(chan struct{}), scr: screen{columns: columns}}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	slave.Close()
	go x.read()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-x.ended
		master.Close()
	})
	return x
}

func open(columns int) (master, slave *os.File, err error) {
	master, err = os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	fd := int(master.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 50, Col: uint16(columns)})
	}
	if err == nil {
		slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		master.Close()
	}
	return master, slave, err
}

// read keeps what the program writes, until it has ended and all is read.
func (x *Terminal) read() {
	defer close(x.ended)
	buf := make([]byte, 4096)
	for {
		n, err := x.master.Read(buf) // EIO when no program has the terminal any more
		x.mu.Lock()
		x.raw.Write(buf[:n])
		x.scr.write(string(buf[:n]))
		x.mu.Unlock()
		if err != nil {
			break
		}
	}
	_ = x.cmd.Wait() // its status is asked for
}

// Press types.
func (x *Terminal) Press(keys string) {
	x.t.Helper()
	if _, err := x.master.WriteString(keys); err != nil {
		x.t.Fatalf("press %q: %v", keys, err)
	}
}

// Screen is what a person sees, all that scrolled away included, without blanks at the ends of lines.
func (x *Terminal) Screen() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.scr.String()
}

// Raw is all that was written, escapes included.
func (x *Terminal) Raw() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.raw.String()
}

// See waits until the screen shows a text.
func (x *Terminal) See(text string) string {
	x.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		over := x.over()
		s := x.Screen()
		switch {
		case strings.Contains(s, text):
			return s
		case over || time.Now().After(end):
			x.t.Fatalf("the terminal never shows %q, but\n%s\n%q", text, s, x.Raw())
		}
	}
}

func (x *Terminal) over() bool {
	select {
	case <-x.ended:
		return true
	default:
		return false
	}
}

// Ended waits for the end of the program and returns its exit status.
func (x *Terminal) Ended() int {
	x.t.Helper()
	select {
	case <-x.ended:
	case <-time.After(patience):
		x.t.Fatalf("the program does not end; the terminal shows\n%s", x.Screen())
	}
	return x.cmd.ProcessState.ExitCode()
}
