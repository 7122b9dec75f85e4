package script

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"

	"helve/engine/sandbox"
	"helve/script/internal/child"
)

// marker tells a copy of this program that it is a child.
const (
	marker     = "HELVE_SCRIPT"
	markerWord = "child"
)

// initialized is set by Init and never unset.
var initialized atomic.Bool

// Init must be called first in main, after [sandbox.Init]. In a child it does not return. Elsewhere it only notes that
// it was called.
func Init() {
	if os.Getenv(marker) == markerWord {
		os.Exit(child.Main(os.Stdin, os.Stdout))
	}
	initialized.Store(true)
}

// ErrUnbounded: this system does not bound what a script may use, and there is no run_script.
var ErrUnbounded = errors.New("scripts cannot be confined on this system")

// Confined tells why scripts cannot run here: the error wraps ErrUnbounded. nil: they can. The first call tries the
// sandbox, which takes some milliseconds.
func Confined(ctx context.Context) error {
	if runtime.GOOS != "linux" {
		return fmt.Errorf("%w: %s does not bound the memory of a process", ErrUnbounded, runtime.GOOS)
	}
	if !initialized.Load() {
		return fmt.Errorf("%w: script.Init was not called: call it first in main", ErrUnbounded)
	}
	program, err := self()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnbounded, err)
	}
	if _, err := sandbox.Reach(ctx, confinement(program)); err != nil {
		return fmt.Errorf("%w: %w", ErrUnbounded, err)
	}
	return nil
}

// self is the file of this program.
func self() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	if strings.HasSuffix(path, " (deleted)") { // as Linux writes it
		return "", fmt.Errorf("the program was replaced while it runs: start it again")
	}
	return filepath.EvalSymlinks(path)
}

// confinement is what a child may reach: its own program, and the two pipes that it is given.
func confinement(program string) sandbox.Options {
	return sandbox.Options{
		Level:    sandbox.ReadOnly,
		Readable: []string{program},
		Limits:   sandbox.Limits{Processes: childProcesses, OpenFiles: childFiles, TempBytes: childTemp},
	}
}

const (
	childProcesses = 64 // threads of the Go runtime count
	childFiles     = 64
	childTemp      = 1 << 20
)
