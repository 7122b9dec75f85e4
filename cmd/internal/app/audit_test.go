package app

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"
	"time"

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

func TestSinceTakesWhatPeopleWrite(t *testing.T) {
	now := time.Date(2026, 5, 6, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"":                          "0001-01-01T00:00:00Z",
		"90m":                       "2026-05-06T10:30:00Z",
		"7d":                        "2026-04-29T12:00:00Z",
		"2026-05-01":                "2026-05-01T00:00:00Z",
		"2026-05-01 08:30":          "2026-05-01T08:30:00Z",
		"2026-05-01 08:30:09":       "2026-05-01T08:30:09Z",
		"2026-05-01T08:30:00+02:00": "2026-05-01T08:30:00+02:00",
		"-2h":                       "error",
		"yesterday":                 "error",
		"9999999999999d":            "error",
	} {
		got := "error"
		if at, err := sinceWhen(text, now); err == nil {
			got = at.Format(time.RFC3339)
		}
		if got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}
