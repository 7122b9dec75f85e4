//go:build unix

package spawn

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The programs of these tests are the test binary itself, started again as "test-binary do WHAT".
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "do" {
		do(os.Args[2])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func do(what string) {
	switch what {
	case "cat":
		io.Copy(os.Stdout, os.Stdin)
		os.Exit(7)
	case "deaf": // ignores requests to end, and its stdin
		ignore()
		fmt.Println("up")
		time.Sleep(time.Hour) // not select {}, which without cgo is a deadlock that Go sees
	case "family": // a child in the group, one that left it, and a grandchild without a parent
		for i := range 3 {
			c := exec.Command(os.Args[0], "do", "deaf")
			if i > 0 {
				c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			}
			c.Stdout, c.Stderr = os.Stderr, os.Stderr
			c.Start()
		}
		fmt.Println("up")
		bufio.NewReader(os.Stdin).ReadString('\n')
	}
}

// ample bounds what must come, on a machine that does much else.
const ample = 2 * time.Minute

func ignore() {
	c := make(chan os.Signal, 10)
	notify(c)
}

func start(t *testing.T, what string) *Process {
	t.Helper()
	p, err := Start(Spec{Argv: []string{os.Args[0], "do", what}, Env: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.End(0) })
	return p
}

func TestAProgramIsTalkedToAndItsExitIsTold(t *testing.T) {
	p := start(t, "cat")
	io.WriteString(p.Stdin, "hello\n")
	if line, err := bufio.NewReader(p.Stdout).ReadString('\n'); line != "hello\n" || err != nil {
		t.Errorf("%q, %v", line, err)
	}
	p.End(ample)
	if e := p.Exit(); e.Code != 7 || e.String() != "exit status 7" {
		t.Errorf("%+v", e)
	}
}

func TestAProgramThatIsDeafIsEnded(t *testing.T) {
	p := start(t, "deaf")
	bufio.NewReader(p.Stdout).ReadString('\n')
	p.End(50 * time.Millisecond)
	if e := p.Exit(); e.Signal != "SIGKILL" {
		t.Errorf("%+v", e)
	}
}

func TestNothingOfATreeIsLeft(t *testing.T) {
	if !marks {
		t.Skip("only Linux tells who belongs to a tree")
	}
	for _, crash := range []bool{false, true} {
		p := start(t, "family")
		bufio.NewReader(p.Stdout).ReadString('\n')
		for end := time.Now().Add(ample); marked(p.mark) < 4 && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		}
		if n := marked(p.mark); n != 4 {
			t.Fatalf("%d processes, want 4", n)
		}
		if crash {
			syscall.Kill(p.PID(), syscall.SIGKILL)
			<-p.Done()
		} else {
			p.End(time.Second)
		}
		if n := marked(p.mark); n != 0 {
			t.Errorf("crash %v: %d processes are left", crash, n)
		}
	}
}

func marked(mark string) int {
	n := 0
	list, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, f := range list {
		if b, err := os.ReadFile(f); err == nil && bytes.Contains(b, []byte(mark)) {
			n++
		}
	}
	return n
}

func TestProgramsAreLookedUpInAbsoluteFoldersOnly(t *testing.T) {
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "tool"), []byte("#!/bin/sh\n"), 0o755)
	t.Chdir(dir)
	for _, path := range []string{"", ".", ":", "./", filepath.Base(dir)} {
		if got, err := LookPath("tool", []string{"PATH=" + path}); !errors.Is(err, ErrNotFound) {
			t.Errorf("PATH=%q: %q, %v", path, got, err)
		}
	}
	if got, err := LookPath("tool", []string{"PATH=.:" + dir}); err != nil || got != filepath.Join(dir, "tool") {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := Start(Spec{Argv: []string{"tool-that-is-not-there"}, Env: []string{"PATH=/bin"}}); err == nil || !strings.Contains(err.Error(), "not found") {
		t.Errorf("%v", err)
	}
}

func TestTheEnvironmentIsAllowListed(t *testing.T) {
	got := Environ([]string{"PATH=/bin", "AWS_SECRET=x", "LC_ALL=C", "LD_PRELOAD=evil", "HOME=/h"}, map[string]string{"HOME": "/other", "A": "1"})
	if want := []string{"PATH=/bin", "LC_ALL=C", "A=1", "HOME=/other"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
