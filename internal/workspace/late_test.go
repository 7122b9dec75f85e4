package workspace_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"helve/internal/testing/shserver"
)

// LateServer is the variable that makes the test binary an MCP server, which starts to speak when the file is there that it names.
const LateServer = "HELVE_TEST_LATE"

// ServeLate is that server, made with the official SDK.
func ServeLate(file string) {
	for os.Getppid() > 1 {
		if _, err := os.Stat(file); err == nil {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "late", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "book_flight", Description: "Books a flight."},
		func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "booked"}}}, nil, nil
		})
	s.Run(context.Background(), &mcp.StdioTransport{})
}

// A server that was never listed is waited for by whoever may want a tool of it, and one that does not come in time is named; a call
// that names it asks it again.
func TestASlowServerIsWaitedForAndNamed(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "there")
	place := func(startTimeout string) *remote {
		p := newPlace(t)
		p.put(userConfig, fmt.Sprintf(`{"mcp_servers":{"late":{"command":%s,"env":{%q:%s},"trust":true,"start_timeout":%q}}}`,
			shserver.Quoted(self), LateServer, shserver.Quoted(file), startTimeout))
		return p.remoteDeferred(p.open())
	}
	call := func(r *remote, name, args string) string {
		t.Helper()
		return string(r.request("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, args)))
	}
	arrive := func() {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}

	late := place("1s")
	for name, args := range map[string]string{
		"search_tools":           `{"query":"flight"}`,
		"call_tool":              `{"name":"late__book_flight"}`,
		"describe_tool":          `{"name":"book_flight"}`,
		"mcp__late__book_flight": `{}`,
	} {
		if got := call(late, name, args); !strings.Contains(got, "The server late is not available") {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := call(late, "read", `{"file_path":"a.txt"}`); strings.Contains(got, "late") {
		t.Errorf("read: %s", got)
	}
	arrive()
	for strings.Contains(call(late, "mcp__late__book_flight", `{}`), "not found") { // it rests after each failure
		time.Sleep(10 * time.Millisecond)
	}
	if got := call(late, "search_tools", `{"query":"flight"}`); !strings.Contains(got, "mcp__late__book_flight") || strings.Contains(got, "available") {
		t.Errorf("it has come: %s", got)
	}

	for name, c := range map[string]struct{ args, want string }{
		"search_tools":           {`{"query":"flight"}`, "mcp__late__book_flight: Books"},
		"call_tool":              {`{"name":"late__book_flight"}`, "booked"},
		"describe_tool":          {`{"name":"late__book_flight"}`, "Books a flight"},
		"mcp__late__book_flight": {`{}`, "booked"},
	} {
		os.Remove(file)
		patient := place("120s")
		time.AfterFunc(50*time.Millisecond, arrive)
		if got := call(patient, name, c.args); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s", name, got)
		}
	}
}
