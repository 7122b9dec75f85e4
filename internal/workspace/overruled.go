package workspace

import (
	"encoding/json"
	"strings"

	"helve/engine/shell"
	"helve/internal/config"
	"helve/internal/names"
	"helve/tool"
)

// Sample is a call that a rule names, with a plain word in place of each wildcard: what becomes of it shows what the
// rule is worth. whole tells that the rule names nothing else. Rules on a tool as a whole, on tools of others and with
// patterns of several ways have none.
func Sample(rule string) (c *tool.Call, whole, ok bool) {
	name, pattern, _ := strings.Cut(rule, ":")
	pattern = strings.TrimSpace(pattern)
	of, known := sampled[names.Fold(strings.TrimSpace(name))]
	if !known || strings.Trim(pattern, "*") == "" {
		return nil, false, false
	}
	target := strings.NewReplacer("**", "x", "*", "x", "?", "x").Replace(pattern)
	whole = target == pattern
	if of.path {
		if strings.ContainsAny(target, `[{\`) {
			return nil, false, false
		}
		if strings.HasSuffix(target, "/") {
			target, whole = target+"x", false
		}
	}
	args := map[string]any{of.target: of.before + target}
	for k, v := range of.more {
		args[k] = v
	}
	text, err := json.Marshal(args)
	return &tool.Call{Name: of.tool, Args: text}, whole, err == nil
}

// A sampling is how a call of one of our own tools names its target.
type sampling struct {
	tool, target string
	path         bool           // the target is one
	before       string         // stands before it
	more         map[string]any // what a call needs besides
}

// sampled are our own tools that rules have patterns for, and the groups that have their patterns, by folded name.
var sampled = map[string]sampling{
	"bash":  {tool: "bash", target: "command"},
	"@exec": {tool: "bash", target: "command"},

	"fetch": {tool: "fetch", target: "url", before: "https://"},
	"@net":  {tool: "fetch", target: "url", before: "https://"},

	"read":   {tool: "read", target: "file_path", path: true},
	"@read":  {tool: "read", target: "file_path", path: true},
	"ls":     {tool: "ls", target: "path", path: true},
	"glob":   {tool: "glob", target: "path", path: true, more: map[string]any{"pattern": "*"}},
	"grep":   {tool: "grep", target: "path", path: true, more: map[string]any{"pattern": "x"}},
	"write":  {tool: "write", target: "file_path", path: true, more: map[string]any{"contents": "x"}},
	"@write": {tool: "write", target: "file_path", path: true, more: map[string]any{"contents": "x"}},
	"edit":   {tool: "edit", target: "file_path", path: true, more: anEdit},
	"multiedit": {tool: "multi_edit", target: "file_path", path: true,
		more: map[string]any{"edits": []map[string]any{anEdit}}},
}

var anEdit = map[string]any{"old_string": "x", "new_string": "y"}

// catastrophes are the rules that allow or ask about a command that is refused whatever a rule says.
func (n inspection) catastrophes() []Finding {
	var found []Finding
	for _, l := range n.conf.opened.layers {
		for _, r := range l.Rules() {
			why, whole := n.catastrophe(r)
			if why == "" {
				continue
			}
			found = append(found, Finding{
				File:    r.At.File,
				Line:    r.At.Line,
				Key:     "rules",
				Message: r.Word + " " + r.Text + " never counts: such a command is always refused: " + why,
				Certain: whole,
			})
		}
	}
	return found
}

// catastrophe tells why a rule's command would destroy more than a workspace; "" if it would not.
func (n inspection) catastrophe(r config.PlacedRule) (why string, whole bool) {
	if r.Word == tool.Deny.String() {
		return "", false
	}
	c, whole, ok := Sample(r.Text)
	if !ok || c.Name != sampled["bash"].tool {
		return "", false
	}
	var in struct {
		Command string `json:"command"`
	}
	if err := json.Unmarshal(c.Args, &in); err != nil {
		return "", false
	}
	places := n.guard.places
	a := shell.Analyze(in.Command, shell.Options{Dir: places.dir(), Roots: places.dirs, Home: places.getenv("HOME")})
	if a.Verdict != shell.Catastrophic {
		return "", false
	}
	return a.Reason, whole
}
