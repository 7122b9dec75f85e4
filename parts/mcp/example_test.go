package mcp_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"helve"
	"helve/parts/mcp"
)

// A workspace with the tools of an MCP server, which starts when one of them is first wanted.
func ExamplePart() {
	home, err := os.MkdirTemp("", "helve-example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(home)
	ws, err := helve.Open(context.Background(), helve.Options{
		Dirs:    []string{home},
		Environ: []string{"HOME=" + filepath.Join(home, "home")}, // a program leaves this away
		Config:  []byte(`{"mcp_servers": {"files": {"command": "npx", "args": ["-y", "files-server"]}}}`),
		Parts:   []helve.Part{mcp.Part(mcp.Options{})},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer ws.Close()
	for _, s := range ws.Registry().Sources() {
		fmt.Println(s.Name)
	}
	fmt.Println(len(ws.Kit().View().Specs()) > 0)
	// Output: true
}
