package responses_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"helve/agent"
	"helve/agent/model/responses"
)

// A model answers a conversation, here one of a single sentence. The server stands in for the provider and speaks its
// streaming format.
func Example() {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println("asked:", r.URL.Path)
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, `data: {"type":"response.output_text.delta","delta":"Blue"}

data: {"type":"response.completed","response":{"status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Blue"}]}],"usage":{"input_tokens":19,"output_tokens":1}}}

`)
	}))
	defer srv.Close()

	m := responses.New(responses.Options{Name: "gpt-5", Key: "none", BaseURL: srv.URL})
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
	// asked: /responses
	// piece: "Blue"
	// openai-responses/gpt-5: Blue, done, 19 tokens read
}
