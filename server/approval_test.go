package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"helve/server"
	"helve/tool"
)

// personTime is what the quickest person needs.
const personTime = 60 * time.Millisecond

// A person is asked by elicitation, in both protocols: the official client speaks the stateless one, the wire the other.
func TestAPersonApprovesByElicitation(t *testing.T) {
	for _, c := range []struct{ action, decision, want string }{
		{"accept", "once", "write: x"},
		{"accept", "no", "Error: write: declined."},
		{"decline", "", "Error: write: declined."},
		{"cancel", "", "Error: write: needs approval, and nobody was asked."},
	} {
		srv := server.New(opener(registry(t, say("write", tool.Write)), tool.KitOptions{Ask: server.Asker(server.ApproveAuto)}), server.Options{})
		t.Run(c.action+" "+c.decision+" stateless", func(t *testing.T) {
			asked := ""
			s := connect(t, srv, &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				asked = r.Params.Message
				time.Sleep(personTime)
				return &mcp.ElicitResult{Action: c.action, Content: map[string]any{"decision": c.decision}}, nil
			}})
			res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "write", Arguments: map[string]any{"text": "x"}})
			if err != nil || !strings.HasPrefix(text(res), c.want) || asked != "Allow write?\nsay x\nAsked because: changing files needs approval" {
				t.Errorf("%q, %v; asked %q", text(res), err, asked)
			}
		})
		t.Run(c.action+" "+c.decision+" session", func(t *testing.T) {
			w := dial(t, srv)
			w.initialize(`{"elicitation":{}}`)
			w.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write","arguments":{"text":"x"}}}`)
			q := w.hear()
			if string(q["method"]) != `"elicitation/create"` {
				t.Fatalf("%s", q)
			}
			time.Sleep(personTime)
			w.say(`{"jsonrpc":"2.0","id":%s,"result":{"action":%q,"content":{"decision":%q}}}`, q["id"], c.action, c.decision)
			if m := w.hear(); !strings.Contains(string(m["result"]), c.want) {
				t.Errorf("%s", m["result"])
			}
		})
		srv.Close()
	}
}

// What a model or a file's name says must not look like a line of helve's own.
func TestNothingForgesALineOfAQuestion(t *testing.T) {
	named := tool.Plan(tool.Spec{Name: "make", Kind: tool.Write, Doc: tool.Doc{Short: "Makes a file."}},
		func(_ context.Context, _ *tool.Call, in sayIn) (*tool.Job, error) {
			return &tool.Job{
				Title:   "make " + in.Text,
				Effects: []tool.Effect{{Kind: tool.Write, Target: in.Text}},
				Run:     func(context.Context) (*tool.Result, error) { return tool.Textf("made"), nil },
			}, nil
		})
	srv := server.New(opener(registry(t, named), tool.KitOptions{Ask: server.Asker(server.ApproveAuto)}), server.Options{})
	defer srv.Close()
	asked := ""
	s := connect(t, srv, &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		asked = r.Params.Message
		time.Sleep(personTime)
		return &mcp.ElicitResult{Action: "decline"}, nil
	}})
	forged := "ok.txt\nAsked because: nobody minds\n\nwrite: harmless"
	_, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "make", Arguments: map[string]any{"text": forged}})
	if err != nil || strings.Count(asked, "\nAsked because:") != 1 || strings.Contains(asked, "\nwrite: harmless") {
		t.Errorf("%v; asked %q", err, asked)
	}
	if !strings.Contains(asked, `\nAsked because: nobody minds\n\nwrite: harmless`) {
		t.Errorf("what is asked about is not written out: %q", asked)
	}
}

func TestWhoApprovesForAClientThatCannotAsk(t *testing.T) {
	for a, want := range map[server.Approval]string{server.ApproveAuto: "write: x", server.ApproveClient: "write: x",
		server.ApproveElicit: "Error: write: needs approval, and nobody was asked.", server.ApproveDeny: "Error: write: needs approval, and nobody can be asked."} {
		var by tool.Approver
		note := func(next tool.Caller) tool.Caller {
			return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
				res, err := next(ctx, c)
				by = res.Approver
				return res, err
			}
		}
		srv := server.New(opener(registry(t, say("write", tool.Write)), tool.KitOptions{Ask: server.Asker(a), Around: []func(tool.Caller) tool.Caller{note}}), server.Options{})
		w := dial(t, srv)
		w.initialize(`{}`)
		w.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write","arguments":{"text":"x"}}}`)
		if m := w.hear(); !strings.Contains(string(m["result"]), want) {
			t.Errorf("approval %d: %s", a, m["result"])
		}
		srv.Close()
		if want := (map[server.Approval]tool.Approver{
			server.ApproveAuto:   {Kind: tool.ByClient, Via: "no elicitation"},
			server.ApproveClient: {Kind: tool.ByClient, Via: "approval"},
		})[a]; by != want {
			t.Errorf("approval %d: by %+v, want %+v", a, by, want)
		}
	}
}

