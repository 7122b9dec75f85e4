package server_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"helve/internal/testing/leaktest"
	"helve/server"
	"helve/tool"
)

// A client that asks and asks and never reads is not read either, costs little memory, and holds nobody else up.
func TestAClientThatNeverReadsIsNotServedForEver(t *testing.T) {
	big := tool.New(tool.Spec{Name: "big", Kind: tool.Read}, func(context.Context, *tool.Call, struct{}) (*tool.Result, error) {
		return tool.NewResult(tool.Text(strings.Repeat("x", 64<<10))), nil
	})
	srv := server.New(opener(registry(t, big, say("echo", tool.Read)), tool.KitOptions{}), server.Options{})
	defer srv.Close()
	toServer, in := io.Pipe()
	_, fromServer := io.Pipe() // nobody reads
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ctx, toServer, fromServer) }()
	go func() {
		io.WriteString(in, initialize+"\n")
		for i := range 100_000 { // 6.4 GB of answers
			if _, err := fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"big"}}`+"\n", i+10); err != nil {
				return
			}
		}
	}()
	time.Sleep(300 * time.Millisecond) // the flood comes to rest in a few; a slow machine holds less by then, and no more later
	if got := heap(); got > 200<<20 {
		t.Errorf("%d MiB are held for a client that does not read", got>>20)
	}
	w := dial(t, srv)
	w.initialize(`{}`)
	if got := ask(t, w, "echo", `{"text":"x"}`); !strings.Contains(got, "echo: x") {
		t.Error(got)
	}
	stop()
	fromServer.CloseWithError(io.ErrClosedPipe)
	in.CloseWithError(io.ErrClosedPipe)
	select {
	case <-done:
	case <-time.After(slow):
		t.Error("it does not end")
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Ten thousand sessions are open, the next one is told to come back later, and all of them end.
func TestTenThousandSessionsAreOpenAndEnd(t *testing.T) {
	const many = 10_000
	srv := server.New(opener(registry(t, say("echo", tool.Read)), tool.KitOptions{}), server.Options{})
	h := srv.HTTP(server.HTTPOptions{MaxSessions: many, Rate: 1e9})
	before, routines, earlier := heap(), runtime.NumGoroutine(), goleak.IgnoreCurrent()
	open := func() *httptest.ResponseRecorder {
		q := httptest.NewRequest("POST", "http://127.0.0.1/mcp", strings.NewReader(initialize))
		q.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, q)
		return w
	}
	last := ""
	for i := range many {
		w := open()
		if last = w.Header().Get("Mcp-Session-Id"); w.Code != 200 || last == "" {
			t.Fatalf("session %d: %d %s", i, w.Code, w.Body)
		}
	}
	if w := open(); w.Code != 503 || w.Header().Get("Retry-After") == "" {
		t.Errorf("one more: %d %s", w.Code, w.Body)
	}
	if each := (int64(heap()) - int64(before)) / many; each > 8<<10 {
		t.Errorf("a session that does nothing costs %d bytes", each)
	}
	if n := runtime.NumGoroutine() - routines; n > many/10 {
		t.Errorf("%d goroutines for sessions that do nothing", n)
	}
	q := httptest.NewRequest("POST", "http://127.0.0.1/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x"}}}`))
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Mcp-Session-Id", last)
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, q); !strings.Contains(w.Body.String(), "echo: x") {
		t.Errorf("the last one: %s", w.Body)
	}
	srv.Close()
	if err := leaktest.Find(earlier); err != nil {
		t.Fatal(err)
	}
}

