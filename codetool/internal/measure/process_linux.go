package main

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// processor is the time that this process has had of all processors: what work costs, whatever else runs.
func processor() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// memory is a line of /proc/self/status in bytes: VmHWM is the peak, VmRSS what is resident now.
func memory(line string) int64 {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		name, value, _ := strings.Cut(s.Text(), ":")
		if name == line {
			kilobytes := strings.TrimSuffix(strings.TrimSpace(value), " kB")
			n, _ := strconv.ParseInt(kilobytes, 10, 64)
			return n << 10
		}
	}
	return 0
}
