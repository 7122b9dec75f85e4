package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// group has a program be ended with its process group, and what leaves the group come to this process when its parent
// ends.
func group(cmd *exec.Cmd) {
	unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// reapEvery is how often the dead are buried.
const reapEvery = 100 * time.Millisecond

// mostMemory bounds each process of a test, in bytes: a loop without an end takes all that there is within seconds.
const mostMemory = 4 << 30

// watched bounds the memory of the program own, which has just been started. While it runs what comes to this process
// and ends is buried, as init would: a test that waits for the end of something would wait for ever.
func watched(own int) (stop func()) {
	unix.Prlimit(own, unix.RLIMIT_DATA, &unix.Rlimit{Cur: mostMemory, Max: mostMemory}, nil)
	end, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		for {
			select {
			case <-end:
				return
			case <-time.After(reapEvery):
			}
			for _, pid := range children() {
				if pid != own {
					syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
				}
			}
		}
	}()
	return func() { close(end); <-over }
}

// mostRounds bounds how often leftovers are looked for: the children of one that was ended come in the next round.
const mostRounds = 100

// endLeftovers ends what a test program left running. Nothing else of this process's runs meanwhile.
func endLeftovers() {
	for range mostRounds {
		left := children()
		if len(left) == 0 {
			return
		}
		for _, pid := range left {
			syscall.Kill(pid, syscall.SIGKILL)
			syscall.Wait4(pid, nil, 0, nil)
		}
	}
}

func children() []int {
	tasks, _ := os.ReadDir("/proc/self/task")
	var out []int
	for _, t := range tasks {
		list, _ := os.ReadFile(fmt.Sprintf("/proc/self/task/%s/children", t.Name()))
		for _, word := range bytes.Fields(list) {
			if pid, err := strconv.Atoi(string(word)); err == nil {
				out = append(out, pid)
			}
		}
	}
	return out
}
