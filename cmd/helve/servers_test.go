package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// instructed is a server of the official SDK that says to models how its tool is used, at length.
func instructed() {
	s := mcp.NewServer(&mcp.Implementation{Name: "instructed", Version: "1"},
		&mcp.ServerOptions{Instructions: "Call status before commit.\n" + strings.Repeat("more ", 2000)})
	s.AddTool(&mcp.Tool{Name: "status", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, nil
		})
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// odd is a server of MCP that answers in an odd way: its argument says which.
func odd() {
	kind, held := os.Args[1], ""
	if kind == "pid" {
		noteStart(os.Args[2])
	}
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal([]byte(line), &m) != nil || m.ID == nil {
			continue
		}
		switch m.Method {
		case "initialize":
			answerOdd(m.ID, `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"odd","version":"1"}}`)
		case "tools/list":
			answerOdd(m.ID, `{"tools":[{"name":"act","inputSchema":{"type":"object"}}]}`)
		case "tools/call":
			held = oddly(kind, m.ID, held)
		default:
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`+"\n", m.ID)
		}
	}
}

func answerOdd(id json.RawMessage, result string) {
	fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", id, result)
}

// oddly answers one call, with the one that is held in an order of its own.
func oddly(kind string, id json.RawMessage, held string) string {
	const fine = `{"content":[{"type":"text","text":"fine"}]}`
	switch kind {
	case "never":
	case "pid":
		answerOdd(id, fmt.Sprintf(`{"content":[{"type":"text","text":"%d"}]}`, os.Getpid()))
	case "twice":
		answerOdd(id, fine)
		answerOdd(id, fine)
	case "fragments":
		for _, c := range fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", id, fine) {
			os.Stdout.WriteString(string(c))
			time.Sleep(time.Millisecond)
		}
	case "order":
		if held == "" {
			return string(id)
		}
		answerOdd(id, fine)
		answerOdd(json.RawMessage(held), fine)
	case "deep":
		answerOdd(id, `{"content":[{"type":"text","text":"fine"}],"structuredContent":`+strings.Repeat(`{"a":`, 1000)+`1`+strings.Repeat("}", 1000)+"}")
	case "200 MB":
		os.Stdout.WriteString(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"`, id))
		mega := strings.Repeat("x", 1<<20)
		for range 200 {
			os.Stdout.WriteString(mega)
		}
		os.Stdout.WriteString(`"}]}}` + "\n")
	}
	return ""
}

// noteStart adds a line to a file.
func noteStart(file string) {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = fmt.Fprintln(f, os.Getpid())
		f.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}
