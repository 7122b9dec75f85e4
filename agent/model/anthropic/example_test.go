package anthropic_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"

	"helve/agent"
	"helve/agent/model/anthropic"
)

// A model answers a conversation, here one of a single sentence. An agent.Agent does the rest: it calls the tools that
// the model asks for and tells it what they returned. The server stands in for the provider and speaks its streaming
// format.
func Example() {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Model    string
			Messages []struct{ Content []struct{ Text string } }
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		fmt.Println("asked:", r.URL.Path, asked.Model, asked.Messages[0].Content[0].Text)
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, `event: message_start
data: {"type":"message_start","message":{"role":"assistant","content":[],"usage":{"input_tokens":19,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Bl"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"ue"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}

event: message_stop
data: {"type":"message_stop"}

`)
	}))
	defer srv.Close()

	m := anthropic.New(anthropic.Options{Name: "claude-sonnet-4-5", Key: "none", BaseURL: srv.URL})
	reply, err := m.Answer(context.Background(), &agent.Request{
		System:   "Answer in one word.",
		Messages: []agent.Message{agent.User{Text: "Which colour has the sky?"}},
	}, func(d agent.Delta) { fmt.Printf("piece: %q\n", d.Text) })
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %s, %s, %d tokens read\n", m.Name(), reply.Text, reply.Stop, reply.Usage.Input)
	// Output:
	// asked: /v1/messages claude-sonnet-4-5 Which colour has the sky?
	// piece: "Bl"
	// piece: "ue"
	// anthropic/claude-sonnet-4-5: Blue, done, 19 tokens read
}