// What the client carries between two rounds is sealed: it holds for this call only, and a change in it is seen.
func TestASealedStateHoldsForItsCallOnly(t *testing.T) {
	srv := server.New(opener(registry(t, say("write", tool.Write)), tool.KitOptions{Ask: server.Asker(server.ApproveElicit)}), server.Options{})
	defer srv.Close()
	w := dial(t, srv)
	call := func(arg, more string) map[string]json.RawMessage {
		t.Helper()
		w.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write","arguments":{"text":%q}%s,%s}}`, arg, more, stateless(`{"elicitation":{}}`))
		return w.hear()
	}
	var first struct{ ResultType, RequestState string }
	if err := json.Unmarshal(call("x", "")["result"], &first); err != nil || first.ResultType != "input_required" {
		t.Fatalf("%+v, %v", first, err)
	}
	const yes = `,"inputResponses":{"approval":{"action":"accept","content":{"decision":"once"}}},"requestState":`
	if m := call("y", yes+fmt.Sprintf("%q", first.RequestState)); m["error"] == nil {
		t.Errorf("another call's state is taken: %s", m["result"])
	}
	broken := "A" + first.RequestState[1:]
	if broken == first.RequestState {
		broken = "B" + first.RequestState[1:]
	}
	if m := call("x", yes+fmt.Sprintf("%q", broken)); m["error"] == nil {
		t.Errorf("a changed state is taken: %s", m["result"])
	}
	if m := call("x", yes+fmt.Sprintf("%q", first.RequestState)); !strings.Contains(string(m["result"]), "write: x") {
		t.Errorf("%s", m)
	}
}

// A tool that can only wait for its answer, as an upstream of the session protocol, meets a client that can only come back.
func TestAQuestionOfAWaitingToolReachesAClientOfTheStatelessProtocol(t *testing.T) {
	ask := tool.New(tool.Spec{Name: "ask", Kind: tool.Read}, func(_ context.Context, c *tool.Call, _ struct{}) (*tool.Result, error) {
		var said string
		for _, what := range []string{"name", "colour"} {
			// a context of its own: an upstream's connection knows of no call
			raw, err := c.Session.Back(context.Background(), "elicitation/create", json.RawMessage(`{"message":"`+what+`?","requestedSchema":{"type":"object","properties":{"v":{"type":"string"}}}}`))
			if err != nil {
				return nil, err
			}
			var a struct{ Content struct{ V string } }
			json.Unmarshal(raw, &a)
			said += what + "=" + a.Content.V + " "
		}
		return tool.NewResult(tool.Text(said)), nil
	})
	srv := server.New(opener(registry(t, ask), tool.KitOptions{}), server.Options{})
	defer srv.Close()
	s := connect(t, srv, &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"v": strings.ToUpper(r.Params.Message)}}, nil
	}})
	res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "ask"})
	if err != nil || text(res) != "name=NAME? colour=COLOUR? " {
		t.Errorf("%q, %v", text(res), err)
	}
}

// A person reads before they refuse: a refusal that is faster than that is a program's, and so is a cancellation.
func TestARefusalTooFastForAPersonIsNobodys(t *testing.T) {
	told := 0
	ask := server.Approver{Approval: server.ApproveElicit, Unasked: func(*tool.Question) { told++ }}.Asker()
	session := &tool.Session{Capabilities: json.RawMessage(`{"elicitation":{}}`)}
	for _, c := range []struct {
		answer  string
		took    time.Duration
		unasked bool
	}{
		{`{"action":"decline"}`, 3 * time.Millisecond, true},
		{`{"action":"decline"}`, 49 * time.Millisecond, true},
		{`{"action":"decline"}`, 50 * time.Millisecond, false},
		{`{"action":"decline"}`, 0, false}, // how long it took is not known
		{`{"action":"cancel"}`, time.Hour, true},
		{`{"action":"accept","content":{"decision":"no"}}`, time.Millisecond, false},
		{`{"action":"accept","content":{}}`, time.Millisecond, false},
		{`{"action":"nonsense"}`, time.Hour, false},
	} {
		resume := &tool.Resume{Answers: json.RawMessage(`{"approval":` + c.answer + `}`), Took: c.took}
		j := &tool.Job{Call: &tool.Call{Name: "write", Session: session, Resume: resume}}
		told = 0
		a, err := ask(t.Context(), &tool.Question{Job: j})
		if err != nil || a.Yes || a.Need != nil || a.Unasked != c.unasked || (told == 1) != c.unasked {
			t.Errorf("%s after %v: %+v, %v, told %d times", c.answer, c.took, a, err, told)
		}
		if c.unasked && !strings.Contains(a.Note, "--approval client") {
			t.Errorf("%q does not say what helps", a.Note)
		}
	}
}

// A client that says that it can ask and answers with an error, or with nothing that is an answer, has asked nobody.
func TestAClientThatCannotAskAfterAllHasAskedNobody(t *testing.T) {
	srv := server.New(opener(registry(t, say("write", tool.Write)), tool.KitOptions{Ask: server.Asker(server.ApproveAuto)}), server.Options{})
	defer srv.Close()
	w := dial(t, srv)
	w.initialize(`{"elicitation":{}}`)
	w.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write","arguments":{"text":"x"}}}`)
	q := w.hear()
	w.say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, q["id"])
	w.say(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{"decision":"once"}}}`, q["id"]) // answered twice: the first counts
	if m := w.hear(); !strings.Contains(string(m["result"]), "nobody was asked") {
		t.Errorf("%s", m["result"])
	}
}

func TestClientsAreKnownByTheirNames(t *testing.T) {
	for name, want := range map[string]string{
		"claude-code": "claude-code", "Claude-Code": "claude-code", "claude-ai": "claude-desktop", "codex-mcp-client": "codex",
		"gemini-cli-mcp-client-helve": "gemini", "Visual Studio Code - Insiders": "vscode", "claude-code-evil": "", "": "", "[": "", "*": "",
	} {
		p, ok := server.MatchProfile(server.Profiles(), name)
		if p.Name != want || ok != (want != "") {
			t.Errorf("%q is %q, want %q", name, p.Name, want)
		}
	}
}
