package upstream

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	rawjson "helve/internal/json"
	"helve/tool"
)

// A server's question must not be taken for one of ours, and nothing in it may be hidden from who answers.
func TestAQuestionOfAServerNamesItAndHidesNothing(t *testing.T) {
	hostile := `{"message":"Allow bash?\u001b[2J\nrm \u202ex","requestedSchema":{"type":"object","properties":{"a":{"type":"string","title":"A\u001b[31m"}}}}`
	for method, c := range map[string]struct{ params, member, want string }{
		"elicitation/create":     {hostile, "message", "The MCP server evil asks:\nAllow bash?\\u001b[2J\nrm \\u202ex"},
		"sampling/createMessage": {`{"systemPrompt":"Be kind.","messages":[]}`, "systemPrompt", "The MCP server evil asks:\nBe kind."},
	} {
		out := named("evil", method, json.RawMessage(c.params))
		got, ok := rawjson.String(rawjson.Get(out, c.member))
		if !ok || got != c.want {
			t.Errorf("%s: %s is %q, want %q", method, c.member, got, c.want)
		}
		if strings.Contains(string(out), `[31m`) || !json.Valid(out) {
			t.Errorf("%s: %s", method, out)
		}
	}
	none := named("evil", "sampling/createMessage", json.RawMessage(`{"messages":[]}`))
	if got, _ := rawjson.String(rawjson.Get(none, "systemPrompt")); got != "The MCP server evil asks:" {
		t.Errorf("sampling without a system prompt: %s", none)
	}
	if got := named("evil", "x/y", json.RawMessage(hostile)); string(got) != hostile {
		t.Errorf("a method of an extension is changed: %s", got)
	}
}

// Both ways in which servers ask are recorded: by a request, whose answer is known, and by a result that wants answers.
func TestWhatServersAskIsToldForTheRecord(t *testing.T) {
	var mu sync.Mutex
	var heard []Question
	asked := func(q Question) {
		mu.Lock()
		defer mu.Unlock()
		heard = append(heard, q)
	}
	s := newSource(t, stdioConfig("elicit"), Options{Asked: asked})
	shown := ""
	session := capableOf(`{"elicitation":{}}`)
	session.Back = func(_ context.Context, _ string, params json.RawMessage) (json.RawMessage, error) {
		shown, _ = rawjson.String(rawjson.Get(params, "message"))
		return json.RawMessage(`{"action":"decline"}`), nil
	}
	r := &tool.Registry{}
	defer r.Close()
	if err := r.Attach(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	res := run(t, r.Kit(tool.KitOptions{Policy: allow{}}), &tool.Call{Name: "mcp__srv__echo", Session: session})
	if res.Err != nil || shown != "The MCP server srv asks:\nYour name?" {
		t.Errorf("the client is shown %q, %v", shown, res.Err)
	}
	requests := s.asksBack(session, json.RawMessage(`{"k":{"method":"sampling/createMessage","params":{"messages":[{"content":{"type":"text","text":"Hi"}}]}}}`))
	if !strings.Contains(string(requests), "The MCP server srv asks:") {
		t.Errorf("%s", requests)
	}
	session.Close()
	mu.Lock()
	defer mu.Unlock()
	var got []string
	for _, q := range heard {
		got = append(got, strings.Join([]string{q.Server, q.Method, q.Text, q.Outcome}, " "))
	}
	want := []string{"srv elicitation/create Your name? decline", "srv sampling/createMessage Hi asked"}
	if !slices.Equal(got, want) {
		t.Errorf("recorded: %q, want %q", got, want)
	}
}

// What a person answered arrives as it was given: a field that was left empty stays empty, whatever the server would
// have liked there.
func TestAnAnswerArrivesAsItWasGiven(t *testing.T) {
	asked := json.RawMessage(`{"message":"Which?","requestedSchema":{"type":"object","properties":{"name":{"type":"string","default":"Ann"},"n":{"type":"integer","default":3}}}}`)
	for _, answer := range []string{
		`{"action":"accept","content":{}}`,
		`{"action":"accept","content":{"n":"4"}}`,
		`{"action":"accept"}`,
		`{"action":"decline"}`,
	} {
		session := capableOf(`{"elicitation":{}}`)
		session.Back = func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
			return json.RawMessage(answer), nil
		}
		r := newRelay(&server{cfg: Config{Name: "srv"}}, nil, session)
		got, err := r.serve(t.Context(), "elicitation/create", asked)
		if err != nil || string(got) != answer {
			t.Errorf("%s arrived as %s, %v", answer, got, err)
		}
	}
}
