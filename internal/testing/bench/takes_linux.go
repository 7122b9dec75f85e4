package bench

import (
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// CPU is the processor time that a process and all that live below it took so far, threads that ended included, by the
// clock that the kernel keeps for each process: to the nanosecond, where /proc/PID/stat counts hundredths of a second.
// Children that ended are not in it.
func CPU(pid int) time.Duration {
	sum := OwnCPU(pid)
	for _, p := range Below(pid) {
		sum += OwnCPU(p)
	}
	return sum
}

// OwnCPU is that of a process alone.
func OwnCPU(pid int) time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(clockOf(pid), &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

// clockOf is the clock of a process's processor time, as clock_getcpuclockid(3) makes it of a process id.
func clockOf(pid int) int32 {
	const scheduled = 2 // CPUCLOCK_SCHED of the kernel
	return int32(^pid)<<3 | scheduled
}

// RSS is the resident memory of one process in bytes; 0 where it is gone.
func RSS(pid int) int64 {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(b), "VmRSS:")
	kib := int64(0)
	fmt.Sscan(rest, &kib)
	return kib << 10
}

// Below are the processes that a process started and that live, and all below them.
func Below(pid int) []int {
	var out []int
	tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	for _, t := range tasks {
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, t.Name()))
		for _, word := range strings.Fields(string(b)) {
			child := 0
			fmt.Sscan(word, &child)
			out = append(append(out, child), Below(child)...)
		}
	}
	return out
}
