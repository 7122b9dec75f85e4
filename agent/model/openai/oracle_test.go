package openai_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
	official "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"

	"helve/agent"
	"helve/agent/model/openai"
	"helve/engine/dialect"
)

// answer is a stream with a text, two calls in pieces, and the usage.
const answer = `data: {"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":"He"}}]}

data: {"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"llo","tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"read","arguments":"{\"file"}}]}}]}

data: {"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"_path\":\"x\"}"}},{"index":1,"id":"b","type":"function","function":{"name":"ls","arguments":"{}"}}]}}]}

data: {"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

data: {"id":"1","object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":19,"completion_tokens":5,"total_tokens":24,"prompt_tokens_details":{"cached_tokens":3}}}

data: [DONE]

`

// What is asked, and what an answer is taken for, is what the official library asks and takes it for.
func TestTheOfficialLibraryAsksTheSame(t *testing.T) {
	var asked []map[string]any
	var keys []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var in map[string]any
		if err == nil {
			err = json.Unmarshal(body, &in)
		}
		if err != nil || r.URL.Path != "/v1/chat/completions" {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
		asked, keys = append(asked, in), append(keys, r.Header.Get("Authorization"))
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, answer)
	}))
	defer srv.Close()
	tools := &dialect.Set{Declarations: []dialect.Declaration{
		{JSON: json.RawMessage(`{"type":"function","function":{"name":"ls","parameters":{"type":"object"}}}`)},
	}}
	results := []dialect.Answer{{ID: "c1", Name: "ls", Parts: []dialect.Part{dialect.Text("a.txt")}}}

	m := openai.New(openai.Options{Name: "gpt-5", Key: "key", BaseURL: srv.URL + "/v1", Thinking: 1000})
	reply, err := m.Answer(t.Context(), &agent.Request{
		System: "Be brief.", MaxTokens: 100, Tools: tools,
		Messages: []agent.Message{
			agent.User{Text: "What is \"here\"?\n"},
			agent.Assistant{Text: "", Calls: []agent.Call{{ID: "c1", Name: "ls", Args: `{"n":9007199254740993}`}}},
			agent.Results{Answers: results},
			agent.Assistant{Text: "A file."},
			agent.User{Text: "And?", Images: []dialect.Media{{MIME: "image/png", Data: []byte("png")}}},
			agent.User{Images: []dialect.Media{{MIME: "image/png", Data: []byte("png")}}},
		},
	}, func(agent.Delta) {})
	if err != nil {
		t.Fatal(err)
	}

	p := official.ChatCompletionNewParams{Model: "gpt-5", MaxCompletionTokens: official.Int(100)}
	p.StreamOptions.IncludeUsage = official.Bool(true)
	call := official.ChatCompletionMessageFunctionToolCallParam{ID: "c1"}
	call.Function.Name, call.Function.Arguments = "ls", `{"n":9007199254740993}`
	shown := official.ImageContentPart(official.ChatCompletionContentPartImageImageURLParam{URL: "data:image/png;base64,cG5n"})
	p.Messages = []official.ChatCompletionMessageParamUnion{
		official.SystemMessage("Be brief."),
		official.UserMessage("What is \"here\"?\n"),
		{OfAssistant: &official.ChatCompletionAssistantMessageParam{
			ToolCalls: []official.ChatCompletionMessageToolCallUnionParam{{OfFunction: &call}},
		}},
		param.Override[official.ChatCompletionMessageParamUnion](dialect.Results(dialect.OpenAI, results)[0]),
		official.AssistantMessage("A file."),
		official.UserMessage([]official.ChatCompletionContentPartUnionParam{official.TextContentPart("And?"), shown}),
		official.UserMessage([]official.ChatCompletionContentPartUnionParam{shown}),
	}
	p.ReasoningEffort = "low"
	p.Tools = []official.ChatCompletionToolUnionParam{
		param.Override[official.ChatCompletionToolUnionParam](tools.Declarations[0].JSON),
	}
	client := official.NewClient(option.WithAPIKey("key"), option.WithBaseURL(srv.URL+"/v1"))
	stream := client.Chat.Completions.NewStreaming(t.Context(), p)
	var whole official.ChatCompletionAccumulator
	for stream.Next() {
		whole.AddChunk(stream.Current())
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}

	if d := cmp.Diff(asked[1], asked[0]); d != "" || keys[0] != keys[1] {
		t.Errorf("keys %q, -official +ours:\n%s", keys, d)
	}
	said := whole.Choices[0].Message
	want := agent.Reply{Usage: agent.Usage{Input: whole.Usage.PromptTokens, Output: whole.Usage.CompletionTokens,
		Cached: whole.Usage.PromptTokensDetails.CachedTokens}, Stop: agent.Calls}
	want.Text, want.Provider = said.Content, "openai"
	for _, c := range said.ToolCalls {
		want.Calls = append(want.Calls, agent.Call{ID: c.ID, Name: c.Function.Name, Args: c.Function.Arguments})
	}
	if d := cmp.Diff(&want, reply); d != "" {
		t.Errorf("-official +ours:\n%s", d)
	}
}
