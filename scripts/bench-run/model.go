package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"time"
)

// A model answers Chat Completions at once: a prompt with calls of tools, and their results with words.
type model struct {
	http      *httptest.Server
	summaries atomic.Int64

	mu    sync.Mutex
	first chan time.Time // gets the time of the next request; nil: nobody waits for it
}

// maxBody is more than a conversation grows to before it is summed up.
const maxBody = 64 << 20

// bytesToken is how many bytes a token has: few, so that each tenth of a long conversation is summed up several times.
const bytesToken = 1

func serveModel() *model {
	m := &model{}
	m.http = httptest.NewServer(http.HandlerFunc(m.answer))
	return m
}

// next has the time of the next request sent.
func (m *model) next() chan time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.first = make(chan time.Time, 1)
	return m.first
}

func (m *model) noted() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.first != nil {
		m.first <- time.Now()
		m.first = nil
	}
}

// answer answers by what was said last: a prompt by three calls, results by words. Where no tools are offered it is
// asked for a summary.
func (m *model) answer(w http.ResponseWriter, r *http.Request) {
	m.noted()
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		return
	}
	const call = `{"index":%d,"id":"c%d","type":"function","function":{"name":"%s","arguments":%q}}`
	delta, why := `{"content":"Done, as it was wanted."}`, "stop"
	last := body[bytes.LastIndex(body, []byte(`"role":`)):]
	switch {
	case !bytes.Contains(body, []byte(`"tools":[`)):
		m.summaries.Add(1)
		delta = `{"content":"What was wanted was done."}`
	case bytes.HasPrefix(last, []byte(`"role":"user"`)) && bytes.Contains(last, []byte("work")):
		delta, why = `{"tool_calls":[`+
			fmt.Sprintf(call, 0, 0, "read", `{"file_path":"d0/f0.txt"}`)+","+
			fmt.Sprintf(call, 1, 1, "grep", `{"pattern":"line 7","path":"d0"}`)+","+
			fmt.Sprintf(call, 2, 2, "bash", `{"command":"date +%N > now.txt; cat now.txt"}`)+`]}`, "tool_calls"
	}
	w.Header().Set("Content-Type", "text/event-stream")
	const (
		said = `data: {"choices":[{"index":0,"delta":%s,"finish_reason":%q}]}` + "\n\n"
		used = `data: {"choices":[],"usage":{"prompt_tokens":%d,"total_tokens":%[3]d}}` + "\n\n"
	)
	fmt.Fprintf(w, said+used+"data: [DONE]\n\n", delta, why, len(body)/bytesToken)
}
