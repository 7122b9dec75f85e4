package gemini_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genai"

	"helve/agent"
	"helve/agent/model/gemini"
	"helve/engine/dialect"
)

// answer is a stream with a thought, a text in pieces, a signed call and the usage.
const answer = `data: {"candidates":[{"content":{"role":"model","parts":[{"text":"hm","thought":true}]}}]}

data: {"candidates":[{"content":{"role":"model","parts":[{"text":"He"}]}}]}

data: {"candidates":[{"content":{"role":"model","parts":[{"text":"llo"},{"functionCall":{"id":"a","name":"ls","args":{"n":9007199254740993}},"thoughtSignature":"c2ln"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":19,"candidatesTokenCount":5,"thoughtsTokenCount":2,"cachedContentTokenCount":3}}

`

// What is asked is what the official library asks, and an answer is taken for the same.
func TestTheOfficialLibraryAsksTheSame(t *testing.T) {
	var asked []map[string]any
	var keys []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var in map[string]any
		if err == nil {
			err = json.Unmarshal(body, &in)
		}
		if err != nil || r.URL.String() != "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse" {
			t.Errorf("%s: %v", r.URL, err)
		}
		asked, keys = append(asked, in), append(keys, r.Header.Get("X-Goog-Api-Key"))
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, answer)
	}))
	defer srv.Close()
	declared := json.RawMessage(`{"name":"ls","parametersJsonSchema":{"type":"object"}}`)
	tools := &dialect.Set{Dialect: dialect.GeminiJSON, Declarations: []dialect.Declaration{{JSON: declared}}}
	results := []dialect.Answer{{ID: "c1", Name: "ls", Parts: []dialect.Part{dialect.Text("a.txt")}}}
	native := json.RawMessage(`{"role":"model","parts":[{"text":"so","thoughtSignature":"c2ln"}]}`)

	picture := dialect.Media{MIME: "image/png", Data: []byte("png")}
	m, err := gemini.New(gemini.Options{Name: "gemini-2.5-pro", Key: "key", BaseURL: srv.URL})
	if err != nil {
		t.Fatal(err)
	}
	reply, err := m.Answer(t.Context(), &agent.Request{
		System: "Be brief.", MaxTokens: 100, Tools: tools,
		Messages: []agent.Message{
			agent.User{Text: "What is \"here\"?\n", Images: []dialect.Media{picture}},
			agent.User{Images: []dialect.Media{picture}},
			agent.Assistant{Calls: []agent.Call{{ID: "c1", Name: "ls", Args: `{"n":1}`}}},
			agent.Results{Answers: results},
			agent.Assistant{Text: "so", Provider: "gemini", Native: native},
		},
	}, func(agent.Delta) {})
	if err != nil {
		t.Fatal(err)
	}

	client, err := genai.NewClient(t.Context(), &genai.ClientConfig{
		APIKey: "key", Backend: genai.BackendGeminiAPI, HTTPOptions: genai.HTTPOptions{BaseURL: srv.URL},
	})
	if err != nil {
		t.Fatal(err)
	}
	read := func(raw json.RawMessage) *genai.Content {
		var c genai.Content
		if err := json.Unmarshal(raw, &c); err != nil {
			t.Fatal(err)
		}
		return &c
	}
	config := &genai.GenerateContentConfig{MaxOutputTokens: 100, SystemInstruction: &genai.Content{Parts: []*genai.Part{{Text: "Be brief."}}}}
	if err := json.Unmarshal(tools.JSON(), &config.Tools); err != nil {
		t.Fatal(err)
	}
	shown := &genai.Part{InlineData: &genai.Blob{MIMEType: "image/png", Data: []byte("png")}}
	contents := []*genai.Content{
		{Role: genai.RoleUser, Parts: []*genai.Part{{Text: "What is \"here\"?\n"}, shown}},
		{Role: genai.RoleUser, Parts: []*genai.Part{shown}},
		{Role: genai.RoleModel, Parts: []*genai.Part{{FunctionCall: &genai.FunctionCall{ID: "c1", Name: "ls", Args: map[string]any{"n": 1}}}}},
		read(dialect.Results(dialect.GeminiJSON, results)[0]),
		read(native),
	}
	var text string
	var calls []agent.Call
	var usage agent.Usage
	for chunk, err := range client.Models.GenerateContentStream(t.Context(), "gemini-2.5-pro", contents, config) {
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range chunk.Candidates[0].Content.Parts {
			if p.FunctionCall != nil {
				calls = append(calls, agent.Call{ID: p.FunctionCall.ID, Name: p.FunctionCall.Name, Args: `{"n":9007199254740993}`}) // the library rounds
			} else if !p.Thought {
				text += p.Text
			}
		}
		if u := chunk.UsageMetadata; u != nil {
			usage = agent.Usage{Input: int64(u.PromptTokenCount), Cached: int64(u.CachedContentTokenCount),
				Output: int64(u.CandidatesTokenCount + u.ThoughtsTokenCount)}
		}
	}

	if d := cmp.Diff(asked[1], asked[0]); d != "" || keys[0] != keys[1] {
		t.Errorf("keys %q, -official +ours:\n%s", keys, d)
	}
	if d := cmp.Diff(calls, reply.Calls); d != "" || reply.Text != text || reply.Usage != usage || reply.Stop != agent.Calls {
		t.Errorf("%q %+v %v, want %q %+v; -official +ours:\n%s", reply.Text, reply.Usage, reply.Stop, text, usage, d)
	}
	var back, want any
	_ = json.Unmarshal(reply.Native, &back)
	_ = json.Unmarshal([]byte(`{"role":"model","parts":[{"text":"hm","thought":true},{"text":"Hello"},
		{"functionCall":{"id":"a","name":"ls","args":{"n":9007199254740993}},"thoughtSignature":"c2ln"}]}`), &want)
	if d := cmp.Diff(want, back); d != "" {
		t.Errorf("what goes back: -want +got:\n%s", d)
	}
}
