package proc

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// lookPath finds a program in the PATH of the environment it will get, never in the current directory.
func lookPath(name, dir string, env []string) (string, error) {
	if strings.ContainsRune(name, os.PathSeparator) {
		return name, nil
	}
	return LookPath(name, env)
}

// LookPath finds a program in the absolute folders of env's PATH, and where this system keeps it besides.
func LookPath(name string, env []string) (string, error) {
	path := variable(env, "PATH")
	for _, d := range append(filepath.SplitList(path), places(name, env)...) {
		if !filepath.IsAbs(d) || foreign(name, d, env) {
			continue // a relative PATH would find programs of the workspace
		}
		if full, err := exec.LookPath(filepath.Join(d, name)); err == nil {
			return full, nil
		}
	}
	return "", fmt.Errorf("%w in PATH=%s", exec.ErrNotFound, path)
}

// PassedOver is a program that LookPath passes over because it is for another system, "" for none.
func PassedOver(name string, env []string) string {
	for _, d := range filepath.SplitList(variable(env, "PATH")) {
		if !filepath.IsAbs(d) || !foreign(name, d, env) {
			continue
		}
		if full, err := exec.LookPath(filepath.Join(d, name)); err == nil {
			return full
		}
	}
	return ""
}

// variable is the last value that an environment gives a name.
func variable(env []string, name string) string {
	value := ""
	for _, e := range env {
		have, v, _ := strings.Cut(e, "=")
		if have == name || runtime.GOOS == "windows" && strings.EqualFold(have, name) {
			value = v
		}
	}
	return value
}
