package clienthook

// codex is Codex, seen at 0.169.0. It takes no question from a hook: the call would run.
func codex() *Client {
	return &Client{
		Name:     "codex",
		Title:    "Codex",
		Before:   "PreToolUse",
		After:    "PostToolUse",
		read:     readClaude,
		mcp:      doubleUnderscores,
		write:    writeCodex,
		Rewrites: true,
		headless: func([]string) bool { return true },
		own:      []string{".codex/memories", ".codex/skills"},
		tools: map[string]shape{
			"Bash":        {kind: Shell, fields: []string{"command"}},
			"apply_patch": {kind: Edit, fields: []string{"command", "input"}, patch: true},
			"view_image":  {kind: Read, fields: []string{"path"}},
		},
	}
}

// writeCodex answers Codex. One field that it does not know makes it pass over the answer, a new input counts only with
// an allow, and an allow only with a new input.
func writeCodex(a Answer, _ *Event) Reply {
	out := specificOutput{Event: "PreToolUse"}
	switch a.Decision {
	case Silence:
		return Reply{}
	case Deny, Ask:
		out.Decision, out.Reason = "deny", a.Reason
	case Rewrite:
		out.Decision, out.Input = "allow", a.Input
	}
	return Reply{Stdout: object(hookOutput{out})}
}
