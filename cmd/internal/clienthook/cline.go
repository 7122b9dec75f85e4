package clienthook

import (
	"encoding/json"

	"helve/internal/rewritten"
)

// cline is Cline's command line, seen at 3.0.65. Its only refusal ends the whole run, and nobody hears why: a command
// is refused by one that prints the reason and fails.
func cline() *Client {
	return &Client{
		Name:     "cline",
		Title:    "Cline",
		Before:   "PreToolUse",
		After:    "PostToolUse",
		read:     readCline,
		write:    writeCline,
		Rewrites: true,
		headless: func([]string) bool { return true },
		own:      []string{".cline/data"},
		tools: map[string]shape{
			"run_commands":      {kind: Shell, fields: []string{"commands"}},
			"execute_command":   {kind: Shell, fields: []string{"command"}},
			"read_files":        {kind: Read, fields: []string{"files"}, paths: []string{"path"}},
			"read_file":         {kind: Read, fields: []string{"path"}},
			"editor":            {kind: Edit, fields: []string{"path"}},
			"write_to_file":     {kind: Write, fields: []string{"path"}},
			"replace_in_file":   {kind: Edit, fields: []string{"path"}},
			"apply_patch":       {kind: Edit, fields: []string{"input", "patch"}, patch: true},
			"search_codebase":   {kind: Search, fields: []string{"path"}},
			"fetch_web_content": {kind: Fetch, fields: []string{"requests", "url"}, paths: []string{"url"}},
		},
	}
}

func readCline(raw []byte, e *Event) error {
	type call struct {
		ID    string          `json:"id"`
		Name  string          `json:"name"`
		Input json.RawMessage `json:"input"`
	}
	var in struct {
		Version string   `json:"clineVersion"`
		Task    string   `json:"taskId"`
		Roots   []string `json:"workspaceRoots"`
		Before  *call    `json:"tool_call"`
		After   *call    `json:"tool_result"`
		Pre     struct {
			Tool string `json:"toolName"`
		} `json:"preToolUse"`
	}
	if err := decode(raw, &in); err != nil {
		return err
	}
	e.Version, e.Conversation, e.Roots = in.Version, in.Task, in.Roots
	if len(in.Roots) > 0 {
		e.Dir = in.Roots[0]
	}
	c := in.Before
	if c == nil {
		c = in.After
	}
	if c == nil {
		e.Tool = in.Pre.Tool
		return nil
	}
	e.Tool, e.Input, e.Call = c.Name, c.Input, c.ID
	return nil
}

func writeCline(a Answer, e *Event) Reply {
	out := struct {
		Cancel bool            `json:"cancel"`
		Error  string          `json:"errorMessage,omitempty"`
		Input  json.RawMessage `json:"overrideInput,omitempty"`
	}{}
	switch a.Decision {
	case Silence:
	case Deny, Ask:
		out.Cancel, out.Error = true, a.Reason
		if input, ok := saying(e, a.Reason); ok {
			out.Cancel, out.Error, out.Input = false, "", input
		}
	case Rewrite:
		out.Input = a.Input
	}
	return Reply{Stdout: object(out)}
}

// saying is the input of a command that prints why another did not run, and fails as it would.
func saying(e *Event, reason string) (json.RawMessage, bool) {
	c := cline()
	if c.tools[e.Tool].kind != Shell {
		return nil, false
	}
	input, err := c.with(e, []string{"printf '%s\\n' " + rewritten.Join([]string{reason}) + " >&2; exit 126"})
	return input, err == nil
}
