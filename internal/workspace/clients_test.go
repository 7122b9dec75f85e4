package workspace_test

import (
	"encoding/json"
	"testing"

	"helve/server"
	"helve/tool"

	. "helve/internal/workspace"
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
		known, err := w.ClientOf(client)
		if err != nil {
			t.Fatal(err)
		}
		ask, err := w.ClientAsker(client, known, w.Live())
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
func questionAbout(t *testing.T, w *Assembly, name, args string) *tool.Question {
	t.Helper()
	s := &tool.Session{Capabilities: json.RawMessage(`{"elicitation":{}}`)}
	j, err := w.Kit().Understand(t.Context(), &tool.Call{Name: name, Args: json.RawMessage(args), Session: s})
	if err != nil {
		t.Fatal(err)
	}
	return &tool.Question{Job: j}
}

// On stdio a name gives convenience only: what it spares a question is what mode auto would not ask about. A rule, a file that runs later, the
// network and a foreign server's tool need an answer or a rule, whatever the client calls itself.
func TestANameGivesNoRights(t *testing.T) {
	w := newPlace(t).put(userConfig, `{"rules":[{"deny":"write:**/keep.txt"},{"ask":"write:**/asked.txt"}]}`).open()
	client := server.Client{Name: "claude-code", Stdio: true}
	known, err := w.ClientOf(client)
	if err != nil {
		t.Fatal(err)
	}
	ask, err := w.ClientAsker(client, known, w.Live())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, args string
		want       bool // the client's own prompt counts
	}{
		{"write", `{"file_path":"b.txt","contents":"x"}`, true},
		{"write", `{"file_path":"asked.txt","contents":"x"}`, false},
		{"write", `{"file_path":"keep.txt","contents":"x"}`, false},
		{"write", `{"file_path":".git/hooks/pre-commit","contents":"x"}`, false},
		{"write", `{"file_path":"../outside.txt","contents":"x"}`, false},
		{"bash", `{"command":"cat ~/.ssh/id_ed25519"}`, false},
		{"fetch", `{"url":"https://example.com/"}`, false},
	} {
		s := &tool.Session{Capabilities: json.RawMessage(`{"elicitation":{}}`)}
		j, err := w.Kit().Understand(t.Context(), &tool.Call{Name: c.name, Args: json.RawMessage(c.args), Session: s})
		if err != nil && !c.want {
			continue // it is refused before anybody could be asked
		}
		answer, err := ask(t.Context(), &tool.Question{Job: j})
		if answer.Yes != c.want {
			t.Errorf("%s %s: %+v, %v", c.name, c.args, answer, err)
		}
	}
}
