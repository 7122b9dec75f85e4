package chat

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"helve/agent"
)

func TestAServerSaysHowLongItWantsToBeLeftAlone(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		header, value string
		want          time.Duration
	}{
		{"Retry-After", "2", 2 * time.Second},
		{"Retry-After", "0.01", 10 * time.Millisecond},
		{"Retry-After", "Thu, 01 Jan 2026 00:00:07 GMT", 7 * time.Second},
		{"Retry-After", "soon", 0},
		{"Retry-After", "-1", -time.Second},
		{"Retry-After-Ms", "250", 250 * time.Millisecond},
		{"Other", "5", 0},
	} {
		if got := after(http.Header{c.header: {c.value}}, now); got != c.want {
			t.Errorf("%s: %s: got %v, want %v", c.header, c.value, got, c.want)
		}
	}
	const help = `{"@type":"type.googleapis.com/google.rpc.Help"}`
	for body, want := range map[string]time.Duration{
		`{"error":{"code":429,"details":[` + help + `,{"retryDelay":"34.5s"}]}}`: 34500 * time.Millisecond,
		`{"error":{"details":[{"retryDelay":"later"}]}}`:                         0,
		`{"error":{}}`: 0,
		"<html>":       0,
	} {
		if got := retryInfo([]byte(body)); got != want {
			t.Errorf("%s: got %v, want %v", body, got, want)
		}
	}
}

// A server that sends the request on to another one gets a refusal that says so, which is not asked again, and the
// other one gets neither key nor conversation.
func TestARequestIsNotSentOnToAnotherServer(t *testing.T) {
	asked := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer other.Close()
	srv := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer srv.Close()
	s := ServerAt(srv.URL, http.Header{"X-Api-Key": {"k"}}, nil, nil)
	err := s.Stream(t.Context(), map[string]string{"text": "mine"}, func([]byte) error { return nil })
	refused, is := errors.AsType[*agent.ServerError](err)
	if !is || refused.Status != http.StatusTemporaryRedirect || !strings.Contains(refused.Message, other.URL) || asked > 0 {
		t.Errorf("%v, %d asked", err, asked)
	}
	if _, again := errors.AsType[*agent.Transient](err); again {
		t.Error("it would be asked again")
	}
}
