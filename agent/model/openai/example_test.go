package openai_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"

	"helve/agent"
	"helve/agent/model/openai"
)

// A model answers a conversation, here one of a single sentence. An agent.Agent does the rest: it calls the tools that
// the model asks for and tells it what they returned. The server stands in for the provider and speaks its streaming
// format.
func Example() {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Model    string
			Messages []struct{ Role, Content string }
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		fmt.Println("asked:", r.URL.Path, asked.Model, asked.Messages[1].Content)
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"Bl"}}]}

data: {"choices":[{"index":0,"delta":{"content":"ue"},"finish_reason":"stop"}]}

data: {"choices":[],"usage":{"prompt_tokens":19,"completion_tokens":1,"total_tokens":20}}

data: [DONE]

`)
	}))
	defer srv.Close()

	m := openai.New(openai.Options{Name: "gpt-5", Key: "none", BaseURL: srv.URL})
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
	// asked: /chat/completions gpt-5 Which colour has the sky?
	// piece: "Bl"
	// piece: "ue"
	// openai/gpt-5: Blue, done, 19 tokens read
}
