package helve_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"helve"
	"helve/server"
)

// A server opens its workspace when the first client comes, again where that failed, and then never more.
func TestAServerOpensItsWorkspaceForTheFirstClient(t *testing.T) {
	_, o := home(t)
	o.Parts = nil
	opened := 0
	srv := helve.NewServer(func(ctx context.Context, _ server.Client) (*helve.Workspace, error) {
		opened++
		if opened == 1 {
			return nil, errors.New("not yet")
		}
		w, err := helve.Open(ctx, o)
		if err == nil {
			t.Cleanup(func() { w.Close() })
		}
		return w, err
	}, server.Options{})
	defer srv.Close()
	if opened != 0 {
		t.Error("opened before a client came")
	}
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}` + "\n"
	for i, want := range []string{"not yet", `"name":"read"`, `"name":"read"`} {
		var out strings.Builder
		if err := srv.Serve(t.Context(), strings.NewReader(list), &out); err != nil && i > 0 {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), want) {
			t.Errorf("client %d: %.300s, want %q", i+1, &out, want)
		}
	}
	if opened != 2 {
		t.Errorf("opened %d times, want 2", opened)
	}
}
