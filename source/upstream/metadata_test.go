package upstream

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// What a server says of itself is believed of itself alone, and never leads to what only this machine reaches.
func TestMetadataOfAServerLeadsToNoNeighbour(t *testing.T) {
	const document = `{"resource":%q,"authorization_servers":[%q],"scopes_supported":["mcp"]}`
	var at, body string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/moved" {
			http.Redirect(w, r, at+"/here", http.StatusFound)
			return
		}
		fmt.Fprint(w, body)
	}))
	defer server.Close()
	at = server.URL
	client := &http.Client{Timeout: time.Minute}
	for _, c := range []struct {
		name, path, resource, server string
		want                         bool
	}{
		{"its own", "/here", at + "/mcp", "https://login.example.com", true},
		{"another's", "/here", "https://example.com/mcp", "https://login.example.com", false},
		{"tokens in the open", "/here", at + "/mcp", "http://login.example.com", false},
		{"tokens from a neighbour", "/here", at + "/mcp", "https://10.0.0.1", false},
		{"tokens from a provider's network", "/here", at + "/mcp", "https://100.64.0.1", false},
		{"sent on to this machine", "/moved", at + "/mcp", "https://login.example.com", false},
	} {
		body = fmt.Sprintf(document, c.resource, c.server)
		m, ok := resourceAt(t.Context(), client, at+"/mcp", at+c.path)
		if ok != c.want || ok && (len(m.Servers) != 1 || m.Servers[0] != c.server || len(m.Scopes) != 1) {
			t.Errorf("%s: %+v, %v, want %v", c.name, m, ok, c.want)
		}
	}
	if _, ok := resourceAt(t.Context(), client, at+"/mcp", "https://169.254.169.254/latest"); ok {
		t.Error("a link-local address was asked")
	}
}
