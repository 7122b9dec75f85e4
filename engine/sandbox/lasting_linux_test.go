package sandbox

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"helve/internal/testing/ptytest"
)

// asParent has the test binary start a server that runs this script, wait for it and say how it ended, in place of
// running tests.
const asParent = "SANDBOX_TEST_PARENT"

// parent starts a server as [lasting] does, whose output is this process's own.
func parent(script string) int {
	ctx := context.Background()
	dir, _ := os.Getwd()
	in, _, err := os.Pipe()
	if err != nil {
		return 1
	}
	o := Options{Level: Light, Roots: []string{dir}, Home: dir, Network: true, Mechanism: Namespaces}
	spec := Spec{
		Argv: []string{"bash", "--noprofile", "--norc", "-c", script},
		Dir:  dir, Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin"},
		In: in, Out: os.Stdout, Err: os.Stderr,
		Lasting: true,
	}
	out, err := os.OpenFile("/proc/self/fd/1", os.O_WRONLY, 0)
	if err != nil {
		return 1
	}
	p, _, err := Start(ctx, o, spec)
	if err != nil {
		fmt.Fprintln(out, err)
		return 1
	}
	e, _ := p.Wait(ctx)
	fmt.Fprintf(out, "ended %d\n", e.Code)
	p.Close()
	return 0
}

// A server is a command that is talked to.
type server struct {
	*Process
	in  io.WriteCloser
	out *bufio.Reader
}

// lasting starts a script as a server.
func lasting(t *testing.T, o Options, f fixture, script string) *server {
	t.Helper()
	var ends [4]*os.File
	for i := range 2 {
		r, w, err := os.Pipe()
		must(t, err)
		ends[2*i], ends[2*i+1] = r, w
	}
	p, _, err := Start(t.Context(), o, Spec{
		Argv: []string{"bash", "--noprofile", "--norc", "-c", script},
		Dir:  f.root, Env: f.env(),
		In: ends[0], Out: ends[3],
		Lasting: true,
	})
	must(t, err)
	t.Cleanup(func() {
		p.Close()
		ends[1].Close()
		ends[2].Close()
	})
	return &server{p, ends[1], bufio.NewReader(ends[2])}
}

// end is how it ends by itself.
func (s *server) end(t *testing.T) Exit {
	t.Helper()
	e, err := s.Wait(t.Context())
	must(t, err)
	return e
}

// kinds runs a test with servers that the small program watches over, and with others.
func kinds(t *testing.T, test func(t *testing.T, o Options, f fixture)) {
	for name, level := range map[string]Level{"light": Light, "workspace-write": WorkspaceWrite} {
		t.Run(name, func(t *testing.T) {
			o, f := lightly(t, Namespaces)
			o.Level = level
			test(t, o, f)
		})
	}
}

func TestTheEndOfAServerIsToldAsItsParentHasIt(t *testing.T) {
	kinds(t, func(t *testing.T, o Options, f fixture) {
		for script, code := range map[string]int{
			"exit 0":         0,
			"exit 7":         7,
			"kill -KILL $$":  128 + 9,
			"read; exit 255": 255,
			"kill -9 1 -1; (exit 3); kill -TERM 1; read; exit 4":  -1, // it ends all but the first process, itself too
			"test $PPID -ne 1 && test $$ -ne 1 || exit 1; exit 5": 5,
			"readlink /proc/1/exe /proc/1/cwd && cat /proc/1/mem": 1, // nobody looks into the first process
		} {
			s := lasting(t, o, f, script)
			if strings.Contains(script, "read;") {
				s.in.Close()
			}
			if e := s.end(t); code >= 0 && e.Code != code || code < 0 && e.Code == 0 {
				t.Errorf("%s: %+v, want %d", script, e, code)
			}
		}
	})
}

func TestAServerIsAskedToEndAndThenEnded(t *testing.T) {
	kinds(t, func(t *testing.T, o Options, f fixture) {
		for script, code := range map[string]int{
			"trap 'exit 9' TERM; echo up; while :; do sleep 0.01; done": 9,
			"trap '' TERM; echo up; while :; do sleep 0.01; done":       -1,
		} {
			s := lasting(t, o, f, script)
			if line, err := s.out.ReadString('\n'); line != "up\n" {
				t.Fatalf("%s: %q, %v", script, line, err)
			}
			s.Stop()
			e := s.end(t)
			if !e.Stopped || code >= 0 && e.Code != code {
				t.Errorf("%s: %+v, want %d", script, e, code)
			}
		}
	})
}

