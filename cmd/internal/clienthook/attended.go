package clienthook

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// maxAncestors bounds how far up the client's own process is looked for: shells and launchers stand between.
const maxAncestors = 8

// attended tells that a person sits at the client's terminal. Where it cannot be known nobody does: a question that
// nobody sees may hang for ever.
func (r *run) attended() bool {
	if r.Attended != nil {
		return r.Attended()
	}
	if r.Getenv("CLAUDE_CODE_SESSION_ATTENDED") == "0" && r.Client.Name == "claude-code" {
		return false
	}
	return attendedAbove(os.Getppid(), r.Client.headless)
}

// attendedAbove looks for a process with a terminal for its input above this one, whose arguments do not say that it
// works alone. Only Linux shows both.
func attendedAbove(pid int, headless func([]string) bool) bool {
	for range maxAncestors {
		if pid <= 1 {
			return false
		}
		args := argsOf(pid)
		if headless(args) {
			return false
		}
		in, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/0", pid))
		if err == nil && len(args) > 0 && (strings.HasPrefix(in, "/dev/pts/") || strings.HasPrefix(in, "/dev/tty")) {
			return true
		}
		pid = parentOf(pid)
	}
	return false
}

// argsOf are a process's arguments.
func argsOf(pid int) []string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimRight(string(text), "\x00"), "\x00")
}

// parentOf is a process's parent; 0: it is not known.
func parentOf(pid int) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, found := bytes.Cut(text, []byte(") ")) // the name before it may hold anything but this
	fields := bytes.Fields(rest)
	if !found || len(fields) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(string(fields[1]))
	return parent
}
