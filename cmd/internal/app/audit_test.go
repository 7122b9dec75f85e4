package app

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"

	"helve/cmd/internal/command"
)

// audit --follow prints a call that is made later, and ends well with its signal.
func TestAuditFollowsTheCallsThatCome(t *testing.T) {
	v := newVictim(t).put("a.txt", "text\n")
	s, _, errs := v.streams()
	said, stdout := io.Pipe()
	s.Stdout = stdout
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		ended <- Main(ctx, []string{"audit", "--follow"}, s.Environment)
		stdout.Close()
	}()
	lines := bufio.NewScanner(said)
	if !lines.Scan() || !strings.HasPrefix(lines.Text(), "TIME ") {
		t.Fatalf("no head, but %q", lines.Text())
	}
	if code, _, errs := v.run("call", "read", "a.txt"); code != command.ExitOK {
		t.Fatalf("read: status %d, %s", code, errs)
	}
	if !lines.Scan() || !strings.HasSuffix(lines.Text(), "read a.txt") {
		t.Errorf("got %q, want the call of read", lines.Text())
	}
	stop()
	if code := <-ended; code != command.ExitOK {
		t.Errorf("status %d, %s", code, errs)
	}
}
