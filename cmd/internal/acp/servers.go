package acp

import (
	"encoding/json"
	"strings"

	"helve/internal/rpc"
)

// maxServers bounds the MCP servers that an editor gives a session.
const maxServers = 50

// serversOf is the configuration that the editor's MCP servers make; nil: there are none. They are asked about like any
// others: nothing says that they are trusted.
func serversOf(given []mcpServer) ([]byte, *rpc.Error) {
	type server struct {
		Type    string            `json:"type,omitempty"`
		Command string            `json:"command,omitempty"`
		Args    []string          `json:"args,omitempty"`
		Env     map[string]string `json:"env,omitempty"`
		URL     string            `json:"url,omitempty"`
		Headers map[string]string `json:"headers,omitempty"`
	}
	if len(given) == 0 {
		return nil, nil
	}
	if len(given) > maxServers {
		return nil, wrong("more than %d MCP servers", maxServers)
	}
	servers := map[string]server{}
	for i, g := range given {
		switch {
		case g.Name == "":
			return nil, wrong("mcpServers[%d]: want a name", i)
		case g.Type != "" && g.Type != "stdio" && g.Type != "http" && g.Type != "sse":
			return nil, wrong("mcpServers[%d]: type %.40q is not known", i, g.Type)
		}
		name := serverName(g.Name)
		if _, twice := servers[name]; twice {
			return nil, wrong("mcpServers[%d]: another one is called %.40q", i, name)
		}
		servers[name] = server{
			Type:    g.Type,
			Command: g.Command,
			Args:    g.Args,
			Env:     mapOf(g.Env),
			URL:     g.URL,
			Headers: mapOf(g.Headers),
		}
	}
	out, err := json.Marshal(map[string]any{"mcp_servers": servers})
	if err != nil {
		return nil, wrong("mcpServers: %v", err)
	}
	return out, nil
}

func mapOf(pairs []pair) map[string]string {
	out := map[string]string{}
	for _, p := range pairs {
		out[p.Name] = p.Value
	}
	return out
}

// serverName is what a server is called here: people give names with spaces, and tools' names have none.
func serverName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '-'
	}, name)
}
