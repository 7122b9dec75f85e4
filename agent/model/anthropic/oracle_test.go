package anthropic_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	official "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/param"
	"github.com/google/go-cmp/cmp"

	"helve/agent"
	"helve/agent/model/anthropic"
	"helve/engine/dialect"
)

// answer is a stream with signed and hidden thinking, a text in pieces, two calls and what the cache spared.
const answer = `event: message_start
data: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"usage":{"input_tokens":19,"cache_read_input_tokens":3,"cache_creation_input_tokens":4,"output_tokens":1}}}

event: ping
data: {"type": "ping"}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"h"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"m"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"aGlkZGVu"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: content_block_start
data: {"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"He <"}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"llo>"}}

event: content_block_stop
data: {"type":"content_block_stop","index":2}

event: content_block_start
data: {"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"a","name":"read","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"file"}}

event: content_block_delta
data: {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"_path\":\"x\",\"n\":9007199254740993}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":3}

event: content_block_start
data: {"type":"content_block_start","index":4,"content_block":{"type":"tool_use","id":"b","name":"ls","input":{}}}

event: content_block_stop
data: {"type":"content_block_stop","index":4}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":7}}

event: message_stop
data: {"type":"message_stop"}

`

// An ask is what a server saw of a request.
type ask struct {
	Path, Key, Token, Version, Type string
	Body                            map[string]any
}

// recorder answers every request with answer, and keeps what was asked.
func recorder(t *testing.T) (url string, asked *[]ask) {
	asked = new([]ask)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		h := r.Header
		one := ask{Path: r.URL.String(), Key: h.Get("X-Api-Key"), Token: h.Get("Authorization"),
			Version: h.Get("Anthropic-Version"), Type: h.Get("Content-Type")}
		if err == nil {
			err = json.Unmarshal(body, &one.Body)
		}
		if err != nil {
			t.Errorf("%s: %v", body, err)
		}
		*asked = append(*asked, one)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(srv.Close)
	return srv.URL, asked
}