func TestWhatAServerLeavesBehindIsCollected(t *testing.T) {
	kinds(t, func(t *testing.T, o Options, f fixture) {
		s := lasting(t, o, f, `for i in $(seq 30); do (sleep 0.01 &); done
			for i in $(seq 3000); do
				n=$(cat /proc/[0-9]*/stat 2>/dev/null | grep -c '^[0-9]* ([a-z]*) Z')
				sleep 0.02; [ $n -eq 0 ] && ! pgrep -x sleep >/dev/null && exit 0
			done; exit 1`)
		if e := s.end(t); e.Code != 0 {
			t.Errorf("%+v: ended children stay", e)
		}
	})
}

func TestNothingOfAServerOutlivesWhoStartedIt(t *testing.T) {
	_, f := lightly(t, Namespaces)
	word := fmt.Sprintf("1000.%d", os.Getpid())
	c := exec.Command("/proc/self/exe")
	c.Dir = f.root
	c.Env = append(f.env(), asParent+"=setsid sleep "+word+" & trap '' TERM; echo up; sleep "+word)
	out, err := c.StdoutPipe()
	must(t, err)
	must(t, c.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "up\n" {
		t.Fatalf("%q, %v", line, err)
	}
	for end := time.Now().Add(ample); !running(word); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it did not start")
		}
	}
	c.Process.Kill()
	c.Wait()
	for end := time.Now().Add(ample); running(word); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it still runs")
		}
	}
}

// mostBeside is what may stand beside a server, in KiB.
const mostBeside = 2 << 10

func TestWhatWatchesOverAServerIsSmall(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the small program is not written for this processor")
	}
	o, f := lightly(t, Namespaces)
	s := lasting(t, o, f, "echo up; read")
	if line, err := s.out.ReadString('\n'); line != "up\n" {
		t.Fatalf("%q, %v", line, err)
	}
	first := strconv.Itoa(s.PID())
	children, err := os.ReadFile(filepath.Join("/proc", first, "task", first, "children"))
	must(t, err)
	between := strings.Fields(string(children))
	if len(between) != 1 {
		t.Fatalf("the first process has the children %q, want one", between)
	}
	sum := resident(t, first) + resident(t, between[0])
	if sum > mostBeside {
		t.Errorf("%d KiB beside the server, want at most %d", sum, mostBeside)
	}
}

// resident is the resident memory of a process in KiB.
func resident(t *testing.T, pid string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("/proc", pid, "status"))
	must(t, err)
	_, rest, ok := strings.Cut(string(text), "VmRSS:")
	if !ok {
		t.Fatalf("%s tells no memory", pid)
	}
	n, err := strconv.Atoi(strings.Fields(rest)[0])
	must(t, err)
	return n
}

// The server has a terminal as its stderr here, which no real one has, and is in the session of that terminal.
func TestAServerInTheSessionOfATerminalCannotTypeIntoIt(t *testing.T) {
	if _, err := exec.LookPath("perl"); err != nil {
		t.Skip("perl is not installed")
	}
	_, f := lightly(t, Namespaces)
	script := `
		test "$(cut -d' ' -f6 /proc/self/stat)" = 0 && echo session: not its own
		test -e /dev/tty || echo no /dev/tty
		perl -e 'exit(open(my $t, "+<", "/dev/tty") ? 0 : 1)' || echo not opened
		perl -e 'exit(ioctl(STDERR, 0x5412, my $x = "x") ? 0 : 1)' || echo not typed
		perl -e 'exit(ioctl(STDERR, 0x541C, my $x = "\3") ? 0 : 1)' || echo not pasted
		kill -HUP 0 -$PPID 2>/dev/null; exit 6`
	c := exec.Command("/proc/self/exe")
	c.Dir = f.root
	c.Env = append(f.env(), asParent+"=trap '' HUP;"+script)
	term := ptytest.Start(t, c, 80)
	for _, want := range []string{"session: not its own", "no /dev/tty", "not opened", "not typed", "not pasted", "ended 6"} {
		term.See(want)
	}
}
