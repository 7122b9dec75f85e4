package app

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"helve/cmd/internal/command"
)

// With --log-level info a server over HTTP says each request, without its token; at the usual level it says none.
func TestAServerSaysItsRequests(t *testing.T) {
	const token = "a token of the test's own"
	for level, want := range map[string]string{
		"info": `^helve: GET /mcp 401, \d+ bytes in \S+, from 127\.0\.0\.1:\d+$`,
		"warn": `^helve: still here$`,
	} {
		v := newVictim(t)
		s, _, _ := v.streams("HELVE_TOKEN=" + token)
		said, stderr := io.Pipe()
		s.Stderr = stderr
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan int, 1)
		go func() {
			ended <- Main(ctx, []string{"serve", "--http", "127.0.0.1:0", "--log-level", level}, s.Environment)
			stderr.Close()
		}()
		lines, url := bufio.NewScanner(said), ""
		for url == "" && lines.Scan() {
			_, url, _ = strings.Cut(lines.Text(), "listening on ")
		}
		answered := make(chan error, 1)
		go func() { // what it says of the request is read meanwhile
			resp, err := http.Get(url)
			if err == nil {
				resp.Body.Close()
			}
			io.WriteString(stderr, "helve: still here\n")
			answered <- err
		}()
		for lines.Scan() { // what else it says at this level is not the point
			if text := lines.Text(); strings.Contains(text, "/mcp") || strings.HasSuffix(text, "still here") {
				break
			}
		}
		if !regexp.MustCompile(want).MatchString(lines.Text()) {
			t.Errorf("%s: got %q, want %s", level, lines.Text(), want)
		}
		go io.Copy(io.Discard, said) // ends with the pipe
		if err := <-answered; err != nil {
			t.Errorf("%s: %v", level, err)
		}
		stop()
		if status := <-ended; status != command.ExitOK {
			t.Errorf("%s: status %d", level, status)
		}
	}
}
