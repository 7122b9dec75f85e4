package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A module is a copy of the module's files, which faults are put into: what a fault does to the files around it harms
// no checkout.
type module struct {
	top   string   // of everything: removed as a whole
	dir   string   // the copy
	bin   string   // test programs: with all faults of a batch
	one   string   // the same, with one fault
	temp  string   // their temporary folder and their home, emptied before each fault
	goEnv []string // go's own folders, which another home would move
}

// tempPerm is the mode of folders that tests lie in: some tests have another user look for something.
const tempPerm = 0o755

// copyModule copies what git knows or would add, as it is now.
func copyModule(ctx context.Context) (*module, error) {
	top, err := os.MkdirTemp("", "helve-mutate-")
	if err != nil {
		return nil, err
	}
	m := &module{
		top:  top,
		dir:  filepath.Join(top, "module"),
		bin:  filepath.Join(top, "bin"),
		one:  filepath.Join(top, "one"),
		temp: filepath.Join(top, "temp"),
	}
	err = os.Chmod(top, tempPerm)
	if err := errors.Join(err, m.fill(ctx)); err != nil {
		m.remove()
		return nil, err
	}
	return m, nil
}

func (m *module) fill(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		return fmt.Errorf("list the files of the checkout: %w", err)
	}
	for _, name := range strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 }) {
		if err := m.copy(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, name := range []string{"GOCACHE", "GOPATH", "GOMODCACHE"} {
		out, err = exec.CommandContext(ctx, "go", "env", name).Output()
		if err != nil {
			return fmt.Errorf("go env %s: %w", name, err)
		}
		m.goEnv = append(m.goEnv, name+"="+strings.TrimSpace(string(out)))
	}
	return errors.Join(os.Mkdir(m.bin, 0o755), os.Mkdir(m.one, 0o755))
}

func (m *module) copy(name string) error {
	to := filepath.Join(m.dir, name)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	fi, err := os.Lstat(name)
	if err != nil {
		return err
	}
	if fi.Mode()&fs.ModeSymlink != 0 {
		link, err := os.Readlink(name)
		return errors.Join(err, os.Symlink(link, to))
	}
	from, err := os.Open(name)
	if err != nil {
		return err
	}
	defer from.Close()
	f, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, fi.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	return errors.Join(err, f.Close())
}

func (m *module) remove() { removeAll(m.top) }

// removeAll removes a folder, also where a test took the right to.
func removeAll(dir string) {
	filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			os.Chmod(p, 0o700)
		}
		return nil
	})
	os.RemoveAll(dir)
}

// buildTime bounds one build: the largest takes a minute on a busy machine.
const buildTime = 10 * time.Minute

// build makes the test program of a package in a folder of programs. It reports all that the compiler said, if it
// refused.
func (m *module) build(ctx context.Context, folder, to string) (refused string, err error) {
	ctx, cancel := context.WithTimeout(ctx, buildTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-trimpath", "-ldflags=-w", "-gcflags=-e",
		"-o", program(to, folder), "./"+folder)
	cmd.Dir = m.dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return "", fmt.Errorf("build the tests of %s: %w", folder, ctx.Err())
	}
	if err != nil {
		return string(out), nil
	}
	return "", nil
}

func program(in, folder string) string {
	return filepath.Join(in, strings.ReplaceAll(folder, "/", "_")+".test")
}

// An ending says how the tests of a suite ended.
type ending struct {
	failed bool
	late   bool
	took   time.Duration
	test   string // the first that failed
	said   []byte
}

// endWait is how long a program may take to end once it is told to, and its time is over.
const endWait = 5 * time.Second

// test runs a suite, whose program was built in a folder. A test that ends nothing is ended with all that it started.
func (m *module) test(ctx context.Context, s suite, in string, most time.Duration) ending {
	removeAll(m.temp)
	os.MkdirAll(m.temp, tempPerm)
	os.MkdirAll(filepath.Join(m.temp, "home"), 0o700)
	limited, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	args := []string{"-test.failfast", "-test.run", s.run, "-test.timeout", most.String()}
	cmd := exec.CommandContext(limited, program(in, s.folder), args...)
	cmd.Dir = filepath.Join(m.dir, s.folder)
	cmd.Env = append(os.Environ(), "HOME="+filepath.Join(m.temp, "home"), "TMPDIR="+m.temp,
		"GIT_CONFIG_GLOBAL="+os.DevNull, "CGO_ENABLED=0", "GOFLAGS=-trimpath")
	cmd.Env = append(cmd.Env, m.goEnv...)
	cmd.WaitDelay = endWait
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	group(cmd)
	began := time.Now()
	err := cmd.Start()
	if err == nil {
		stop := watched(cmd.Process.Pid)
		err = cmd.Wait()
		stop()
	}
	endLeftovers()
	e := ending{failed: err != nil, took: time.Since(began), said: out.Bytes()}
	if e.failed {
		e.test = firstFailed(e.said)
	}
	stopped := limited.Err() != nil && ctx.Err() == nil
	e.late = stopped || bytes.Contains(e.said, []byte("panic: test timed out"))
	return e
}

func firstFailed(out []byte) string {
	for line := range bytes.Lines(out) {
		_, rest, ok := bytes.Cut(line, []byte("--- FAIL: "))
		if ok {
			name, _, _ := bytes.Cut(rest, []byte(" "))
			return string(name)
		}
	}
	return ""
}
