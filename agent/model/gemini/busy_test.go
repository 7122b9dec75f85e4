package gemini

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestAServerSaysHowLongItWantsToBeLeftAlone(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	const delay = `{"error":{"code":429,"details":[{"@type":"type.googleapis.com/google.rpc.Help"},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.5s"}]}}`
	for _, c := range []struct {
		header, body string
		want         time.Duration
	}{
		{"2", "", 2 * time.Second},
		{"0.01", delay, 10 * time.Millisecond},
		{"Thu, 01 Jan 2026 00:00:07 GMT", "", 7 * time.Second},
		{"", delay, 34500 * time.Millisecond},
		{"soon", delay, 34500 * time.Millisecond},
		{"", "<html>", 0},
		{"", `{"error":{"details":[{"retryDelay":"later"}]}}`, 0},
		{"-1", "", -time.Second},
	} {
		resp := &http.Response{Header: http.Header{"Retry-After": {c.header}}, Body: io.NopCloser(strings.NewReader(c.body))}
		if got := wanted(resp, now); got != c.want {
			t.Errorf("%q, %s: got %v, want %v", c.header, c.body, got, c.want)
		}
		if b, err := io.ReadAll(resp.Body); err != nil || string(b) != c.body {
			t.Errorf("the body is %q, %v", b, err)
		}
	}
}
