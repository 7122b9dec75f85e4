// Command mcpserver is an MCP server made with github.com/modelcontextprotocol/go-sdk that offers helve's tools beside its
// own. What needs approval is asked of the client's person.
package main

import (
	"context"
	"encoding/json"
	"log"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"helve"
	"helve/server"
	"helve/tool"
)

func main() {
	helve.Init() // first: a copy of this program prepares the sandbox of each command
	ctx := context.Background()
	ws, err := helve.Open(ctx, helve.Options{Ask: server.Asker(server.ApproveElicit)})
	if err != nil {
		log.Fatal(err)
	}
	defer ws.Close()
	if err := serverOf(ws).Run(ctx, &mcp.StdioTransport{}); err != nil {
		log.Print(err)
	}
}

// serverOf has a tool of its own and those of the workspace, for one client.
func serverOf(ws *helve.Workspace) *mcp.Server {
	srv := mcp.NewServer(&mcp.Implementation{Name: "example", Version: "1"}, nil)
	mcp.AddTool(srv, &mcp.Tool{Name: "hello", Description: "Greets."},
		func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "Hello!"}}}, nil, nil
		})
	view, session := ws.Kit().View(), ws.NewSession()
	session.Capabilities = json.RawMessage(`{"elicitation":{}}`) // its client can ask a person
	for _, s := range view.Specs() {
		name := view.Name(s)
		t := &mcp.Tool{Name: name, Description: s.Doc.Full(), InputSchema: s.Input}
		srv.AddTool(t, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			call := &tool.Call{Name: name, Args: r.Params.Arguments, Session: session}
			if r.Params.InputResponses != nil { // what the person said; the kit keeps what it was about
				answers, err := json.Marshal(r.Params.InputResponses)
				if err != nil {
					return nil, err
				}
				call.Resume = &tool.Resume{State: []byte(r.Params.RequestState), Answers: answers}
			}
			res, err := ws.Kit().Call(ctx, call)
			if err != nil {
				return nil, err // ctx is done; what goes wrong in a call is in its result, for the model
			}
			return answered(res)
		})
	}
	return srv
}

// answered is a result as the client gets it: the text for its model, or a question for its person.
func answered(res *tool.Result) (*mcp.CallToolResult, error) {
	if res.Need == nil {
		text := &mcp.TextContent{Text: res.Text()}
		return &mcp.CallToolResult{Content: []mcp.Content{text}, IsError: res.Err != nil}, nil
	}
	out := &mcp.CallToolResult{RequestState: string(res.Need.State)}
	return out, json.Unmarshal(res.Need.Requests, &out.InputRequests)
}
