package helve

import (
	"encoding/json"
	"testing"

	"helve/server"
	"helve/tool"
)

// Only who starts a client knows what it is: over HTTP anybody can call itself anything.
func TestOverHTTPANameDoesNotApprove(t *testing.T) {
	for _, c := range []struct {
		forced string
		stdio  bool
		want   bool
	}{{"", false, false}, {"claude-code", false, true}, {"", true, true}} {
		w := newPlace(t).open(func(o *Options) { o.Clients.Name = c.forced })
		client := server.Client{Name: "claude-code", Stdio: c.stdio}
		known, err := w.clientOf(client)
		if err != nil {
			t.Fatal(err)
		}
		ask, err := w.clientAsker(client, known, w.live)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := ask(t.Context(), questionAbout(t, w, "write", `{"file_path":"b.txt","contents":"x"}`))
		if err != nil || answer.Yes != c.want {
			t.Errorf("forced %q, stdio %v: %+v, %v", c.forced, c.stdio, answer, err)
		}
	}
}

// questionAbout is the question that a kit would ask about a call of a client that has elicitation.
func questionAbout(t *testing.T, w *Workspace, name, args string) *tool.Question {
	t.Helper()
	s := &tool.Session{Capabilities: json.RawMessage(`{"elicitation":{}}`)}
	j, err := w.Kit().Understand(t.Context(), &tool.Call{Name: name, Args: json.RawMessage(args), Session: s})
	if err != nil {
		t.Fatal(err)
	}
	return &tool.Question{Job: j}
}
