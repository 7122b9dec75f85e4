package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"helve/internal/state"
)

// Stamp names what it rests on whether a sandbox can be made: this start of the machine, the program, and what binds this
// process. "": it is not known, and nothing is to be remembered.
func Stamp() string {
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

// known are the trials that succeeded, in a file of Options.Remember. A note spares a trial and grants nothing: a sandbox
// that cannot be made is an error when the command is started, and what failed is never noted, so that no note leads to
// a weaker mechanism.
type known struct {
	Of    string   `json:"of"` // Stamp
	Works []string `json:"works"`
}

const (
	knownFile = "sandbox.json"
	maxKnown  = 16 << 10 // bytes of that file: there are few kinds of trials
)

// remembered are the trials that the file of this folder has, for the process as it stands now; nil: there is no file to
// have, or nothing is remembered.
func remembered(dir string) (k known, file string) {
	k.Of = Stamp()
	if dir == "" || k.Of == "" {
		return k, ""
	}
	file = filepath.Join(dir, knownFile)
	var stands known
	b, err := state.Read(file, maxKnown)
	if err == nil && json.Unmarshal(b, &stands) == nil && stands.Of == k.Of {
		k.Works = stands.Works
	}
	return k, file
}

// knows reports that a trial succeeded before.
func knows(dir, trial string) bool {
	k, file := remembered(dir)
	return file != "" && slices.Contains(k.Works, trial)
}

// note remembers a trial that succeeded, or forgets it. What cannot be written is tried again by the next process.
func note(dir, trial string, works bool) {
	k, file := remembered(dir)
	if file == "" || slices.Contains(k.Works, trial) == works {
		return
	}
	k.Works = slices.DeleteFunc(k.Works, func(t string) bool { return t == trial })
	if works {
		k.Works = append(k.Works, trial)
	}
	if b, err := json.Marshal(k); err == nil && state.MakeDir(dir) == nil {
		_ = state.Replace(file, b, 0o600)
	}
}
