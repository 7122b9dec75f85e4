//go:build linux

package proc

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// ample bounds what must come, on a machine that does much else.
const ample = 2 * time.Minute

// await polls: processes die at their own pace.
func await(cond func() bool) bool {
	for end := time.Now().Add(ample); !cond(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

func TestThousandsOfShortCommandsLeaveNothing(t *testing.T) {
	descriptors := func() int { names, _ := os.ReadDir("/proc/self/fd"); return len(names) }
	n := 300
	if testing.Short() {
		n = 30
	}
	each(t, func(t *testing.T, spec func(string) Spec) {
		before := descriptors()
		for range n {
			p := start(t, spec("sleep "+unique(6)+" & true"))
			finish(t, p)
			p.Close()
		}
		if !await(func() bool { return descriptors() <= before+2 && len(alive(unique(6))) == 0 }) {
			t.Errorf("descriptors %d before, %d after; alive %v", before, descriptors(), alive(unique(6)))
		}
	})
}

func TestTheTreeEndsWhenItsParentIsKilled(t *testing.T) {
	u := unique(7)
	parent := exec.Command("/proc/self/exe")
	parent.Env = append(testEnv, "PROC_TEST_PARENT=setsid sleep "+u+" & sleep "+u)
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	if !await(func() bool { return len(alive("sleep\x00"+u)) == 2 }) {
		t.Error("the tree did not start")
	}
	parent.Process.Kill()
	parent.Wait()
	if !await(func() bool { return len(alive("sleep\x00"+u)) == 0 }) {
		t.Errorf("still alive: %v", alive("sleep\x00"+u))
	}
}

func TestAKilledSupervisorTakesTheTreeWithIt(t *testing.T) {
	u := unique(8)
	p := start(t, bash(true, "setsid sleep "+u+" & sleep "+u))
	if !await(func() bool { return len(alive("sleep\x00"+u)) == 2 }) {
		t.Error("the tree did not start")
	}
	unix.Kill(p.PID(), unix.SIGKILL)
	if e := finish(t, p); e.Signal != "SIGKILL" {
		t.Errorf("exit %+v", e)
	}
	if !await(func() bool { return len(alive("sleep\x00"+u)) == 0 }) {
		t.Errorf("still alive: %v", alive("sleep\x00"+u))
	}
}

func TestACommandCannotEndItsSupervisorPolitely(t *testing.T) {
	p := start(t, bash(true, "for s in TERM HUP INT QUIT USR1 ALRM PIPE; do kill -$s $PPID; done; sleep 0.1; trap; exit 5"))
	if e := finish(t, p); e.Code != 5 || text(p.Stdout) != "" {
		t.Errorf("exit %+v, want code 5; ignored signals %q, want none", e, text(p.Stdout))
	}
}

func BenchmarkPlainBash(b *testing.B)      { benchRun(b, bash(false, "true")) }
func BenchmarkSupervisedBash(b *testing.B) { benchRun(b, bash(true, "true")) }

// sleep 60 & returns in ≤ 50 ms after the shell ends.
func BenchmarkBackgroundChild(b *testing.B) { benchRun(b, bash(false, "sleep 60 &")) }

func benchRun(b *testing.B, s Spec) {
	b.ReportAllocs()
	for b.Loop() {
		p, err := Start(b.Context(), s)
		if err != nil {
			b.Fatal(err)
		}
		p.Wait(b.Context())
		p.Close()
	}
}

// Killing a tree of 100 processes: ≤ 100 ms.
func BenchmarkStopTreeOfAHundred(b *testing.B) {
	for _, supervised := range []bool{false, true} {
		b.Run(fmt.Sprintf("supervised=%v", supervised), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				p, err := Start(b.Context(), bash(supervised, "for i in $(seq 99); do setsid sleep 60 & done; echo up; sleep 60"))
				if err != nil {
					b.Fatal(err)
				}
				await(func() bool { return p.Stdout.Size() > 0 })
				b.StartTimer()
				p.Stop()
				b.StopTimer()
				p.Close()
				b.StartTimer()
			}
		})
	}
}

// A command that prints 1 GB: ≥ 300 MB/s, and a few kilobytes of memory.
func BenchmarkOneGigabyte(b *testing.B) {
	b.SetBytes(1 << 30)
	b.ReportAllocs()
	for b.Loop() {
		p, err := Start(b.Context(), bash(false, "head -c 1073741824 /dev/zero"))
		if err != nil {
			b.Fatal(err)
		}
		p.Wait(b.Context())
		if p.Stdout.Size() != 1<<30 {
			b.Fatal(p.Stdout.Size())
		}
		p.Close()
	}
}
