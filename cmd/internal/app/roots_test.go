package app

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"helve/cmd/internal/serve"
	"helve/server"
)

// The name that a client gives its root is the one that MCP servers are told.
func TestTheNameOfARootIsKept(t *testing.T) {
	v := newVictim(t)
	s, _, _ := v.streams()
	s.Dir = v.home // nothing there says where the tools work
	served, _, err := serve.NewServed(s, serve.ServeOptions{Expose: "auto", Approval: "auto"})
	if err != nil {
		t.Fatal(err)
	}
	defer served.Close()
	asked := ""
	ws, err := served.Open(t.Context(), server.Client{
		Capabilities: json.RawMessage(`{"roots":{}}`),
		Back: func(_ context.Context, method string, _ json.RawMessage) (json.RawMessage, error) {
			asked = method
			uri := "file://" + filepath.ToSlash(v.repo)
			return json.RawMessage(`{"roots":[{"uri":"file:///no/such/folder","name":"gone"},{"uri":"` + uri + `","name":"My shop"}]}`), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	roots := ws.NewSession().Roots
	if asked != "roots/list" || len(roots) != 1 || roots[0].Name != "My shop" || !strings.HasSuffix(roots[0].Path, "repo") {
		t.Errorf("asked %q, got %+v", asked, roots)
	}
}
