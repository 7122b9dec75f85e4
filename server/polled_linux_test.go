//go:build !portable

package server_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"helve/server"
	"helve/tool"
)

// Over each kind of pipe that a client may start us with the protocol is spoken, the end of the input ends it, and whoever shares the
// pipe with us still finds it as it was.
func TestEveryKindOfPipeIsServed(t *testing.T) {
	for name, make := range map[string]func(t *testing.T) (stdin, stdout, in, out *os.File){
		"pipes": func(t *testing.T) (stdin, stdout, in, out *os.File) {
			stdin, in = pipe(t)
			out, stdout = pipe(t)
			return stdin, stdout, in, out
		},
		"two sockets": func(t *testing.T) (stdin, stdout, in, out *os.File) {
			stdin, in = sockets(t)
			out, stdout = sockets(t)
			return stdin, stdout, in, out
		},
		"one socket": func(t *testing.T) (stdin, stdout, in, out *os.File) {
			stdin, in = sockets(t)
			return stdin, stdin, in, in
		},
	} {
		t.Run(name, func(t *testing.T) {
			stdin, stdout, in, out := make(t)
			srv := server.New(opener(registry(t, say("echo", tool.Read)), tool.KitOptions{}), server.Options{})
			defer srv.Close()
			done := ending(func() error { return srv.Serve(context.Background(), stdin, stdout) })
			lines := bufio.NewScanner(out)
			fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
			for i := 2; i < 20; i++ {
				if !lines.Scan() {
					t.Fatal(lines.Err())
				}
				fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", i)
			}
			flags, _, errno := syscall.Syscall(syscall.SYS_FCNTL, stdin.Fd(), syscall.F_GETFL, 0)
			if errno != 0 || name != "two sockets" && flags&syscall.O_NONBLOCK != 0 {
				t.Errorf("flags %o, %v: who shares the pipe is told to come back", flags, errno)
			}
			if name == "one socket" {
				syscall.Shutdown(int(in.Fd()), syscall.SHUT_WR)
			} else {
				in.Close()
			}
			select {
			case err := <-done:
				if err != nil {
					t.Error(err)
				}
			case <-time.After(slow):
				t.Fatal("the end of the input was not seen")
			}
		})
	}
}

// ending runs f and tells what it came to.
func ending(f func() error) <-chan error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	return done
}

// pipe is one whose ends block, as a shell makes it.
func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	var fds [2]int
	if err := syscall.Pipe2(fds[:], syscall.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	return file(t, fds[0]), file(t, fds[1])
}

func sockets(t *testing.T) (a, b *os.File) {
	t.Helper()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	return file(t, fds[0]), file(t, fds[1])
}

func file(t *testing.T, fd int) *os.File {
	f := os.NewFile(uintptr(fd), "pipe")
	t.Cleanup(func() { f.Close() })
	return f
}
