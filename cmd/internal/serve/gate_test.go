package serve

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// gated serves behind a gate with small bounds; /hold answers when release is closed.
func gated(t *testing.T, most, idle, spare int) (addr string, holds *atomic.Int32, release chan struct{}) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := newGate(l)
	g.most, g.idle, g.spare = most, idle, spare
	holds, release = &atomic.Int32{}, make(chan struct{})
	h := http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path == "/hold" {
			holds.Add(1)
			<-release
		}
		io.WriteString(w, "ok\n")
	})
	hs := &http.Server{Handler: g.handler(h), ConnState: g.state, ConnContext: g.context}
	done := make(chan struct{})
	go func() {
		hs.Serve(g)
		close(done)
	}()
	t.Cleanup(func() {
		hs.Close()
		<-done
	})
	return l.Addr().String(), holds, release
}

// dialed is a connection that has said something.
func dialed(t *testing.T, addr, said string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(time.Minute))
	io.WriteString(c, said)
	return c
}

// get asks over a connection of its own.
func get(t *testing.T, addr, path string) (int, string) {
	t.Helper()
	c := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Minute}
	res, err := c.Get("http://" + addr + path)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

const hold = "GET /hold HTTP/1.1\r\nHost: x\r\n\r\n"

// Connections that say nothing, or half a request, or have said something and wait, are closed where they are too many; one that works is
// not.
func TestIdleConnectionsLeaveAPlaceForOthers(t *testing.T) {
	addr, holds, release := gated(t, 40, 10, 4)
	works := dialed(t, addr, hold)
	for holds.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	var idle []net.Conn
	for i := range 300 {
		said := []string{"", "GET /x HTTP/1.1\r\nHo", "GET /x HTTP/1.1\r\nHost: x\r\n\r\n"}[i%3]
		idle = append(idle, dialed(t, addr, said))
	}
	if code, body := get(t, addr, "/healthz"); code != 200 || body != "ok\n" {
		t.Errorf("%d %q", code, body)
	}
	closed := 0
	for _, c := range idle[:200] { // the newest may still wait
		if _, err := io.Copy(io.Discard, c); err == nil || !strings.Contains(err.Error(), "timeout") {
			closed++
		}
	}
	if closed != 200 {
		t.Errorf("%d of the 200 oldest are closed", closed)
	}
	close(release)
	b := make([]byte, 12)
	if _, err := io.ReadFull(works, b); err != nil || string(b) != "HTTP/1.1 200" {
		t.Errorf("the one that works: %q, %v", b, err)
	}
}

// Where all places are taken by work, others are told so, and whoever asks whether the server lives is answered.
func TestAFullServerSaysSoAndLives(t *testing.T) {
	const most = 8
	addr, holds, release := gated(t, most, most, 3)
	defer close(release)
	for range most {
		dialed(t, addr, hold)
	}
	for holds.Load() < most {
		time.Sleep(time.Millisecond)
	}
	if code, body := get(t, addr, "/healthz"); code != 200 || body != "ok\n" {
		t.Errorf("healthz: %d %q", code, body)
	}
	if code, body := get(t, addr, "/mcp"); code != http.StatusServiceUnavailable || !strings.Contains(body, "too many connections") {
		t.Errorf("mcp: %d %q", code, body)
	}
	if got := holds.Load(); got != most {
		t.Errorf("%d requests run, want %d: %s", got, most, fmt.Sprint(addr))
	}
}