// A body of 100 MB is refused when it passes the bound, not when it has arrived.
func TestAHugeBodyIsRefusedBeforeItIsThere(t *testing.T) {
	ts, _ := site(t, server.HTTPOptions{})
	c, err := net.Dial("tcp", strings.TrimPrefix(ts.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(slow))
	fmt.Fprintf(c, "POST /mcp HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n", strings.TrimPrefix(ts.URL, "http://"), token)
	sent := 0
	go func() {
		chunk := fmt.Sprintf("%x\r\n%s\r\n", 1<<20, strings.Repeat(" ", 1<<20))
		for ; sent < 100; sent++ {
			if _, err := io.WriteString(c, chunk); err != nil {
				return
			}
		}
	}()
	if code, body := status(c); code != http.StatusRequestEntityTooLarge {
		t.Errorf("%d %s", code, body)
	}
}

// Who sends all before it listens, as most clients do, hears why its body is refused, and not only that the connection
// broke. Who asks first sends nothing.
func TestWhoSendsABodyThatIsTooLargeIsToldSo(t *testing.T) {
	ts, _ := site(t, server.HTTPOptions{MaxBody: 1000})
	const sent = 50 << 20 // more than the buffers of a connection hold
	for _, c := range []struct {
		name, header string
		body         io.Reader
	}{
		{"a length", fmt.Sprintf("Content-Length: %d\r\n", sent), strings.NewReader(strings.Repeat(" ", sent))},
		{"chunks", "Transfer-Encoding: chunked\r\n",
			strings.NewReader(fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", sent, strings.Repeat(" ", sent)))},
		{"a question", fmt.Sprintf("Content-Length: %d\r\nExpect: 100-continue\r\n", sent), strings.NewReader("")},
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(ts.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		conn.SetDeadline(time.Now().Add(slow))
		fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"+
			"Content-Type: application/json\r\n%s\r\n", strings.TrimPrefix(ts.URL, "http://"), token, c.header)
		if _, err := io.Copy(conn, c.body); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		code, said := status(conn)
		if code != http.StatusRequestEntityTooLarge || !strings.Contains(said, "more than 1000 bytes") {
			t.Errorf("%s: %d %s", c.name, code, said)
		}
		conn.Close()
	}
}

// A line that never ends, a batch, ten thousand requests at once: each costs an answer at most.
func TestFloodsOnStdioAreAnsweredAndHurtNobody(t *testing.T) {
	w := over(t, registry(t, say("echo", tool.Read)), tool.KitOptions{}, server.Options{})
	w.say("[%s1]", strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x"}}},`, 50_000))
	if m := w.hear(); !strings.Contains(string(m["error"]), "batches are not accepted") {
		t.Errorf("%s", m)
	}
	w.say("%s", strings.Repeat("x", 65<<20))
	if m := w.hear(); !strings.Contains(string(m["error"]), "more than") {
		t.Errorf("%s", m)
	}
	const n = 10_000
	go func() {
		for i := range n {
			w.in <- fmt.Sprintf(`{"jsonrpc":"2.0","id":"f%d","method":"tools/call","params":{"name":"echo","arguments":{"text":"x"}}}`, i)
		}
	}()
	answers := map[string]bool{}
	for range n {
		m := w.hear()
		answers[string(m["id"])] = true
	}
	if len(answers) != n {
		t.Errorf("%d of %d requests are answered", len(answers), n)
	}
}

// Many connections that say nothing, or one byte in a while, are closed; who behaves is served meanwhile.
func TestSlowLorisesAreClosed(t *testing.T) {
	ts, _ := site(t, server.HTTPOptions{BodyTime: 300 * time.Millisecond})
	host := strings.TrimPrefix(ts.URL, "http://")
	var wg sync.WaitGroup
	closed := make(chan bool, 60)
	for i := range 60 {
		wg.Go(func() {
			c, err := net.Dial("tcp", host)
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			c.SetDeadline(time.Now().Add(slow))
			if i%2 == 0 {
				io.WriteString(c, "POST /mcp HTTP/1.1\r\nHo") // headers that do not end
			} else {
				fmt.Fprintf(c, "POST /mcp HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", host, token)
			}
			_, err = io.Copy(io.Discard, c)
			var late net.Error
			closed <- !(errors.As(err, &late) && late.Timeout())
		})
	}
	code, body := 0, ""
	for end := time.Now().Add(slow); code != 200 && time.Now().Before(end); { // on a busy machine it may itself be too slow, once
		code, body, _ = post(t, ts.URL+"/mcp", strings.NewReader(initialize), nil)
	}
	if code != 200 {
		t.Errorf("a client among them: %d %s", code, body)
	}
	wg.Wait()
	close(closed)
	for ok := range closed {
		if !ok {
			t.Fatal("a connection is held for ever")
		}
	}
}

// A client that goes away while its answer is a stream: what is sent goes nowhere, and the tool is ended.
func TestATalkingCallEndsWithItsClient(t *testing.T) {
	ended := make(chan error, 1)
	talk := tool.New(tool.Spec{Name: "talk", Kind: tool.Read}, func(ctx context.Context, c *tool.Call, _ struct{}) (*tool.Result, error) {
		for i := 0; ctx.Err() == nil; i++ {
			c.Progress(tool.Progress{Done: float64(i)})
			time.Sleep(time.Millisecond)
		}
		ended <- ctx.Err()
		return nil, ctx.Err()
	})
	srv := server.New(opener(registry(t, talk), tool.KitOptions{}), server.Options{})
	ts := httptest.NewServer(srv.HTTP(server.HTTPOptions{Resume: 50 * time.Millisecond}))
	defer ts.Close()
	defer srv.Close()
	_, _, head := post(t, ts.URL+"/mcp", strings.NewReader(initialize), nil)
	ctx, gone := context.WithCancel(t.Context())
	q, _ := http.NewRequestWithContext(ctx, "POST", ts.URL+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"talk","_meta":{"progressToken":1}}}`))
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Mcp-Session-Id", head.Get("Mcp-Session-Id"))
	resp, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if d := field(t, bufio.NewScanner(resp.Body), "data"); d == "" {
		t.Log("the stream begins with an empty event")
	}
	gone()
	select {
	case <-ended:
	case <-time.After(slow):
		t.Error("the call goes on")
	}
}
