package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"helve/engine/sandbox"
	"helve/internal/state"
)

// reachOf is how a command's level is found out; nil: by trying.
func (w *Assembly) reachOf() func(context.Context, sandbox.Options) (sandbox.Reached, error) {
	if w.o.Foreign {
		return assumedReach
	}
	return nil
}

// assumedReach takes every level for one that can be kept: whoever only judges a line asks Confines about that, once.
func assumedReach(_ context.Context, o sandbox.Options) (sandbox.Reached, error) {
	if o.Level == sandbox.Off {
		return sandbox.Reached{Level: sandbox.Off, Mechanism: sandbox.None}, nil
	}
	return sandbox.Reached{Level: o.Level, Mechanism: sandbox.Namespaces, Confined: true}, nil
}

// A reachNote is what an earlier process found out about this machine's sandbox.
type reachNote struct {
	Of  string `json:"of"`            // reachStamp
	Why string `json:"why,omitempty"` // why commands cannot be confined; "": they can
}

// maxReachNote bounds the file of a reachNote, in bytes.
const maxReachNote = 16 << 10

// Confines tells why commands cannot be confined on this machine, as it is configured; nil: they can. To find out costs
// a process of its own, so that the answer is remembered while neither machine nor program changes. What runs a command
// tries for itself.
func (w *Assembly) Confines(ctx context.Context) error {
	o := w.sandbox()
	if o.Level == sandbox.Off {
		return errors.New("the configuration switches the sandbox off")
	}
	of := reachStamp(o.Level)
	file := filepath.Join(w.places.CacheDir, "confines-"+o.Level.String()+".json")
	var note reachNote
	if b, err := state.Read(file, maxReachNote); err == nil && of != "" && json.Unmarshal(b, &note) == nil && note.Of == of {
		return note.err()
	}
	_, err := sandbox.Reach(ctx, o)
	note = reachNote{Of: of}
	switch {
	case err != nil && !errors.Is(err, sandbox.ErrLevel):
		return err // of this process, not of the machine
	case err != nil:
		note.Why = err.Error()
	}
	if b, err := json.Marshal(note); err == nil && of != "" && state.MakeDir(w.places.CacheDir) == nil {
		_ = state.Replace(file, b, 0o600) // the next process finds out for itself
	}
	return note.err()
}

func (n reachNote) err() error {
	if n.Why == "" {
		return nil
	}
	return errors.New(n.Why)
}

// reachStamp names what the answer rests on: this start of the machine, the program, and what binds this process. "":
// it is not known, and nothing is remembered.
func reachStamp(level sandbox.Level) string {
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
	fmt.Fprintln(h, level, exe, st.Size(), st.ModTime().UnixNano(), os.Getuid(), os.Getgid(), string(boot))
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
