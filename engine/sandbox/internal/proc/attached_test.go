//go:build linux

package proc

import (
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
)

func TestOutputIsPassedOnWholeAsItComes(t *testing.T) {
	var mu sync.Mutex
	var got [2]strings.Builder
	p, err := Start(t.Context(), Spec{
		Argv: []string{"sh", "-c", "i=0; while [ $i -lt 20000 ]; do echo $i; i=$((i+1)); done; printf 'a\\000\\377' >&2"},
		Env:  []string{"PATH=" + os.Getenv("PATH")},
		Keep: 100, // what is kept is no bound of what is passed on
		Tee: func(c Chunk) error {
			mu.Lock()
			defer mu.Unlock()
			at := 0
			if c.Stderr {
				at = 1
			}
			got[at].Write(c.Data)
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, err := p.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(got[0].String(), "\n"); lines != 20000 || got[1].String() != "a\x00\xff" {
		t.Errorf("%d lines, and %q", lines, got[1].String())
	}
}

func TestAReaderThatGoesAwayEndsTheWriter(t *testing.T) {
	p, err := Start(t.Context(), Spec{
		Argv: []string{"yes"},
		Env:  []string{"PATH=" + os.Getenv("PATH")},
		Tee:  func(Chunk) error { return errors.New("gone") },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	exit, err := p.Wait(t.Context())
	if err != nil || exit.Code == 0 {
		t.Errorf("%+v, %v", exit, err)
	}
}

func TestJoinedStreamsKeepTheirOrder(t *testing.T) {
	p, err := Start(t.Context(), Spec{
		Argv:   []string{"sh", "-c", "for i in 1 2 3 4 5 6 7 8 9; do echo $i; echo $i >&2; done"},
		Env:    []string{"PATH=" + os.Getenv("PATH")},
		Joined: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, err := p.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	out, _ := io.ReadAll(p.Stdout.Reader())
	if want := "1\n1\n2\n2\n3\n3\n4\n4\n5\n5\n6\n6\n7\n7\n8\n8\n9\n9\n"; string(out) != want {
		t.Errorf("%q", out)
	}
}

func TestACommandHasADescriptorOfItsOwnAndHearsSignals(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Skip("no pipes:", err)
	}
	defer r.Close()
	p, err := Start(t.Context(), Spec{
		Argv:  []string{"sh", "-c", "trap 'echo told >&3; exit 4' USR1; echo ready >&3; while :; do sleep 0.05; done"},
		Env:   []string{"PATH=" + os.Getenv("PATH")},
		Extra: w,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	buf := make([]byte, 100)
	n, err := r.Read(buf)
	if string(buf[:n]) != "ready\n" || err != nil {
		t.Fatalf("%q, %v", buf[:n], err)
	}
	p.Signal(syscall.SIGUSR1)
	exit, err := p.Wait(t.Context())
	if err != nil || exit.Code != 4 {
		t.Errorf("%+v, %v", exit, err)
	}
	p.Signal(syscall.SIGUSR1) // who has ended hears nothing
}
