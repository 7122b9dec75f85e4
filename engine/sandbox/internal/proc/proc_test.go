//go:build linux

package proc

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// The test binary is its own supervisor.
func TestMain(m *testing.M) {
	if os.Getenv("PROC_TEST_SUPERVISOR") == "1" {
		os.Exit(Supervise(func(json.RawMessage) (Ending, error) { return Ending{}, nil }))
	}
	if command := os.Getenv("PROC_TEST_PARENT"); command != "" {
		p, err := Start(context.Background(), bash(true, command))
		if err != nil {
			panic(err)
		}
		p.Wait(context.Background())
		return
	}
	if os.Getenv("PROC_TEST_FILE") != "" {
		holdFile()
		return
	}
	os.Exit(m.Run())
}

var testEnv = []string{"PATH=/usr/local/bin:/usr/bin:/bin"}

// bash describes one bash command, run directly or below a supervisor.
func bash(supervised bool, command string) Spec {
	s := Spec{Argv: []string{"bash", "--noprofile", "--norc", "-c", command}, Env: testEnv}
	if supervised {
		s.Supervisor = &Supervisor{Argv: []string{"/proc/self/exe"}, Env: []string{"PROC_TEST_SUPERVISOR=1", "GORACE=atexit_sleep_ms=0"}}
	}
	return s
}

// each runs a test with and without a supervisor.
func each(t *testing.T, test func(t *testing.T, spec func(command string) Spec)) {
	for _, supervised := range []bool{false, true} {
		t.Run(fmt.Sprintf("supervised=%v", supervised), func(t *testing.T) {
			test(t, func(command string) Spec { return bash(supervised, command) })
		})
	}
}

