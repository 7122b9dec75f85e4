package setup

import (
	"bytes"
	stdjson "encoding/json"
	"fmt"
	"slices"
	"strings"

	"helve/internal/json"
)

// hookTime is how long a client waits for helve, in seconds: helve answers within five.
const hookTime = 30

// groupHooks is the form that Claude Code began: lists of groups by event, each with a pattern for names of tools.
type groupHooks struct {
	client        string
	before, after string
	// ends is the pattern for the tools that need the event after: those that edit, and the shell of a client in whose
	// own sandbox helve can keep nothing.
	ends  string
	unit  int  // in which the client counts times, of a second
	named bool // a hook has a name
}

// group is ours for an event.
func (g groupHooks) group(l hookLine, event string) json.Node {
	hook := json.Node{Kind: json.KindObject}
	if g.named {
		hook.Set("name", nodeOf(Name))
	}
	hook.Set("type", nodeOf("command"))
	hook.Set("command", nodeOf(l.text(event)))
	hook.Set("timeout", nodeOf(hookTime*g.unit))
	out := json.Node{Kind: json.KindObject}
	matcher := "*"
	if event == g.after {
		matcher = g.ends
	}
	out.Set("matcher", nodeOf(matcher))
	out.Set("hooks", json.Node{Kind: json.KindArray, Kids: []json.Node{hook}})
	return out
}

func (g groupHooks) set(text []byte, l hookLine) ([]byte, error) {
	body, marked := bytes.CutPrefix(text, bom)
	for _, event := range []string{g.before, g.after} {
		own := g.group(l, event)
		groups, err := g.groups(body, event)
		if err != nil {
			return nil, err
		}
		others := slices.DeleteFunc(slices.Clone(groups), g.isOurs)
		stands := slices.ContainsFunc(groups, func(n json.Node) bool { return same(&n, &own) })
		if len(groups)-len(others) == 1 && stands {
			continue
		}
		if body, err = g.keep(body, event, groups, others); err != nil {
			return nil, err
		}
		p, err := json.NewPatch(body)
		if err == nil {
			body, err = p.Append([]string{"hooks", event}, own)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", err, errByHand)
		}
	}
	return withMark(body, marked), nil
}

// groups are those of an event.
func (g groupHooks) groups(body []byte, event string) ([]json.Node, error) {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, nil
	}
	root, err := looseJSON(body)
	if err != nil {
		return nil, err
	}
	hooks := root.Get("hooks")
	switch {
	case root.Kind != json.KindObject, hooks != nil && hooks.Kind != json.KindObject:
		return nil, fmt.Errorf("its hooks are no object: %w", errByHand)
	case hooks == nil || hooks.Get(event) == nil:
		return nil, nil
	case hooks.Get(event).Kind != json.KindArray:
		return nil, fmt.Errorf("hooks.%s is no list: %w", event, errByHand)
	}
	return hooks.Get(event).Kids, nil
}

// isOurs tells that a group runs helve for this client, and nothing else.
func (g groupHooks) isOurs(group json.Node) bool {
	hooks := group.Get("hooks")
	if hooks == nil || len(hooks.Kids) == 0 {
		return false
	}
	return !slices.ContainsFunc(hooks.Kids, func(h json.Node) bool {
		command := h.Get("command")
		return !command.IsString() || !isHookLine(command.Text, g.client)
	})
}

// keep leaves others of an event's groups; an event without any goes, and with the last one what holds them.
func (g groupHooks) keep(body []byte, event string, all, others []json.Node) ([]byte, error) {
	if len(all) == len(others) {
		return body, nil
	}
	if len(others) > 0 {
		return patched(body, json.Node{Kind: json.KindArray, Kids: others}, "hooks", event)
	}
	p, err := json.NewPatch(body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", err, errByHand)
	}
	body = p.Unset([]string{"hooks", event})
	var rest struct {
		Hooks map[string]stdjson.RawMessage `json:"hooks"`
	}
	plain, err := json.Plain(body)
	if err != nil || stdjson.Unmarshal(plain, &rest) != nil || len(rest.Hooks) > 0 {
		return body, nil
	}
	if p, err = json.NewPatch(body); err != nil {
		return nil, fmt.Errorf("%w: %w", err, errByHand)
	}
	return p.Unset([]string{"hooks"}), nil
}

func (g groupHooks) unset(text []byte) ([]byte, error) {
	body, marked := bytes.CutPrefix(text, bom)
	for _, event := range []string{g.before, g.after} {
		groups, err := g.groups(body, event)
		if err != nil {
			return nil, err
		}
		others := slices.DeleteFunc(slices.Clone(groups), g.isOurs)
		if body, err = g.keep(body, event, groups, others); err != nil {
			return nil, err
		}
	}
	return withMark(body, marked), nil
}

// copilotHooks is a file of our own in Copilot CLI's folder of them.
type copilotHooks struct{}

func (copilotHooks) set(text []byte, l hookLine) ([]byte, error) {
	if len(bytes.TrimSpace(text)) > 0 && !bytes.Contains(text, []byte(" hook copilot ")) {
		return nil, errForeignHook
	}
	type hook struct {
		Type    string `json:"type"`
		Bash    string `json:"bash"`
		Seconds int    `json:"timeoutSec"`
	}
	one := func(event string) []hook { return []hook{{"command", l.text(event), hookTime}} }
	var b bytes.Buffer
	enc := stdjson.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(map[string]any{
		"version": 1,
		"hooks":   map[string][]hook{"preToolUse": one("preToolUse"), "postToolUse": one("postToolUse")},
	})
	return b.Bytes(), err
}

func (copilotHooks) unset([]byte) ([]byte, error) { return nil, nil }

// scriptHooks is a program that Cline runs for one event.
type scriptHooks struct{ event string }

func (s scriptHooks) set(text []byte, l hookLine) ([]byte, error) {
	if len(bytes.TrimSpace(text)) > 0 && !strings.Contains(string(text), " hook cline "+s.event) {
		return nil, errForeignHook
	}
	// Cline takes any exit status for a yes: what fails has to say no in words.
	no := `{"cancel":true,"errorMessage":"helve hook failed and stopped the run; ` + l.file + ` runs it"}`
	if s.event != "PreToolUse" {
		no = "{}"
	}
	line := quotedPath(l.program) + " hook cline " + s.event
	return []byte("#!/bin/sh\n" + line + " || printf '%s\\n' " + singleQuoted(no) + "\n"), nil
}

func (s scriptHooks) unset(text []byte) ([]byte, error) {
	if strings.Contains(string(text), " hook cline "+s.event) {
		return nil, nil
	}
	return text, nil
}

func singleQuoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
