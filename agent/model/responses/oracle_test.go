package responses_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
	official "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	wire "github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"helve/agent"
	"helve/agent/model/responses"
	"helve/engine/dialect"
	"helve/internal/testing/wiretest"
)

// answer is a stream with a sealed thought, a text, a call, and the usage.
const answer = `event: response.created
data: {"type":"response.created","sequence_number":0,"response":{"id":"r","object":"response","status":"in_progress","output":[]}}

event: response.reasoning_summary_text.delta
data: {"type":"response.reasoning_summary_text.delta","sequence_number":1,"item_id":"rs_1","output_index":0,"summary_index":0,"delta":"so"}

event: response.output_text.delta
data: {"type":"response.output_text.delta","sequence_number":2,"item_id":"msg_1","output_index":1,"content_index":0,"delta":"He"}

event: response.output_text.delta
data: {"type":"response.output_text.delta","sequence_number":3,"item_id":"msg_1","output_index":1,"content_index":0,"delta":"llo"}

event: response.completed
data: {"type":"response.completed","sequence_number":4,"response":{"id":"r","object":"response","status":"completed","output":[{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"so"}],"encrypted_content":"c2VhbGVk"},{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Hello","annotations":[]}]},{"id":"fc_1","type":"function_call","call_id":"a","name":"read","arguments":"{\"n\":9007199254740993}","status":"completed"}],"usage":{"input_tokens":19,"input_tokens_details":{"cached_tokens":3},"output_tokens":5,"output_tokens_details":{"reasoning_tokens":2},"total_tokens":24}}}

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
		if err != nil || r.URL.Path != "/v1/responses" {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
		asked, keys = append(asked, in), append(keys, r.Header.Get("Authorization"))
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, answer)
	}))
	defer srv.Close()
	tools := &dialect.Set{Declarations: []dialect.Declaration{
		{JSON: json.RawMessage(`{"type":"function","name":"ls","strict":false,"parameters":{"type":"object"}}`)},
	}}
	results := []dialect.Answer{{ID: "c1", Name: "ls", Parts: []dialect.Part{dialect.Text("a.txt")}}}
	picture := dialect.Media{MIME: "image/png", Data: []byte("png")}

	m := responses.New(responses.Options{Name: "gpt-5", Key: "key", BaseURL: srv.URL + "/v1", Thinking: 8000})
	var thought, said string
	reply, err := m.Answer(t.Context(), &agent.Request{
		System: "Be brief.", MaxTokens: 100, Tools: tools,
		Messages: []agent.Message{
			agent.User{Text: "What is \"here\"?\n", Images: []dialect.Media{picture}},
			agent.Assistant{Calls: []agent.Call{{ID: "c1", Name: "ls", Args: `{"n":9007199254740993}`}}},
			agent.Results{Answers: results},
			agent.Assistant{Text: "A file."},
			agent.User{Images: []dialect.Media{picture}},
			agent.User{Text: "And?"},
		},
	}, func(d agent.Delta) { thought, said = thought+d.Thinking, said+d.Text })
	if err != nil {
		t.Fatal(err)
	}

	image := wire.ResponseInputContentUnionParam{OfInputImage: &wire.ResponseInputImageParam{
		Detail: wire.ResponseInputImageDetailAuto, ImageURL: official.String("data:image/png;base64,cG5n"),
	}}
	first := wire.ResponseInputMessageContentListParam{wire.ResponseInputContentParamOfInputText("What is \"here\"?\n"), image}
	p := wire.ResponseNewParams{
		Model:           "gpt-5",
		Instructions:    official.String("Be brief."),
		MaxOutputTokens: official.Int(100),
		Store:           official.Bool(false),
		Include:         []wire.ResponseIncludable{wire.ResponseIncludableReasoningEncryptedContent},
		Reasoning:       shared.ReasoningParam{Effort: shared.ReasoningEffortMedium, Summary: shared.ReasoningSummaryAuto},
	}
	p.Input.OfInputItemList = wire.ResponseInputParam{
		wire.ResponseInputItemParamOfMessage(first, wire.EasyInputMessageRoleUser),
		wire.ResponseInputItemParamOfFunctionCall(`{"n":9007199254740993}`, "c1", "ls"),
		param.Override[wire.ResponseInputItemUnionParam](dialect.Results(dialect.Responses, results)[0]),
		wire.ResponseInputItemParamOfMessage("A file.", wire.EasyInputMessageRoleAssistant),
		wire.ResponseInputItemParamOfMessage(wire.ResponseInputMessageContentListParam{image}, wire.EasyInputMessageRoleUser),
		wire.ResponseInputItemParamOfMessage("And?", wire.EasyInputMessageRoleUser),
	}
	p.Tools = []wire.ToolUnionParam{param.Override[wire.ToolUnionParam](tools.Declarations[0].JSON)}
	client := official.NewClient(option.WithAPIKey("key"), option.WithBaseURL(srv.URL+"/v1"))
	stream := client.Responses.NewStreaming(t.Context(), p)
	var whole wire.Response
	for stream.Next() {
		if e := stream.Current(); e.Type == "response.completed" {
			whole = e.Response
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}

	if d := cmp.Diff(asked[1], asked[0]); d != "" || keys[0] != keys[1] {
		t.Errorf("keys %q, -official +ours:\n%s", keys, d)
	}
	want := agent.Reply{Stop: agent.Calls, Usage: agent.Usage{Input: whole.Usage.InputTokens,
		Output: whole.Usage.OutputTokens, Cached: whole.Usage.InputTokensDetails.CachedTokens}}
	want.Text, want.Provider = whole.OutputText(), "openai-responses"
	for _, it := range whole.Output {
		if it.Type == "function_call" {
			want.Calls = append(want.Calls, agent.Call{ID: it.CallID, Name: it.Name, Args: it.AsFunctionCall().Arguments})
		}
	}
	native := reply.Native
	reply.Native = nil
	if d := cmp.Diff(&want, reply); d != "" || thought != "so" || said != "Hello" {
		t.Errorf("thought %q, said %q, -official +ours:\n%s", thought, said, d)
	}

	// What it thought goes back sealed, and nothing by a name of what the provider did not store, but for the thought's.
	reply.Native = native
	_, err = m.Answer(t.Context(), &agent.Request{Messages: []agent.Message{reply.Assistant}}, func(agent.Delta) {})
	if err != nil {
		t.Fatal(err)
	}
	back := []any{
		map[string]any{"id": "rs_1", "type": "reasoning", "encrypted_content": "c2VhbGVk",
			"summary": []any{map[string]any{"type": "summary_text", "text": "so"}}},
		map[string]any{"type": "message", "role": "assistant", "content": []any{
			map[string]any{"type": "output_text", "text": "Hello", "annotations": []any{}}}},
		map[string]any{"type": "function_call", "call_id": "a", "name": "read", "arguments": `{"n":9007199254740993}`},
	}
	if d := cmp.Diff(back, asked[2]["input"]); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// How an answer ends is told apart, and what the server says of its own trouble is asked again.
func TestHowAnAnswerEnds(t *testing.T) {
	ends := func(kind, rest string) string {
		return "event: x\ndata: {\"type\":\"" + kind + "\"," + rest + "}\n\n"
	}
	const text = `"output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"so"}]}]`
	for _, c := range []struct {
		raw   string
		stop  agent.Stop
		again bool // it is worth asking again
	}{
		{ends("response.completed", `"response":{"status":"completed",`+text+`}`), agent.Done, false},
		{ends("response.incomplete", `"response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},`+text+`}`), agent.Length, false},
		{ends("response.incomplete", `"response":{"status":"incomplete","incomplete_details":{"reason":"content_filter"}}`), agent.Refused, false},
		{ends("response.completed", `"response":{"output":[{"type":"message","content":[{"type":"refusal","refusal":"no"}]}]}`), agent.Refused, false},
		{ends("response.failed", `"response":{"error":{"code":"server_error","message":"trouble"}}`), "", true},
		{ends("response.failed", `"response":{"error":{"code":"invalid_prompt","message":"no"}}`), "", false},
		{ends("error", `"code":"rate_limit_exceeded","message":"slow down"`), "", true},
		{ends("response.output_text.delta", `"delta":"so"`), "", true},
		{"data: garbage\n\n", "", true},
		{"", "", true},
	} {
		srv := wiretest.Responses(t, wiretest.Turn{Raw: c.raw + "\n"})
		m := responses.New(responses.Options{Name: "gpt-4.1", Key: "none", BaseURL: srv.URL})
		reply, err := m.Answer(t.Context(), &agent.Request{}, func(agent.Delta) {})
		var transient *agent.Transient
		switch {
		case c.stop != "" && (err != nil || reply.Stop != c.stop):
			t.Errorf("%s: %+v, %v", c.raw, reply, err)
		case c.stop == "" && (err == nil || errors.As(err, &transient) != c.again):
			t.Errorf("%s: %v", c.raw, err)
		}
	}
}