func start(t *testing.T, s Spec) *Process {
	t.Helper()
	p, err := Start(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func finish(t *testing.T, p *Process) Exit {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), ample)
	defer cancel()
	e, err := p.Wait(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func text(o *Output) string {
	head, tail, _ := o.HeadTail(1 << 20)
	return string(head) + string(tail)
}

// alive reports processes that carry a word in their command line.
func alive(word string) []int {
	var out []int
	for _, e := range allProcesses() {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", e.pid))
		if err == nil && e.state != 'Z' && strings.Contains(string(line), word) {
			out = append(out, e.pid)
		}
	}
	return out
}

func unique(n int) string { return fmt.Sprintf("%d.%d", 300+n, os.Getpid()) } // a sleep time that nobody else sleeps

func TestACommandReturnsItsOutputAndStatus(t *testing.T) {
	each(t, func(t *testing.T, spec func(string) Spec) {
		p := start(t, spec("echo out; echo err >&2; exit 3"))
		if e := finish(t, p); e.Code != 3 || e.Signal != "" || e.Duration <= 0 {
			t.Errorf("exit %+v, want code 3", e)
		}
		if text(p.Stdout) != "out\n" || text(p.Stderr) != "err\n" {
			t.Errorf("stdout %q stderr %q", text(p.Stdout), text(p.Stderr))
		}
	})
}

func TestASignalIsNamed(t *testing.T) {
	each(t, func(t *testing.T, spec func(string) Spec) {
		for _, sig := range []string{"KILL", "TERM", "SEGV"} {
			if e := finish(t, start(t, spec("kill -"+sig+" $$"))); e.Signal != "SIG"+sig || e.Code != -1 {
				t.Errorf("kill -%s: exit %+v", sig, e)
			}
		}
	})
}

func TestInputIsExactlyWhatWasGiven(t *testing.T) {
	each(t, func(t *testing.T, spec func(string) Spec) {
		s := spec("cat; echo end")
		p := start(t, s)
		finish(t, p)
		if got := text(p.Stdout); got != "end\n" {
			t.Errorf("without input: %q", got)
		}
		s.Stdin = []byte(strings.Repeat("x", 1<<20))
		p = start(t, s)
		finish(t, p)
		if got := p.Stdout.Size(); got != 1<<20+4 {
			t.Errorf("with 1 MiB of input: %d bytes of output", got)
		}
	})
}

func TestTheEnvironmentIsExactlyWhatWasGiven(t *testing.T) {
	t.Setenv("SECRET_OF_THE_PARENT", "x")
	each(t, func(t *testing.T, spec func(string) Spec) {
		p := start(t, spec("/usr/bin/env"))
		finish(t, p)
		for _, line := range strings.Fields(text(p.Stdout)) {
			name, _, _ := strings.Cut(line, "=")
			switch name {
			case "PATH", "PWD", "SHLVL", "_", "OLDPWD", markerName:
			default:
				t.Errorf("variable %s was inherited", line)
			}
		}
	})
}

func TestAChildThatKeepsTheOutputOpenHoldsUpNobody(t *testing.T) {
	each(t, func(t *testing.T, spec func(string) Spec) {
		p := start(t, spec("sleep "+unique(1)+" & echo done"))
		finish(t, p) // long before the five minutes of the child
		if !await(func() bool { return len(alive(unique(1))) == 0 }) {
			t.Error("the child in the background still runs")
		}
	})
}

func TestChildrenThatLeftTheSessionAreEndedToo(t *testing.T) {
	each(t, func(t *testing.T, spec func(string) Spec) {
		u := unique(2)
		p := start(t, spec("setsid sleep "+u+" & (setsid bash -c 'sleep "+u+" & disown' &) ; (trap '' TERM HUP; sleep "+u+"; :) & sleep 0.3"))
		finish(t, p)
		if left := alive(u); len(left) > 0 && !await(func() bool { return len(alive(u)) == 0 }) {
			t.Errorf("still alive: %v", alive(u))
		}
	})
}

func TestACommandThatIgnoresTheRequestIsEnded(t *testing.T) {
	each(t, func(t *testing.T, spec func(string) Spec) {
		s := spec("trap '' TERM; while :; do sleep " + unique(3) + "; done")
		s.Timeout = 300 * time.Millisecond
		p := start(t, s)
		if e := finish(t, p); !e.TimedOut || e.Signal != "SIGKILL" {
			t.Errorf("exit %+v, want timed out by SIGKILL", e)
		}
		if !await(func() bool { return len(alive(unique(3))) == 0 }) {
			t.Error("the tree still runs")
		}
	})
}

func TestACommandMayCleanUpWhenAsked(t *testing.T) {
	each(t, func(t *testing.T, spec func(string) Spec) {
		s := spec("trap 'echo bye; exit 7' TERM; echo up; while :; do sleep 0.05; done")
		s.Grace = ample
		p := start(t, s)
		if !await(func() bool { return p.Stdout.Size() > 0 }) {
			t.Fatal("did not start")
		}
		p.Stop()
		if e := finish(t, p); e.Code != 7 || !e.Stopped || text(p.Stdout) != "up\nbye\n" {
			t.Errorf("exit %+v, output %q", e, text(p.Stdout))
		}
	})
}

func TestSilenceEndsACommandOnlyWithAnIdleTimeout(t *testing.T) {
	each(t, func(t *testing.T, spec func(string) Spec) {
		for idle := 400 * time.Millisecond; ; idle *= 4 { // a machine may be too busy for the shortest
			s := spec("for i in 1 2 3 4 5 6; do echo $i; sleep 0.1; done; sleep 300")
			s.Idle = idle
			p := start(t, s)
			e := finish(t, p)
			if e.Idle && strings.Contains(text(p.Stdout), "6") {
				return
			}
			if !e.Idle || idle > 30*time.Second {
				t.Fatalf("exit %+v, output %q: want idle after 6", e, text(p.Stdout))
			}
		}
	})
}

func TestCancellingEndsTheTree(t *testing.T) {
	each(t, func(t *testing.T, spec func(string) Spec) {
		ctx, cancel := context.WithCancel(t.Context())
		p, err := Start(ctx, spec("sleep "+unique(4)+" & sleep "+unique(4)))
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		cancel()
		if e := finish(t, p); !e.Cancelled {
			t.Errorf("exit %+v, want cancelled", e)
		}
		if !await(func() bool { return len(alive(unique(4))) == 0 }) {
			t.Error("the tree still runs")
		}
	})
}

func TestWhatIsLeftInTheBackgroundLivesUntilStopped(t *testing.T) {
	each(t, func(t *testing.T, spec func(string) Spec) {
		s := spec("sleep " + unique(5) + " & exit 4")
		s.Leave = true
		p := start(t, s)
		if e := finish(t, p); e.Code != 4 {
			t.Errorf("exit %+v, want code 4", e)
		}
		if !await(func() bool { return len(alive(unique(5))) > 0 }) { // forked before its parent ended, but perhaps not yet run
			t.Error("the child in the background was ended")
		}
		p.Stop()
		if !await(func() bool { return len(alive(unique(5))) == 0 }) {
			t.Error("the child outlived Stop")
		}
	})
}

func TestOutputIsReadByCursorWhileItGrows(t *testing.T) {
	each(t, func(t *testing.T, spec func(string) Spec) {
		p := start(t, spec("echo one; sleep 0.3; echo two"))
		if !await(func() bool { return p.Stdout.Size() == 4 }) {
			t.Fatal("no first line")
		}
		data, next, lost := p.Stdout.Since(0, 100)
		if string(data) != "one\n" || next != 4 || lost != 0 {
			t.Errorf("first: %q %d %d", data, next, lost)
		}
		finish(t, p)
		data, next, _ = p.Stdout.Since(next, 100)
		if string(data) != "two\n" || next != 8 {
			t.Errorf("second: %q %d", data, next)
		}
		if data, next, _ = p.Stdout.Since(100, 10); data != nil || next != 100 {
			t.Errorf("beyond the end: %q %d", data, next)
		}
	})
}

func TestProgressCarriesAllOfASmallOutput(t *testing.T) {
	each(t, func(t *testing.T, spec func(string) Spec) {
		var out, err strings.Builder
		s := spec("for i in 1 2 3; do echo o$i; echo e$i >&2; sleep 0.1; done")
		s.Progress = func(c Chunk) {
			if c.Stderr {
				err.Write(c.Data)
			} else {
				out.Write(c.Data)
			}
		}
		p := start(t, s)
		finish(t, p)
		p.Close()
		<-p.watched
		if out.String() != "o1\no2\no3\n" || err.String() != "e1\ne2\ne3\n" {
			t.Errorf("progress %q and %q", out.String(), err.String())
		}
	})
}

func TestOfALongOutputHeadAndTailStay(t *testing.T) {
	each(t, func(t *testing.T, spec func(string) Spec) {
		s := spec("echo first; for i in 1 2 3 4 5 6; do head -c 8000000 /dev/zero | tr '\\0' x; sleep 0.1; done; echo; echo last")
		s.Keep = 1 << 20
		p := start(t, s)
		finish(t, p)
		if got := p.Stdout.Size(); got != 48000000+12 {
			t.Errorf("size %d", got)
		}
		if p.Stdout.Dropped() < 30<<20 {
			t.Errorf("dropped %d bytes only", p.Stdout.Dropped())
		}
		if st, err := p.Stdout.f.Stat(); err != nil || st.Size() > 1<<20 {
			t.Errorf("the file takes %d bytes (%v)", st.Size(), err)
		}
		head, tail, between := p.Stdout.HeadTail(1000)
		if !strings.HasPrefix(string(head), "first\nxx") || !strings.HasSuffix(string(tail), "x\nlast\n") || between != 48000012-1000 {
			t.Errorf("head %.20q tail %q between %d", head, tail[max(0, len(tail)-20):], between)
		}
		if _, next, lost := p.Stdout.Since(600<<10, 10); lost == 0 || next < 30<<20 {
			t.Errorf("a cursor in the dropped middle goes to %d, lost %d", next, lost)
		}
	})
}

func TestACommandMayOpenItsOwnStreamsByName(t *testing.T) {
	each(t, func(t *testing.T, spec func(string) Spec) {
		p := start(t, spec("echo a; echo b > /dev/stdout; echo c | tee /dev/stderr; echo d > /dev/stderr"))
		finish(t, p)
		if text(p.Stdout) != "a\nb\nc\n" || text(p.Stderr) != "c\nd\n" {
			t.Errorf("stdout %q stderr %q: something was overwritten", text(p.Stdout), text(p.Stderr))
		}
	})
}

// What cannot be kept, as on a full disk, is told as missing, with the error: it does not look like an empty stream.
func TestWhatCannotBeKeptIsMissing(t *testing.T) {
	o, err := newOutput(t.TempDir(), 100, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer o.close()
	o.keep([]byte("kept"))
	good := o.f
	o.f, err = os.Open(os.DevNull) // takes nothing
	if err != nil {
		t.Fatal(err)
	}
	o.keep([]byte("lost"))
	o.f.Close()
	o.f = good
	head, tail, between := o.HeadTail(50)
	if string(head) != "kept" || len(tail) > 0 || between != 4 || o.Err() == nil {
		t.Errorf("%q, %q, %d bytes between, %v", head, tail, between, o.Err())
	}
}

func TestTheRingKeepsEveryByteOfHeadAndTail(t *testing.T) {
	for _, size := range []int{0, 1, 9, 10, 11, 19, 20, 21, 29, 30, 31, 99} {
		o, err := newOutput(t.TempDir(), 20, nil)
		if err != nil {
			t.Fatal(err)
		}
		var whole []byte
		for i := range size {
			whole = append(whole, byte('!'+i%90))
		}
		for rest := whole; len(rest) > 0; {
			n := min(len(rest), 7)
			o.keep(rest[:n])
			rest = rest[n:]
		}
		want := whole
		if size > 20 {
			want = append(append([]byte{}, whole[:10]...), whole[size-10:]...)
		}
		got, err := io.ReadAll(o.Reader())
		if err != nil || string(got) != string(want) || o.Dropped() != int64(size-len(want)) {
			t.Errorf("%d bytes: %q %v dropped %d, want %q", size, got, err, o.Dropped(), want)
		}
		if head, tail, between := o.HeadTail(20); string(head)+string(tail) != string(want) || between != int64(size-len(want)) {
			t.Errorf("%d bytes: head %q tail %q between %d", size, head, tail, between)
		}
		o.close()
	}
}

func TestWhatCannotStartSaysWhy(t *testing.T) {
	each(t, func(t *testing.T, spec func(string) Spec) {
		for _, change := range []func(*Spec){
			func(s *Spec) { s.Argv = nil },
			func(s *Spec) { s.Argv = []string{"no-such-program-here"} },
			func(s *Spec) { s.Argv = []string{"/no/such/program"} },
			func(s *Spec) { s.Dir = "/no/such/dir" },
			func(s *Spec) { s.Env = []string{"PATH=.:bin"} },
		} {
			s := spec("true")
			change(&s)
			if p, err := Start(t.Context(), s); err == nil {
				p.Close()
				t.Errorf("%v in %q started", s.Argv, s.Dir)
			}
		}
	})
}

func TestAReaderGetsTheWholeStream(t *testing.T) {
	p := start(t, bash(false, "seq 1 100000"))
	finish(t, p)
	var n int
	r, buf := p.Stdout.Reader(), make([]byte, 777)
	for {
		k, err := r.Read(buf)
		n += k
		if err != nil {
			break
		}
	}
	if int64(n) != p.Stdout.Size() || n == 0 {
		t.Errorf("read %d of %d bytes", n, p.Stdout.Size())
	}
}

// In a client's read-only sandbox no folder takes a file.
func TestACommandNeedsNoFolderForItsOutput(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("files have names there")
	}
	p, err := Start(t.Context(), Spec{
		Argv:    []string{"cat"},
		Env:     []string{"PATH=" + os.Getenv("PATH")},
		Stdin:   []byte("in"),
		TempDir: filepath.Join(t.TempDir(), "gone"),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, err := p.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if out, _, _ := p.Stdout.HeadTail(10); string(out) != "in" {
		t.Errorf("it printed %q", out)
	}
}
