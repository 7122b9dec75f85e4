// Command mcpclient has helve as an MCP server in the same process, for a client of
// github.com/modelcontextprotocol/go-sdk: it lists the tools and makes one call.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"helve"
	"helve/server"
)

func main() {
	helve.Init() // first: a copy of this program prepares the sandbox of each command
	ctx := context.Background()
	ws, err := helve.Open(ctx, helve.Options{Ask: server.Asker(server.ApproveElicit)}) // the client's person is asked
	if err != nil {
		log.Fatal(err)
	}
	defer ws.Close()
	session, err := connect(ctx, ws, elicited)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	for t, err := range session.Tools(ctx, nil) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(t.Name)
	}
	if len(os.Args) == 3 { // NAME JSON
		res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: os.Args[1], Arguments: json.RawMessage(os.Args[2])})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(res.Content[0].(*mcp.TextContent).Text)
	}
}

// connect starts the workspace's server, which ends with the session, and a client of it.
func connect(ctx context.Context, ws *helve.Workspace, ask elicitation) (*mcp.ClientSession, error) {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	srv := ws.Server(server.Options{})
	go func() {
		defer srv.Close()
		toClient.CloseWithError(srv.Serve(ctx, fromClient, toClient))
	}()
	self := &mcp.Implementation{Name: "example", Version: "1"}
	client := mcp.NewClient(self, &mcp.ClientOptions{ElicitationHandler: ask})
	return client.Connect(ctx, &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
}

// An elicitation answers what the server asks the person.
type elicitation func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error)

// elicited asks at the terminal, y or n.
func elicited(_ context.Context, q *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	fmt.Printf("%s\n[y/n] ", q.Params.Message)
	var word string
	fmt.Scanln(&word)
	if word != "y" {
		return &mcp.ElicitResult{Action: "decline"}, nil
	}
	return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"decision": "once"}}, nil
}
