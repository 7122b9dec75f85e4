package openai_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"helve/agent"
	"helve/agent/model/openai"
)

// The tokens of a server that does not add them up count all the same: by them a long conversation is summed up in time.
func TestTokensCountWithoutTheirSum(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}`+"\n\n"+
			`data: {"choices":[],"usage":{"prompt_tokens":19,"completion_tokens":1}}`+"\n\ndata: [DONE]\n\n") // who asked may be gone
	}))
	defer srv.Close()
	m := openai.New(openai.Options{Name: "m", Key: "key", BaseURL: srv.URL + "/v1"})
	reply, err := m.Answer(t.Context(), &agent.Request{Messages: []agent.Message{agent.User{Text: "Hi."}}}, func(agent.Delta) {})
	if err != nil || reply.Usage != (agent.Usage{Input: 19, Output: 1}) {
		t.Errorf("%+v, %v", reply, err)
	}
}
