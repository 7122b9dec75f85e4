package server_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"helve/server"
	"helve/tool"
)

type greetIn struct {
	Name string `json:"name"`
}

// A server with one tool of its own, for one client on stdin and stdout.
func Example() {
	greet := tool.New(tool.Spec{
		Name: "greet",
		Kind: tool.Read,
		Doc:  tool.Doc{Short: "Greets somebody."},
	}, func(_ context.Context, _ *tool.Call, in greetIn) (*tool.Result, error) {
		return &tool.Result{Parts: []tool.Part{tool.Text("Good day, " + in.Name + "!")}}, nil
	})
	registry := &tool.Registry{}
	if err := registry.Add(greet); err != nil {
		fmt.Println(err)
		return
	}
	open := func(context.Context, server.Client) (*tool.Kit, *tool.Session, error) {
		return registry.Kit(tool.KitOptions{}), nil, nil
	}
	srv := server.New(open, server.Options{Name: "greeter", Version: "1"})
	defer srv.Close()

	// A client would be at the other end of os.Stdin.
	said := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"greet","arguments":{"name":"Ada"}}}
`
	if err := srv.Serve(context.Background(), strings.NewReader(said), os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"prompts":{"listChanged":true},"completions":{},"logging":{}},"serverInfo":{"name":"greeter","version":"1"}}}
	// {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"Good day, Ada!"}]}}
}
