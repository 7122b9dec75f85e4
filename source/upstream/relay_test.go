package upstream

import (
	"context"
	"encoding/json"
	"testing"

	"helve/internal/rpc"
	"helve/tool"
)

// A server hears of the extensions of the client behind us, but of none that is between that client and us; then its requests by methods
// of an extension reach the client, and nobody else's do.
func TestExtensionsOfTheClientReachTheServer(t *testing.T) {
	for _, c := range []struct {
		capabilities, want string
		asked              bool
	}{
		{`{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html"]}}}`, `{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html"]}}}`, true},
		{`{"extensions":{"io.modelcontextprotocol/tasks":{}},"roots":{}}`, `{"roots":{}}`, false},
		{`{"extensions":{"a/b":true}}`, `{}`, false},
		{`{"extensions":[]}`, `{}`, false},
		{`{}`, `{}`, false},
	} {
		var asked string
		s := &tool.Session{Capabilities: json.RawMessage(c.capabilities)}
		s.Back = func(_ context.Context, method string, _ json.RawMessage) (json.RawMessage, error) {
			asked = method
			return json.RawMessage(`{"ok":1}`), nil
		}
		if got := string(declared(s)); got != c.want {
			t.Errorf("%s: declared %s, want %s", c.capabilities, got, c.want)
		}
		res, err := newRelay(nil, nil, s).serve(t.Context(), "ui/open", nil)
		if c.asked && (err != nil || string(res) != `{"ok":1}` || asked != "ui/open") {
			t.Errorf("%s: %s, %v", c.capabilities, res, err)
		}
		if !c.asked && (rpc.AsError(err).Code != rpc.CodeMethodNotFound || asked != "") {
			t.Errorf("%s: %s, %v: a client without the extension was asked %s", c.capabilities, res, err, asked)
		}
		if _, err := newRelay(nil, nil, s).serve(t.Context(), "sampling/createMessage", nil); err == nil {
			t.Errorf("%s: sampling passed", c.capabilities)
		}
	}
}
