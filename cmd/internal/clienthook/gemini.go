package clienthook

import (
	"encoding/json"
	"strings"
)

// gemini is Gemini CLI, seen at 0.61.0. It asks its person at a terminal; without one a question hangs for ever.
func gemini() *Client {
	return &Client{
		Name:          "gemini",
		Title:         "Gemini CLI",
		Before:        "BeforeTool",
		After:         "AfterTool",
		read:          readClaude,
		mcp:           oneUnderscore("mcp_"),
		write:         writeGemini,
		AsksTerminal:  true,
		AsksRewritten: true,
		Rewrites:      true,
		headless:      flagged("-p", "--prompt"),
		own:           []string{".gemini/tmp"},
		tools: map[string]shape{
			"run_shell_command": {
				kind:   Shell,
				fields: []string{"command"},
				folder: "dir_path",
				later:  []string{"is_background"},
			},
			"read_file":           {kind: Read, fields: []string{"file_path", "absolute_path"}},
			"read_many_files":     {kind: Search, fields: nil},
			"replace":             {kind: Edit, fields: []string{"file_path"}},
			"write_file":          {kind: Write, fields: []string{"file_path"}},
			"list_directory":      {kind: Search, fields: []string{"dir_path", "path"}},
			"glob":                {kind: Search, fields: []string{"dir_path", "path"}},
			"grep_search":         {kind: Search, fields: []string{"dir_path", "path"}},
			"search_file_content": {kind: Search, fields: []string{"dir_path", "path"}},
			"web_fetch":           {kind: Fetch, fields: []string{"url", "prompt"}},
		},
	}
}

// oneUnderscore finds the server in PREFIXserver_tool, where the event does not name it.
func oneUnderscore(prefix string) func(*Event) {
	return func(e *Event) {
		rest, ok := strings.CutPrefix(e.Tool, prefix)
		if e.Server.Name != "" || !ok {
			return
		}
		if server, tool, found := strings.Cut(rest, "_"); found {
			e.Server.Name, e.Server.Tool = server, tool
		}
	}
}

// geminiOutput is the answer of Gemini CLI.
type geminiOutput struct {
	Decision string          `json:"decision,omitempty"`
	Reason   string          `json:"reason,omitempty"`
	Message  string          `json:"systemMessage,omitempty"` // its question shows this, and no reason
	Specific *geminiSpecific `json:"hookSpecificOutput,omitempty"`
}

type geminiSpecific struct {
	Event string          `json:"hookEventName"`
	Input json.RawMessage `json:"tool_input"`
}

// writeGemini answers Gemini CLI. An allow does not skip its own question.
func writeGemini(a Answer, _ *Event) Reply {
	var out geminiOutput
	switch a.Decision {
	case Silence:
		return Reply{}
	case Deny:
		out.Decision, out.Reason = "deny", a.Reason
	case Ask:
		out.Decision, out.Reason, out.Message = "ask", a.Reason, a.Reason
		if a.Input != nil {
			out.Specific = &geminiSpecific{"BeforeTool", a.Input}
		}
	case Rewrite:
		out.Decision, out.Specific = "allow", &geminiSpecific{"BeforeTool", a.Input}
	}
	return Reply{Stdout: object(out)}
}