// What is asked, and what an answer is taken for, is what the official library asks and takes it for.
func TestTheOfficialLibraryAsksTheSame(t *testing.T) {
	url, asked := recorder(t)
	tools := &dialect.Set{Declarations: []dialect.Declaration{
		{JSON: json.RawMessage(`{"name":"ls","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}}`)},
	}}
	results := []dialect.Answer{{ID: "c1", Name: "ls", Parts: []dialect.Part{dialect.Text("a.txt")}}}
	native := json.RawMessage(`{"role":"assistant","content":[{"type":"thinking","thinking":"so","signature":"c2ln"}]}`)

	m := anthropic.New(anthropic.Options{Name: "claude-sonnet-4-5", Key: "key", BaseURL: url, Thinking: 2000})
	reply, err := m.Answer(t.Context(), &agent.Request{
		System: "Be brief.", MaxTokens: 100, Tools: tools,
		Messages: []agent.Message{
			agent.User{Text: "What is \"here\"? <&>\n", Images: []dialect.Media{{MIME: "image/png", Data: []byte("png")}}},
			agent.Assistant{Text: "I look.", Calls: []agent.Call{{ID: "c1", Name: "ls", Args: `{"n":9007199254740993}`}}},
			agent.Results{Answers: results},
			agent.Assistant{Text: "so", Provider: "anthropic", Native: native},
			agent.Assistant{}, // says nothing, and is left out
			agent.User{Images: []dialect.Media{{MIME: "image/png", Data: []byte("png")}}}, // an empty text is refused
			agent.User{Text: "And?"},
		},
	}, func(agent.Delta) {})
	if err != nil {
		t.Fatal(err)
	}

	p := official.MessageNewParams{Model: "claude-sonnet-4-5", MaxTokens: 2100}
	p.Thinking = official.ThinkingConfigParamOfEnabled(2000)
	p.System = []official.TextBlockParam{{Text: "Be brief.", CacheControl: official.NewCacheControlEphemeralParam()}}
	last := official.NewTextBlock("And?")
	last.OfText.CacheControl = official.NewCacheControlEphemeralParam()
	p.Messages = []official.MessageParam{
		official.NewUserMessage(official.NewImageBlockBase64("image/png", "cG5n"), official.NewTextBlock("What is \"here\"? <&>\n")),
		official.NewAssistantMessage(official.NewTextBlock("I look."),
			official.NewToolUseBlock("c1", json.RawMessage(`{"n":9007199254740993}`), "ls")),
		param.Override[official.MessageParam](dialect.Results(dialect.Anthropic, results)[0]),
		param.Override[official.MessageParam](native),
		official.NewUserMessage(official.NewImageBlockBase64("image/png", "cG5n")),
		official.NewUserMessage(last),
	}
	p.Tools = []official.ToolUnionParam{param.Override[official.ToolUnionParam](tools.Declarations[0].JSON)}
	client := official.NewClient(option.WithAPIKey("key"), option.WithBaseURL(url))
	stream := client.Messages.NewStreaming(t.Context(), p)
	var whole official.Message
	for stream.Next() {
		if err := whole.Accumulate(stream.Current()); err != nil {
			t.Fatal(err)
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}

	if d := cmp.Diff((*asked)[1], (*asked)[0]); d != "" {
		t.Errorf("-official +ours:\n%s", d)
	}
	if d := cmp.Diff(replyOf(&whole), reply, cmp.Comparer(sameJSON)); d != "" {
		t.Errorf("-official +ours:\n%s", d)
	}
}

// replyOf is what the official library put together, as a reply.
func replyOf(whole *official.Message) *agent.Reply {
	u := whole.Usage
	want := &agent.Reply{Stop: agent.Calls, Usage: agent.Usage{Output: u.OutputTokens, Cached: u.CacheReadInputTokens, Written: u.CacheCreationInputTokens,
		Input: u.InputTokens + u.CacheReadInputTokens + u.CacheCreationInputTokens}}
	want.Provider = "anthropic"
	for _, b := range whole.Content {
		switch b.Type {
		case "text":
			want.Text += b.Text
		case "tool_use":
			want.Calls = append(want.Calls, agent.Call{ID: b.ID, Name: b.Name, Args: string(b.Input)})
		}
	}
	want.Native, _ = json.Marshal(whole.ToParam())
	return want
}

// sameJSON tells whether two texts of JSON say the same.
func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && cmp.Equal(x, y)
}

// The variables that the official library reads are read.
func TestKeysAndServersStandInTheEnvironment(t *testing.T) {
	url, asked := recorder(t)
	for _, c := range []struct{ name, value, key, token string }{
		{"ANTHROPIC_API_KEY", "k", "k", ""},
		{"ANTHROPIC_AUTH_TOKEN", "t", "", "Bearer t"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("ANTHROPIC_API_KEY", "")
			t.Setenv("ANTHROPIC_AUTH_TOKEN", "")
			t.Setenv("ANTHROPIC_BASE_URL", url+"/")
			t.Setenv(c.name, c.value)
			*asked = nil
			question := []agent.Message{agent.User{Text: "?"}}
			m := anthropic.New(anthropic.Options{Name: "n"})
			_, err := m.Answer(t.Context(), &agent.Request{Messages: question}, func(agent.Delta) {})
			block := official.NewTextBlock("?")
			block.OfText.CacheControl = official.NewCacheControlEphemeralParam()
			client := official.NewClient()
			stream := client.Messages.NewStreaming(t.Context(), official.MessageNewParams{
				Model: "n", MaxTokens: 8192,
				Messages: []official.MessageParam{official.NewUserMessage(block)},
			})
			if !stream.Next() || err != nil {
				t.Fatal(stream.Err(), err)
			}
			stream.Close()
			got := (*asked)[0]
			if got.Key != c.key || got.Token != c.token {
				t.Errorf("got %+v, want %+v", got, c)
			}
			if d := cmp.Diff((*asked)[1], got); d != "" {
				t.Errorf("-official +ours:\n%s", d)
			}
		})
	}
}
