package app

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/cmd/internal/command"
)

// A signal ends a search although nobody reads what it prints: its write would wait for ever.
func TestASignalEndsASearchThatNobodyReads(t *testing.T) {
	for _, line := range []string{"grep needle", "grep needle --json", "glob **"} {
		t.Run(line, func(t *testing.T) {
			dir := t.TempDir()
			for i := range 300 { // each of these more than a pipe holds
				name := filepath.Join(dir, fmt.Sprintf("%s%d", strings.Repeat("n", 200), i))
				if err := os.WriteFile(name, []byte(strings.Repeat("needle\n", 40)), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			pipe := newUnread(t)
			ctx, cancel := context.WithCancel(t.Context())
			status := make(chan int)
			var errs strings.Builder
			go func() {
				status <- Main(ctx, strings.Fields(line), command.Environment{
					Stdin: strings.NewReader(""), Stdout: pipe, Stderr: &errs, Dir: dir,
					Managed: filepath.Join(t.TempDir(), "etc"), Environ: []string{"HOME=" + t.TempDir()},
				})
			}()
			<-pipe.waits
			cancel()
			if got := <-status; got != command.ExitInterrupted || errs.String() != "helve: interrupted\n" {
				t.Errorf("status %d, stderr %q; want %d, interrupted", got, errs.String(), command.ExitInterrupted)
			}
		})
	}
}

// unread is a pipe that is full: a write waits until the test is over.
type unread struct{ waits, over chan struct{} }

func newUnread(t *testing.T) unread {
	u := unread{make(chan struct{}, 1), make(chan struct{})}
	t.Cleanup(func() { close(u.over) })
	return u
}

func (u unread) Write([]byte) (int, error) {
	u.waits <- struct{}{}
	<-u.over
	return 0, io.ErrClosedPipe
}
