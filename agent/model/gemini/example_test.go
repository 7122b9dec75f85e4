package gemini_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"

	"helve/agent"
	"helve/agent/model/gemini"
)

// A model answers a conversation, here one of a single sentence. An agent.Agent does the rest: it calls the tools that
// the model asks for and tells it what they returned. The server stands in for the provider and speaks its streaming
// format.
func Example() {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Contents []struct{ Parts []struct{ Text string } }
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		fmt.Println("asked:", r.URL.Path, asked.Contents[0].Parts[0].Text)
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, `data: {"candidates":[{"content":{"role":"model","parts":[{"text":"Bl"}]}}]}

data: {"candidates":[{"content":{"role":"model","parts":[{"text":"ue"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":19,"candidatesTokenCount":1}}

`)
	}))
	defer srv.Close()

	m, err := gemini.New(gemini.Options{Name: "gemini-2.5-pro", Key: "none", BaseURL: srv.URL})
	if err != nil {
		fmt.Println(err)
		return
	}
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
	// asked: /v1beta/models/gemini-2.5-pro:streamGenerateContent Which colour has the sky?
	// piece: "Bl"
	// piece: "ue"
	// gemini/gemini-2.5-pro: Blue, done, 19 tokens read
}
