package run

import (
	"encoding/json"
	"slices"
	"strings"

	"helve/cmd/internal/command"
	"helve/internal/workspace"
	"helve/policy"
	"helve/tool"
)

// maxServers bounds a file of servers, and maxSystem one with a system prompt, in bytes.
const (
	maxServers = 1 << 20
	maxSystem  = 256 << 10
)

// rulesOf are the rules of --allow and --deny. What is denied anywhere stays denied.
func rulesOf(allow, deny []string) ([]policy.Rule, error) {
	var out []policy.Rule
	add := func(flag string, to tool.Decision, list []string) error {
		for _, text := range list {
			if strings.TrimSpace(text) == "" {
				return command.Usage("run: %s: want a rule, TOOL or TOOL:PATTERN", flag)
			}
			at := policy.Place{Layer: "flags", File: flag, Line: 1}
			out = append(out, policy.Rule{Decision: to, Text: text, At: at})
		}
		return nil
	}
	if err := add("--allow", tool.Allow, allow); err != nil {
		return nil, err
	}
	err := add("--deny", tool.Deny, deny)
	return out, err
}

// A givenServer is an MCP server in the form that other programs have it in: what is not known here is theirs.
type givenServer struct {
	Type    string            `json:"type,omitempty"`
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Cwd     string            `json:"cwd,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
}

// serversOf is the configuration that the servers of --mcp-config make; nil: there are none. Each is the text of a
// JSON object, or a file that has it.
func serversOf(s command.Streams, given []string) ([]byte, error) {
	servers := map[string]givenServer{}
	for _, one := range given {
		text := []byte(one)
		if !strings.HasPrefix(strings.TrimSpace(one), "{") {
			var err error
			text, err = readGiven(s, "--mcp-config", one, maxServers)
			if err != nil {
				return nil, err
			}
		}
		var in struct {
			Servers map[string]givenServer `json:"mcpServers"`
		}
		if err := json.Unmarshal(text, &in); err != nil {
			return nil, command.Usage("run: --mcp-config: %v\n"+
				"hint: {\"mcpServers\": {\"NAME\": {\"command\": …}}}", err)
		}
		if in.Servers == nil {
			return nil, command.Usage("run: --mcp-config: there is no mcpServers in it\n" +
				"hint: {\"mcpServers\": {\"NAME\": {\"command\": …}}}")
		}
		for name, server := range in.Servers {
			servers[name] = server
		}
	}
	if len(servers) == 0 {
		return nil, nil
	}
	return json.Marshal(map[string]any{"mcp_servers": servers})
}

// give adds what the flags say of rules and servers.
func (o runOptions) give(s command.Streams, to *workspace.Options) error {
	rules, err := rulesOf(o.allow, o.deny)
	if err != nil {
		return err
	}
	to.Rules = slices.Concat(to.Rules, rules)
	to.Config, err = serversOf(s, o.servers)
	return err
}
