package script

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"helve/engine/sandbox"
	"helve/script/internal/wire"
)

// ErrUnbounded: this system does not bound what a script may use, and there is no run_script.
var ErrUnbounded = errors.New("scripts cannot be confined on this system")

// ErrNoInterpreter: the program did not call Init of package interpreter.
var ErrNoInterpreter = errors.New("the program has no interpreter: call interpreter.Init first in main")

// Confined tells why scripts cannot run here: the error wraps ErrUnbounded. nil: they can. The first call tries the
// sandbox, which takes some milliseconds.
func Confined(ctx context.Context) error {
	if runtime.GOOS != "linux" {
		return fmt.Errorf("%w: %s does not bound the memory of a process", ErrUnbounded, runtime.GOOS)
	}
	if !wire.Linked.Load() {
		return fmt.Errorf("%w: %w", ErrUnbounded, ErrNoInterpreter)
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
