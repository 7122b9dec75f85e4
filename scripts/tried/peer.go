package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// maxBody bounds what is read of a request, in bytes.
const maxBody = 8 << 20

// A peer is a model that asks for one call and repeats its result, in the wire formats of OpenAI and Anthropic, and a
// collector of spans.
type peer struct {
	mu    sync.Mutex
	spans bytes.Buffer // as they came
}

// ServeHTTP is a provider's server, and a collector's.
func (p *peer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	switch r.URL.Path {
	case "/v1/chat/completions":
		stream(w, openAI(body))
	case "/v1/messages":
		stream(w, anthropic(body))
	case "/v1/traces":
		p.mu.Lock()
		p.spans.Write(body)
		p.mu.Unlock()
	case "/v1/metrics":
	default:
		http.NotFound(w, r)
	}
}

// told tells whether spans have a text in them, soon.
func (p *peer) told(text string) error {
	for range 100 {
		p.mu.Lock()
		is := bytes.Contains(p.spans.Bytes(), []byte(text))
		p.mu.Unlock()
		if is {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("no span says %q", text)
}

// stream answers with server-sent events.
func stream(w http.ResponseWriter, events []string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		fmt.Fprintf(w, "data: %s\n\n", e)
	}
}

// openAI answers in the form of Chat Completions.
func openAI(body []byte) []string {
	var r struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	_ = json.Unmarshal(body, &r) // what is no request is answered as the first
	delta := `{"tool_calls":[{"index":0,"id":"c1","type":"function",` +
		`"function":{"name":"read","arguments":"{\"file_path\":\"prices.txt\"}"}}]}`
	stop := "tool_calls"
	if n := len(r.Messages); n > 0 && r.Messages[n-1].Role == "tool" {
		delta, stop = `{"content":`+said(r.Messages[n-1].Content)+`}`, "stop"
	}
	return []string{
		`{"choices":[{"index":0,"delta":` + delta + `}]}`,
		`{"choices":[{"index":0,"delta":{},"finish_reason":"` + stop + `"}]}`,
		`{"choices":[],"usage":{"prompt_tokens":2,"completion_tokens":1,"total_tokens":3}}`,
		`[DONE]`,
	}
}

// anthropic answers in the form of Messages.
func anthropic(body []byte) []string {
	var r struct {
		Messages []struct{ Content json.RawMessage }
	}
	_ = json.Unmarshal(body, &r)
	block := `{"type":"tool_use","id":"c1","name":"read","input":{}}`
	delta := `{"type":"input_json_delta","partial_json":"{\"file_path\":\"prices.txt\"}"}`
	stop := "tool_use"
	if n := len(r.Messages); n > 0 && bytes.Contains(r.Messages[n-1].Content, []byte(`"tool_result"`)) {
		block, stop = `{"type":"text","text":""}`, "end_turn"
		delta = `{"type":"text_delta","text":` + said(r.Messages[n-1].Content) + `}`
	}
	return []string{
		`{"type":"message_start","message":{"role":"assistant","content":[],` +
			`"usage":{"input_tokens":2,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":` + block + `}`,
		`{"type":"content_block_delta","index":0,"delta":` + delta + `}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"message_delta","delta":{"stop_reason":"` + stop + `"},"usage":{"output_tokens":2}}`,
		`{"type":"message_stop"}`,
	}
}

// said is an answer that repeats a tool's result, as JSON.
func said(result json.RawMessage) string {
	text := strings.ToValidUTF8(string(result), "")
	b, err := json.Marshal("The tool said: " + text)
	if err != nil {
		return `""`
	}
	return string(b)
}
