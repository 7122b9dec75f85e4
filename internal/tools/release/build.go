package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// binary is where the program for a target is built.
func (r *release) binary(t target) string {
	return filepath.Join(r.work, "bin", t.os+"_"+t.arch, t.exe(program))
}

// build makes the program for every target: static, stripped, with the version and without a path
// of this machine.
func (r *release) build() error {
	for _, t := range r.targets {
		if err := r.goBuild(t, r.binary(t)); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
	}
	return nil
}

// goBuild builds the program for a target. Flags of whoever makes the release do not count: the same
// commit is the same bytes.
func (r *release) goBuild(t target, to string) error {
	// -s -w leave out what only debuggers want. A build id would differ with the toolchain's
	// folder.
	link := "-s -w -buildid= -X " + r.place.Module + "/internal/version.stamp=" + r.version
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", link, "-o", to, "./cmd/"+program)
	cmd.Dir = r.root
	// Without cgo a program runs on every Linux, whatever its libc.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOOS="+t.os, "GOARCH="+t.arch)
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// own runs the program that was built for this machine and gives what it prints.
func (r *release) own(args ...string) ([]byte, error) {
	here := target{runtime.GOOS, runtime.GOARCH}
	exe := r.binary(here)
	// A release for other machines only has not built this one.
	if _, err := os.Stat(exe); err != nil {
		if err := r.goBuild(here, exe); err != nil {
			return nil, err
		}
	}
	cmd := exec.Command(exe, args...)
	cmd.Dir = r.work
	// A home of its own: what is published knows nothing of the person who makes it.
	cmd.Env = []string{"HOME=" + r.work, "PATH=" + os.Getenv("PATH")}
	cmd.Stderr = os.Stderr
	return cmd.Output()
}

// shells are those that completions are made for, with the file that each one looks for.
var shells = []struct{ name, file string }{
	{"bash", "helve.bash"},
	{"fish", "helve.fish"},
	{"zsh", "_helve"},
	{"powershell", "helve.ps1"},
}

// manual writes the manual pages and the completions, which archives and packages hold.
func (r *release) manual() error {
	man := filepath.Join(r.work, "man")
	if _, err := r.own("man", man); err != nil {
		return fmt.Errorf("manual pages: %w", err)
	}
	dir := filepath.Join(r.work, "completions")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, s := range shells {
		text, err := r.own("completion", s.name)
		if err != nil {
			return fmt.Errorf("completion for %s: %w", s.name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, s.file), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// archiveName is the name of a target's archive without its ending. install.sh and the formulas
// make the same name.
func (r *release) archiveName(t target) string {
	return strings.Join([]string{"helve", r.version, t.os, t.arch}, "_")
}
