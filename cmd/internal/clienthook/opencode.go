package clienthook

import "encoding/json"

// opencode is opencode, seen at 1.18.33. Its hooks are functions of a plugin; the one that init writes asks us in a
// form of our own: {tool, args, session, call, directory} → {deny} or {args} or nothing.
func opencode() *Client {
	return &Client{
		Name:     "opencode",
		Title:    "opencode",
		Before:   "tool.execute.before",
		After:    "tool.execute.after",
		read:     readOpencode,
		mcp:      oneUnderscore(""),
		write:    writeOpencode,
		Rewrites: true,
		headless: func([]string) bool { return true },
		own:      []string{".local/share/opencode"},
		tools: map[string]shape{
			"bash":        {kind: Shell, fields: []string{"command"}, folder: "workdir"},
			"read":        {kind: Read, fields: []string{"filePath"}},
			"edit":        {kind: Edit, fields: []string{"filePath"}},
			"write":       {kind: Write, fields: []string{"filePath"}},
			"multiedit":   {kind: Edit, fields: []string{"filePath"}},
			"apply_patch": {kind: Edit, fields: []string{"patchText"}, patch: true},
			"patch":       {kind: Edit, fields: []string{"patchText"}, patch: true},
			"list":        {kind: Search, fields: []string{"path"}},
			"glob":        {kind: Search, fields: []string{"path"}},
			"grep":        {kind: Search, fields: []string{"path"}},
			"webfetch":    {kind: Fetch, fields: []string{"url"}},
			"todowrite":   {},
			"todoread":    {},
		},
	}
}

func readOpencode(raw []byte, e *Event) error {
	var in struct {
		Tool    string          `json:"tool"`
		Args    json.RawMessage `json:"args"`
		Session string          `json:"session"`
		Call    string          `json:"call"`
		Dir     string          `json:"directory"`
	}
	if err := decode(raw, &in); err != nil {
		return err
	}
	e.Tool, e.Input, e.Dir, e.Conversation, e.Call = in.Tool, in.Args, in.Dir, in.Session, in.Call
	return nil
}

func writeOpencode(a Answer, _ *Event) Reply {
	out := struct {
		Deny string          `json:"deny,omitempty"`
		Args json.RawMessage `json:"args,omitempty"`
	}{}
	switch a.Decision {
	case Silence:
		return Reply{}
	case Deny, Ask:
		out.Deny = a.Reason
	case Rewrite:
		out.Args = a.Input
	}
	return Reply{Stdout: object(out)}
}
