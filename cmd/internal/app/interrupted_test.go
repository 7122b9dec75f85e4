package app_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"helve/cmd/internal/app"
	"helve/cmd/internal/command"
)

// hangs is set for a copy of the test program that does what a command does which hangs: it hears of the first signal
// and goes on all the same.
const hangs = "HELVE_TEST_HANGS"

func hangIfAsked() {
	if os.Getenv(hangs) == "" {
		return
	}
	ctx, stop := command.Interrupted()
	defer stop()
	fmt.Println("ready")
	<-ctx.Done()
	fmt.Println("heard")
	select {}
}

// The first signal asks a command to stop, the second ends it whatever it does, whichever of the two each is.
func TestASecondSignalEndsACommandThatHangs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("one process cannot send another a signal there")
	}
	const one, other = syscall.SIGINT, syscall.SIGTERM
	here := make(chan os.Signal, 1)
	// Where these tests run in the background they ignore these signals, and what they start would, too.
	signal.Notify(here, one, other)
	defer signal.Stop(here)
	for _, pair := range [][2]syscall.Signal{{one, one}, {one, other}, {other, one}, {other, other}} {
		sig := pair[1]
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), hangs+"=1")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for i, want := range []string{"ready", "heard"} {
			if !lines.Scan() || lines.Text() != want {
				t.Fatalf("%v: it printed %q, want %q", sig, lines.Text(), want)
			}
			cmd.Process.Signal(pair[i])
		}
		rest, _ := io.ReadAll(out) // until it ends
		err = cmd.Wait()
		status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
		if !ok || !status.Signaled() || status.Signal() != sig || len(rest) > 0 {
			t.Errorf("%v: it ended with %v after printing %q, want the signal", sig, err, rest)
		}
	}
}

// A signal ends a call whose arguments nobody writes.
func TestASignalEndsReadingOfArguments(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	stdin, writer := io.Pipe()
	defer writer.Close()
	asked := &firstRead{Reader: stdin, read: make(chan bool)}
	var said strings.Builder
	status := make(chan int)
	go func() {
		status <- app.Main(ctx, []string{"call", "ls", "-"}, command.Environment{
			Stdin: asked, Stdout: io.Discard, Stderr: &said, Dir: t.TempDir(),
			Managed: t.TempDir(), Environ: []string{"HOME=" + t.TempDir()},
		})
	}()
	<-asked.read
	cancel()
	if got := <-status; got != 130 || said.String() != "helve: interrupted\n" {
		t.Errorf("status %d, %q", got, said.String())
	}
}

// firstRead tells of the first read.
type firstRead struct {
	io.Reader
	read chan bool
}

func (f *firstRead) Read(p []byte) (int, error) {
	close(f.read)
	return f.Reader.Read(p)
}

// Shells start what runs in the background with Ctrl-C ignored: the second signal ends that, too.
func TestASecondSignalThatWasIgnoredEndsACommand(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("one process cannot send another a signal there")
	}
	const patience = time.Minute // it ends a test that fails
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", `trap "" INT; exec "$0"`, os.Args[0])
	cmd.Env = append(os.Environ(), hangs+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		lines.Scan()
		cmd.Process.Signal(sig)
	}
	_, _ = io.ReadAll(out) // until it ends
	_ = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != 130 {
		t.Errorf("it ended with status %d, want 130", got)
	}
}
