package trial

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"helve"
)

// Calls has a client do what Turns do.
func Calls(t *testing.T, ws *helve.Workspace, session *mcp.ClientSession) {
	t.Helper()
	wants := []string{"1|one", "a.txt", "declined", "refused by policy"}
	for i, want := range wants {
		c := Turns[i].Calls[0]
		res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: c.Name, Arguments: json.RawMessage(c.Args)})
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		text := res.Content[0].(*mcp.TextContent).Text
		if !strings.Contains(text, want) || res.IsError != (i > 1) {
			t.Errorf("%s %s: %q (error %v), want %q", c.Name, c.Args, text, res.IsError, want)
		}
	}
	if got, err := os.ReadFile(filepath.Join(ws.Dir(), "a.txt")); err != nil || string(got) != "two\n" {
		t.Errorf("a.txt is %q, %v", got, err)
	}
}

// A Person says yes to the first question and no to all others, in the time that a person takes.
type Person struct{ Asked []string }

// Answer is for the options of a client.
func (p *Person) Answer(_ context.Context, q *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	time.Sleep(reading)
	p.Asked = append(p.Asked, q.Params.Message)
	if len(p.Asked) > 1 {
		return &mcp.ElicitResult{Action: "decline"}, nil
	}
	return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"decision": "once"}}, nil
}

// reading is longer than a program takes: an answer that comes at once is nobody's.
const reading = 100 * time.Millisecond
