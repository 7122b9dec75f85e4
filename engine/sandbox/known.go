package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"helve/internal/state"
)

// stamp names what it rests on whether a sandbox can be made: this start of the machine, the program, and what binds
// this process. "": it is not known, and nothing is to be remembered.
func stamp() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	exe, bad := os.Executable()
	if err != nil || bad != nil || runtime.GOOS != "linux" {
		return ""
	}
	st, err := os.Stat(exe)
	if err != nil {
		return ""
	}
	h := sha256.New()
	fmt.Fprintln(h, exe, st.Size(), st.ModTime().UnixNano(), os.Getuid(), os.Getgid(), string(boot))
	for _, ns := range []string{"user", "mnt", "net", "pid"} {
		at, _ := os.Readlink("/proc/self/ns/" + ns)
		fmt.Fprintln(h, at)
	}
	for _, knob := range []string{
		"/proc/sys/user/max_user_namespaces",
		"/proc/sys/kernel/unprivileged_userns_clone",
		"/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
		"/proc/self/attr/current",
	} {
		text, _ := os.ReadFile(knob)
		fmt.Fprintln(h, string(text))
	}
	bindings(h)
	return hex.EncodeToString(h.Sum(nil))
}

// bindings adds what the kernel holds this process to.
func bindings(h io.Writer) {
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		for _, name := range []string{"NoNewPrivs:", "Seccomp:", "Seccomp_filters:", "CapEff:", "CapBnd:"} {
			if strings.HasPrefix(line, name) {
				io.WriteString(h, line)
			}
		}
	}
}

// Of Options.Remember: the first line is the stamp, each other one a trial that succeeded. A note spares a trial and
// grants nothing: a sandbox that cannot be made is an error when the command is started, and what failed is never
// noted, so that no note leads to a weaker mechanism.
const (
	knownFile = "sandboxes"
	maxKnown  = 16 << 10 // bytes of that file: there are few kinds of trials
)

// remembered are the lines of that file for the process as it stands now; none where nothing can be remembered.
func remembered(dir string) []string {
	if dir == "" {
		return nil
	}
	of := stamp()
	if of == "" {
		return nil
	}
	text, err := state.Read(filepath.Join(dir, knownFile), maxKnown)
	if lines := strings.Split(string(text), "\n"); err == nil && lines[0] == of {
		return lines
	}
	return []string{of}
}

// knows reports that a trial succeeded before.
func knows(dir, trial string) bool { return slices.Contains(remembered(dir), trial) }

// note remembers a trial that succeeded, or forgets it. What cannot be written is tried again by the next process.
func note(dir, trial string, works bool) {
	lines := remembered(dir)
	if lines == nil || slices.Contains(lines, trial) == works {
		return
	}
	lines = slices.DeleteFunc(lines, func(t string) bool { return t == trial })
	if works {
		lines = append(lines, trial)
	}
	if state.MakeDir(dir) == nil {
		_ = state.Replace(filepath.Join(dir, knownFile), []byte(strings.Join(lines, "\n")), 0o600)
	}
}
