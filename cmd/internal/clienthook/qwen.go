package clienthook

// qwen is Qwen Code, seen at 0.24.4. It passes over a new input, so that its commands are judged and not confined.
func qwen() *Client {
	return &Client{
		Name:     "qwen",
		Title:    "Qwen Code",
		Before:   "PreToolUse",
		After:    "PostToolUse",
		read:     readClaude,
		mcp:      doubleUnderscores,
		write:    writeQwen,
		headless: flagged("-p", "--prompt"),
		own:      []string{".qwen/tmp", ".qwen/projects", ".qwen/memory"},
		tools: map[string]shape{
			"run_shell_command": {
				kind:   Shell,
				fields: []string{"command"},
				folder: "directory",
				later:  []string{"is_background"},
			},
			"read_file":      {kind: Read, fields: []string{"file_path", "absolute_path"}},
			"edit":           {kind: Edit, fields: []string{"file_path"}},
			"write_file":     {kind: Write, fields: []string{"file_path"}},
			"notebook_edit":  {kind: Edit, fields: []string{"notebook_path", "file_path"}},
			"list_directory": {kind: Search, fields: []string{"path"}},
			"glob":           {kind: Search, fields: []string{"path"}},
			"grep_search":    {kind: Search, fields: []string{"path"}},
			"web_fetch":      {kind: Fetch, fields: []string{"url"}},
		},
	}
}

// writeQwen answers Qwen Code: a refusal or nothing.
func writeQwen(a Answer, _ *Event) Reply {
	if a.Decision != Deny && a.Decision != Ask {
		return Reply{}
	}
	out := specificOutput{Event: "PreToolUse", Decision: "deny", Reason: a.Reason}
	return Reply{Stdout: object(hookOutput{out})}
}
