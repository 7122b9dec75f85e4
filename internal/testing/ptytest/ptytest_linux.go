package ptytest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// patience is how long a text or an end is waited for, on a machine that does much else.
const patience = 60 * time.Second

// mostRaw is how much of what a program wrote is told with a failure, in bytes.
const mostRaw = 2000

// A Terminal has one program on it.
type Terminal struct {
	t      testing.TB
	master *os.File
	cmd    *exec.Cmd
	ended  chan struct{}
	hungUp sync.Once

	mu  sync.Mutex
	raw strings.Builder
	scr screen
}

// atOnce has a program that was built with the race detector end at once; by default it sleeps for a second first.
const atOnce = "GORACE=atexit_sleep_ms=0"

// usualHeight is how many lines a terminal has.
const usualHeight = 50

// Start runs a program whose standard input, output and error are a terminal of so many columns and
// 50 lines. It is ended with the test.
func Start(t testing.TB, cmd *exec.Cmd, columns int) *Terminal {
	t.Helper()
	return StartSize(t, cmd, columns, usualHeight)
}

// StartSize is Start with a height.
func StartSize(t testing.TB, cmd *exec.Cmd, columns, height int) *Terminal {
	t.Helper()
	master, slave, err := open(columns, height)
	if err != nil {
		t.Skipf("needs pseudo-terminals: %v", err)
	}
	x := &Terminal{
		t:      t,
		master: master,
		cmd:    cmd,
		ended:  make(chan struct{}),
		scr:    screen{columns: columns, height: height},
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.Env = append(cmd.Environ(), atOnce)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := startAfresh(cmd); err != nil {
		t.Fatal(err)
	}
	slave.Close() // else a read would never tell that the program is gone
	go x.read()
	t.Cleanup(func() {
		// Whatever the test expected, nothing of it outlives it.
		cmd.Process.Kill()
		<-x.ended
		x.HangUp()
	})
	return x
}

// startAfresh starts a program whose terminal can end it. Who runs the tests may ignore hang-ups, as nohup does, and
// what is ignored stays so in all programs below; what is caught does not.
func startAfresh(cmd *exec.Cmd) error {
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT)
	defer signal.Stop(caught)
	return cmd.Start()
}

// open makes a terminal. The master does not block, so that closing it ends a read of it.
func open(columns, height int) (master, slave *os.File, err error) {
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	master = os.NewFile(uintptr(fd), "/dev/ptmx")
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil { // the other end is locked until somebody says it is not
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = resize(master, columns, height)
	}
	if err == nil {
		slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		master.Close()
	}
	return master, slave, err
}

// resize tells the terminal how large it is; the system tells the program.
func resize(master *os.File, columns, height int) error {
	c, err := master.SyscallConn() // Fd would make it block
	if err != nil {
		return err
	}
	var failed error
	err = c.Control(func(fd uintptr) {
		size := &unix.Winsize{Row: uint16(height), Col: uint16(columns)}
		failed = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, size)
	})
	return errors.Join(err, failed)
}

// read keeps what the program writes, until it has ended and all is read.
func (x *Terminal) read() {
	// Whoever waits for the end finds the last words on the screen.
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

// Press types. It does not wait until the program reads.
func (x *Terminal) Press(keys string) {
	x.t.Helper()
	if _, err := x.master.WriteString(keys); err != nil {
		x.t.Fatalf("press %q: %v", keys, err)
	}
}

// HangUp closes the terminal, as when its window is closed. What the program shows afterwards is
// lost.
func (x *Terminal) HangUp() { x.hungUp.Do(func() { x.master.Close() }) }

// Signal sends the program a signal, as somebody else would.
func (x *Terminal) Signal(s os.Signal) {
	x.t.Helper()
	if err := x.cmd.Process.Signal(s); err != nil {
		x.t.Fatal(err)
	}
}

// Resize gives the terminal another size, and tells the program.
func (x *Terminal) Resize(columns, height int) {
	x.t.Helper()
	x.mu.Lock()
	x.scr.columns, x.scr.height = columns, height
	x.mu.Unlock()
	if err := resize(x.master, columns, height); err != nil {
		x.t.Fatal(err)
	}
}

// Screen is what a person sees, all that scrolled away included, without blanks at the ends of
// lines.
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
	return x.SeeTimes(text, 1)
}

// SeeTimes waits until the screen shows a text so often.
func (x *Terminal) SeeTimes(text string, times int) string {
	x.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		over := x.over() // asked first: what came before the end is on the screen then
		s := x.Screen()
		switch {
		case strings.Count(s, text) >= times:
			return s
		case over || time.Now().After(end): // with escapes, too: they say what the program tried
			raw := x.Raw()
			raw = raw[max(len(raw)-mostRaw, 0):]
			x.t.Fatalf("the terminal never shows %q %d times, but\n%s\n… %q", text, times, s, raw)
		}
	}
}

// over tells whether nothing more will be shown.
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
