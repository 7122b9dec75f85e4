package serve

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// processorTime is what this process took so far.
func processorTime() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

// dropProgram lets go of the pages of the program file that are mapped and were never written to: those that are
// needed come back from the page cache when they are needed. After a start that is a few of them.
func dropProgram() {
	exe, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	maps, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer maps.Close()
	var from, to uintptr
	for sc := bufio.NewScanner(maps); sc.Scan(); {
		line := strings.Fields(sc.Text())
		switch {
		// What was written to, relocations above all, is nowhere in the file.
		case len(line) == 3 && line[0] == "Anonymous:":
			if from < to && line[1] == "0" {
				unix.Syscall(unix.SYS_MADVISE, from, to-from, unix.MADV_DONTNEED) // advice: a kernel may not take it
			}
		case strings.Contains(line[0], "-") && len(line) >= 5:
			if from, to = 0, 0; len(line) == 6 && line[5] == exe && !strings.Contains(line[1], "w") {
				from, to = span(line[0])
			}
		}
	}
}

// span is a range of addresses as maps has it; an empty one where it cannot be read.
func span(s string) (from, to uintptr) {
	a, b, _ := strings.Cut(s, "-")
	lo, err := strconv.ParseUint(a, 16, 64)
	hi, err2 := strconv.ParseUint(b, 16, 64)
	if err != nil || err2 != nil {
		return 0, 0
	}
	return uintptr(lo), uintptr(hi)
}
