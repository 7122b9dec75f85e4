package server_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"helve/server"
	"helve/tool"
)

// A line is a call that waits, over a connection that a test can cut.
type line struct {
	url, session     string
	started, release chan struct{}
	ended            chan error // how the tool ended
}

func newLine(t *testing.T, o server.HTTPOptions) *line {
	t.Helper()
	l := &line{started: make(chan struct{}, 4), release: make(chan struct{}), ended: make(chan error, 4)}
	slowly := tool.New(tool.Spec{Name: "slow", Kind: tool.Read}, func(ctx context.Context, _ *tool.Call, _ struct{}) (*tool.Result, error) {
		l.started <- struct{}{}
		select {
		case <-l.release:
		case <-ctx.Done():
		}
		l.ended <- ctx.Err()
		return tool.Textf("here it is"), ctx.Err()
	})
	srv := server.New(opener(registry(t, slowly), tool.KitOptions{}), server.Options{})
	ts := httptest.NewServer(srv.HTTP(o))
	t.Cleanup(func() { ts.CloseClientConnections(); srv.Close(); ts.Close() })
	_, _, head := post(t, ts.URL+"/mcp", strings.NewReader(initialize), nil)
	l.url, l.session = ts.URL+"/mcp", head.Get("Mcp-Session-Id")
	return l
}

// open sends a request whose answer is a stream; last is the event that the client has.
func (l *line) open(t *testing.T, ctx context.Context, method, body, last string) *bufio.Scanner {
	t.Helper()
	q, err := http.NewRequestWithContext(ctx, method, l.url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Accept", "text/event-stream, application/json")
	q.Header.Set("Mcp-Session-Id", l.session)
	if last != "" {
		q.Header.Set("Last-Event-ID", last)
	}
	resp, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	if resp.StatusCode != 200 {
		b, _ := io.ReadAll(resp.Body)
		t.Fatalf("%s: %s %s", method, resp.Status, b)
	}
	return bufio.NewScanner(resp.Body)
}

// field reads on to the next line that begins so.
func field(t *testing.T, sc *bufio.Scanner, name string) string {
	t.Helper()
	for sc.Scan() {
		if v, ok := strings.CutPrefix(sc.Text(), name+": "); ok {
			return v
		}
	}
	t.Fatalf("no %s any more: %v", name, sc.Err())
	return ""
}

const callSlow = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"slow"}}`

func TestAClientComesBackToItsCall(t *testing.T) {
	l := newLine(t, server.HTTPOptions{})
	ctx, cut := context.WithCancel(t.Context())
	first := l.open(t, ctx, "POST", callSlow, "")
	id := field(t, first, "id")
	if retry := field(t, first, "retry"); retry == "" || id == "" {
		t.Fatalf("id %q, retry %q", id, retry)
	}
	<-l.started
	cut()
	second := l.open(t, t.Context(), "GET", "", id)
	close(l.release)
	got := field(t, second, "id")
	if d := field(t, second, "data"); got == id || !strings.Contains(d, "here it is") || !strings.Contains(d, `"id":7`) {
		t.Errorf("event %s: %s", got, d)
	}
	if second.Scan(); second.Scan() {
		t.Errorf("the stream goes on: %q", second.Text())
	}
	again := l.open(t, t.Context(), "GET", "", id) // as often as it likes
	if d := field(t, again, "data"); !strings.Contains(d, "here it is") {
		t.Error(d)
	}
	if err := <-l.ended; err != nil {
		t.Error(err)
	}
}

func TestACallWhoseClientStaysAwayIsGivenUp(t *testing.T) {
	l := newLine(t, server.HTTPOptions{Resume: 50 * time.Millisecond})
	ctx, cut := context.WithCancel(t.Context())
	field(t, l.open(t, ctx, "POST", callSlow, ""), "id")
	<-l.started
	cut()
	select {
	case err := <-l.ended:
		if err == nil {
			t.Error("it came to its end")
		}
	case <-time.After(slow):
		t.Error("the call goes on")
	}
}

// Who names an event of another session, or one that never was, gets the stream of what belongs to no request.
func TestAnEventIdIsWorthNothingElsewhere(t *testing.T) {
	l := newLine(t, server.HTTPOptions{Alive: 10 * time.Millisecond})
	id := field(t, l.open(t, t.Context(), "POST", callSlow, ""), "id")
	<-l.started
	_, _, head := post(t, l.url, strings.NewReader(initialize), nil)
	other := *l
	other.session = head.Get("Mcp-Session-Id")
	sc := other.open(t, t.Context(), "GET", "", id)
	close(l.release)
	<-l.ended
	for range 6 {
		if sc.Scan(); strings.Contains(sc.Text(), "here it is") {
			t.Error("another session's answer came")
		}
	}
}

// An answer that is late becomes a stream, although the client would rather have it plain: it can come back to that.
func TestALateAnswerBecomesAStreamToComeBackTo(t *testing.T) {
	l := newLine(t, server.HTTPOptions{Alive: time.Hour})
	ctx, stop := context.WithTimeout(t.Context(), slow)
	defer stop()
	q, err := http.NewRequestWithContext(ctx, "POST", l.url, strings.NewReader(callSlow))
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Accept", "application/json, text/event-stream")
	q.Header.Set("Mcp-Session-Id", l.session)
	resp, err := http.DefaultClient.Do(q) // returns with the head of the answer
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	sc := bufio.NewScanner(resp.Body)
	if kind := resp.Header.Get("Content-Type"); kind != "text/event-stream" || field(t, sc, "id") == "" {
		t.Errorf("the answer that is not there is %q", kind)
	}
	close(l.release)
	for !strings.Contains(field(t, sc, "data"), "here it is") { // field fails where the stream ends
	}
}
