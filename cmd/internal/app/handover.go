package app

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kballard/go-shellquote"
)

const (
	// fullProgram is the same command line with the providers' libraries linked in, which make it four times as
	// large.
	fullProgram = "helve-full"
	// handedVar holds the process that handed over. A program without models that finds its own process there, or its
	// parent, was found under the other's name and would hand over to itself for ever.
	handedVar = "HELVE_HANDED_OVER_BY"
	// endWait is what the other program has after an interrupt to end its own processes.
	endWait = 10 * time.Second
)

// What is in helve-full alone.
const (
	theModels  = "models"
	theBus     = "gateways and workers of the bus"
	theScripts = "scripts"
)

// handOver lets helve-full answer a command line: it takes this process's place where the system can do that, and
// runs below it elsewhere. It returns only if that failed, or with the other program's exit status.
func handOver(ctx context.Context, s streams, command, what string, line []string) error {
	by, err := strconv.Atoi(s.getenv(handedVar))
	if err == nil && (by == os.Getpid() || by == os.Getppid()) {
		return usage("%s: the program that is called %s is helve itself, without %s\n%s",
			command, fullProgram, what, buildHint())
	}
	path := findFull(s)
	if path == "" {
		return usage("%s: %s are in %s, which is neither in helve's folder nor on PATH\n%s",
			command, what, fullProgram, buildHint())
	}
	environ := append(slices.Clone(s.Environ), handedVar+"="+strconv.Itoa(os.Getpid()))
	if s.Replace != nil {
		err := s.Replace(path, append([]string{path}, line...), environ)
		return usage("%s: start %s: %v", command, path, err)
	}
	return runBelow(ctx, s, path, line, environ)
}

// runBelow runs a program with our streams and ends with its exit status.
func runBelow(ctx context.Context, s streams, path string, line, environ []string) error {
	cmd := exec.CommandContext(ctx, path, line...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.Stdin, s.Stdout, s.Stderr
	cmd.Env, cmd.Dir = environ, s.Dir
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = endWait
	endingOf(ctx).allow(drainTime + lastTime + endWait) // it has its own time
	err := cmd.Run()
	if e, ok := errors.AsType[*exec.ExitError](err); ok && e.ExitCode() >= 0 {
		return &exitError{status: e.ExitCode()}
	}
	return err
}

// findFull looks in this program's folder, then on PATH; "" is nowhere.
func findFull(s streams) string {
	name := fullProgram + exeSuffix()
	dirs := filepath.SplitList(s.getenv("PATH"))
	if self, err := os.Executable(); err == nil {
		dirs = append([]string{filepath.Dir(self)}, dirs...)
	}
	for _, dir := range dirs {
		if !filepath.IsAbs(dir) { // never the working directory's
			continue
		}
		path := filepath.Join(dir, name)
		st, err := os.Stat(path)
		if err == nil && executable(st) {
			return path
		}
	}
	return ""
}

// executable leaves out folders, and files that lack the permission where there is one.
func executable(st os.FileInfo) bool {
	return st.Mode().IsRegular() && (runtime.GOOS == "windows" || st.Mode()&0o111 != 0)
}

// exeSuffix is what a program's file ends in here.
func exeSuffix() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

// buildHint says how to get helve-full. It is published nowhere, so who has helve has its source.
func buildHint() string {
	self, err := os.Executable()
	if err != nil || strings.HasPrefix(self, filepath.Join(os.TempDir(), "go-build")) {
		// go run leaves its program in a folder that is gone a moment later: nothing can be put next to it.
		return "hint: in the checkout that helve was built from: go install ./cmd/" + fullProgram +
			"\nhint: that puts it into $GOBIN, or else ~/go/bin, which has to be on PATH"
	}
	target := filepath.Join(filepath.Dir(self), fullProgram+exeSuffix())
	return "hint: in the checkout that helve was built from: go build -o " + shellWord(target) + " ./cmd/" + fullProgram
}

// shellWord is a path as the system's usual shell takes it.
func shellWord(path string) string {
	if runtime.GOOS == "windows" {
		return `"` + path + `"`
	}
	return shellquote.Join(path)
}
