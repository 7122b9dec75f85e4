package clienthook

import (
	"encoding/json"
	"slices"
	"strings"
)

// claude is Claude Code, seen at 2.1.330.
func claude() *Client {
	return &Client{
		Name:          "claude-code",
		Title:         "Claude Code",
		Before:        "PreToolUse",
		After:         "PostToolUse",
		read:          readClaude,
		tools:         claudeTools(),
		mcp:           doubleUnderscores,
		write:         writeClaude,
		AsksTerminal:  true,
		AsksHeadless:  true, // it refuses what it would ask
		AsksRewritten: true,
		Rewrites:      true,
		Keeps:         true,
		headless:      flagged("-p", "--print"),
		own:           []string{".claude/plans", ".claude/projects", ".claude/todos", ".claude/tasks", ".claude/teams"},
	}
}

func claudeTools() map[string]shape {
	file := []string{"file_path"}
	return map[string]shape{
		"Bash":         {kind: Shell, fields: []string{"command"}, later: []string{"run_in_background"}},
		"Read":         {kind: Read, fields: file},
		"NotebookRead": {kind: Read, fields: []string{"notebook_path"}},
		"Edit":         {kind: Edit, fields: file},
		"MultiEdit":    {kind: Edit, fields: file},
		"Write":        {kind: Write, fields: file},
		"NotebookEdit": {kind: Edit, fields: []string{"notebook_path"}},
		"Grep":         {kind: Search, fields: []string{"path"}},
		"Glob":         {kind: Search, fields: []string{"path"}},
		"LS":           {kind: Search, fields: []string{"path"}},
		"WebFetch":     {kind: Fetch, fields: []string{"url"}},
	}
}

// claudeEvent is an event in the form that Claude Code began, and that Codex, Gemini CLI and Qwen Code took up.
type claudeEvent struct {
	Session string          `json:"session_id"`
	Dir     string          `json:"cwd"`
	Tool    string          `json:"tool_name"`
	Input   json.RawMessage `json:"tool_input"`
	Call    string          `json:"tool_use_id"`
	Turn    string          `json:"turn_id"`
	Mode    string          `json:"permission_mode"`
	File    string          `json:"transcript_path"`

	Server struct {
		Name string `json:"name"`
	} `json:"mcp_server"`
	Context struct {
		Server  string   `json:"server_name"`
		Tool    string   `json:"tool_name"`
		Command string   `json:"command"`
		Args    []string `json:"args"`
	} `json:"mcp_context"`
}

func readClaude(raw []byte, e *Event) error {
	var in claudeEvent
	if err := decode(raw, &in); err != nil {
		return err
	}
	e.Tool, e.Input, e.Dir, e.Conversation, e.Call = in.Tool, in.Input, in.Dir, in.Session, in.Call
	e.Mode, e.Transcript, e.Turn = in.Mode, in.File, in.Turn
	e.Server.Name = in.Server.Name
	if c := in.Context; c.Server != "" {
		e.Server = Server{Name: c.Server, Tool: c.Tool}
		if c.Command != "" {
			e.Server.Command = append([]string{c.Command}, c.Args...)
		}
	}
	return nil
}

// doubleUnderscores finds the server in mcp__SERVER__TOOL.
func doubleUnderscores(e *Event) {
	rest, ok := strings.CutPrefix(e.Tool, "mcp__")
	if !ok {
		return
	}
	if own, known := strings.CutPrefix(rest, e.Server.Name+"__"); known && e.Server.Name != "" {
		e.Server.Tool = own
		return
	}
	server, tool, _ := strings.Cut(rest, "__")
	if e.Server.Name == "" {
		e.Server.Name = server
	}
	e.Server.Tool = tool
}

// hookOutput is the answer of Claude Code's form.
type hookOutput struct {
	Specific specificOutput `json:"hookSpecificOutput"`
}

type specificOutput struct {
	Event    string          `json:"hookEventName"`
	Decision string          `json:"permissionDecision,omitempty"`
	Reason   string          `json:"permissionDecisionReason,omitempty"`
	Input    json.RawMessage `json:"updatedInput,omitempty"`
}

// writeClaude answers Claude Code. A new input without a decision leaves the client's own question as it is.
func writeClaude(a Answer, _ *Event) Reply {
	out := specificOutput{Event: "PreToolUse"}
	switch a.Decision {
	case Silence:
		return Reply{}
	case Deny:
		out.Decision, out.Reason = "deny", a.Reason
	case Ask:
		out.Decision, out.Reason, out.Input = "ask", a.Reason, a.Input
	case Rewrite:
		out.Input = a.Input
		if a.Allow {
			out.Decision = "allow"
		}
	}
	return Reply{Stdout: object(hookOutput{out})}
}

// flagged tells that one of the flags is among a process's arguments.
func flagged(flags ...string) func([]string) bool {
	return func(args []string) bool {
		return slices.ContainsFunc(args, func(arg string) bool {
			name, _, _ := strings.Cut(arg, "=")
			return slices.Contains(flags, name)
		})
	}
}
