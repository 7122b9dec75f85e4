package bench

import (
	"os"
	"runtime"
	"slices"
	"testing"
)

// What a thread took that has ended stays in the time of its process.
func TestTimeOfEndedThreadsCounts(t *testing.T) {
	before := CPU(os.Getpid())
	done := make(chan uint64)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		sum := uint64(0)
		for i := range uint64(5_000_000) {
			sum += sum ^ i
		}
		done <- sum
	}()
	<-done
	runtime.Gosched()
	if after := CPU(os.Getpid()); before == 0 || after <= before {
		t.Errorf("%v of processor time before the thread, %v after it", before, after)
	}
}

// A child is below the one that started it as long as it lives, with memory of its own.
func TestAChildIsBelow(t *testing.T) {
	c := started(t)
	pid := c.Pid()
	if !slices.Contains(Below(os.Getpid()), pid) || RSS(pid) == 0 || CPU(pid) == 0 {
		t.Errorf("process %d: %d bytes, %v, and below are %v", pid, RSS(pid), CPU(pid), Below(os.Getpid()))
	}
	c.End()
	if slices.Contains(Below(os.Getpid()), pid) || RSS(pid) != 0 || CPU(pid) != 0 {
		t.Errorf("process %d ended: %d bytes, %v, and below are %v", pid, RSS(pid), CPU(pid), Below(os.Getpid()))
	}
}
