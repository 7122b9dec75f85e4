package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Ignored is a value that does not count, and why.
type Ignored struct {
	Key     string // rules[0], mcp_servers.github
	Value   json.RawMessage
	At      Place
	Why     string
	ByTrust bool // it would count if the workspace were trusted
}

// A tightener keeps of a layer what takes rights away.
type tightener struct {
	why     string
	base    *node // of the whole layer, for profiles that say nothing of their own below
	ignored []Ignored
}

func (t *tightener) drop(key string, n *node) {
	t.ignored = append(t.ignored, Ignored{Key: key, Value: n.json(), At: n.at, Why: t.why, ByTrust: t.why == notTrusted})
}

// tighten is what of n leaves an agent with no more than base alone does. base is the merge of the layers below.
func (t *tightener) tighten(n *node, base *node, prefix string) *node {
	out := &node{at: n.at}
	for _, f := range n.fields {
		if kept := t.key(f, base.get(f.name), prefix+f.name); kept != nil {
			out.set(f.name, kept)
		}
	}
	return out
}

func (t *tightener) key(f field, base *node, path string) *node {
	switch f.name {
	case "$schema", "disabled_tools", "allowed_tools", "search", "drop_unused":
		return f.val
	case "tools":
		return t.tools(f.val, base, path)
	case "rules":
		return t.rules(f.val, path)
	case "mode":
		return t.atMost(f.val, base, path, []string{"plan", "ask", "auto"})
	case "write", "todo":
		return t.onlyFalse(f.val, base, path)
	case "sandbox":
		return t.sandbox(f.val, base, path)
	case "limits":
		return t.limits(f.val, base, path)
	case "clients":
		return t.clients(f.val, base, path)
	}
	t.drop(path, f.val)
	return nil
}

// tools keeps what is stricter than the layers below: a name that they say nothing about counts as on, one that they switch off by a
// group or a wildcard is for the policy to hold.
func (t *tightener) tools(n, base *node, path string) *node {
	out := &node{at: n.at}
	for _, f := range n.fields {
		to, _ := parseSetting(f.val.text)
		below := On
		if b := base.get(f.name); b != nil {
			below, _ = parseSetting(b.text)
		}
		switch {
		case to.strictness() > below.strictness() || to == below && to != On:
			out.set(f.name, f.val)
		case to != On || below != On || strictest(base) > On.strictness():
			t.drop(path+"."+f.name, f.val)
		}
	}
	return out
}

func strictest(tools *node) int {
	most := 0
	if tools != nil {
		for _, f := range tools.fields {
			s, _ := parseSetting(f.val.text)
			most = max(most, s.strictness())
		}
	}
	return most
}

func (t *tightener) rules(n *node, path string) *node {
	out := &node{kind: array, at: n.at}
	for i, it := range n.items {
		if it.get("allow") != nil {
			t.drop(path+"["+strconv.Itoa(i)+"]", it)
			continue
		}
		out.items = append(out.items, it)
	}
	return out
}

// atMost keeps a word that is not freer than what stands. words go from strict to free.
func (t *tightener) atMost(n, base *node, path string, words []string) *node {
	word, _ := n.str()
	below, ok := base.str()
	if ok && slices.Index(words, word) > slices.Index(words, below) {
		t.drop(path, n)
		return nil
	}
	return n
}

func (t *tightener) onlyFalse(n, base *node, path string) *node {
	if n.text == "false" {
		return n
	}
	if base != nil && base.text == "false" {
		t.drop(path, n)
	}
	return nil
}

func (t *tightener) sandbox(n, base *node, path string) *node {
	out := &node{at: n.at}
	for _, f := range n.fields {
		var kept *node
		switch f.name {
		case "level":
			kept = t.atMost(f.val, base.get("level"), path+".level", []string{"read-only", "workspace-write", "off"})
		case "network":
			kept = t.onlyFalse(f.val, base.get("network"), path+".network")
			if kept == nil && base.get("network") == nil {
				t.drop(path+".network", f.val)
			}
		case "masked":
			kept = f.val
		default:
			t.drop(path+"."+f.name, f.val)
		}
		if kept != nil {
			out.set(f.name, kept)
		}
	}
	return out
}

func (t *tightener) limits(n, base *node, path string) *node {
	out := &node{at: n.at}
	for _, f := range n.fields {
		limit, err := strconv.Atoi(f.val.text)
		if b := base.get(f.name); b != nil {
			below, _ := strconv.Atoi(b.text)
			if err != nil || limit > below {
				t.drop(path+"."+f.name, f.val)
				continue
			}
		}
		out.set(f.name, f.val)
	}
	return out
}

func (t *tightener) clients(n, base *node, path string) *node {
	out := &node{at: n.at}
	for _, f := range n.fields {
		below := t.base
		if b := base.get(f.name); b != nil {
			below = merge(below, b)
		}
		out.set(f.name, t.tighten(f.val, below, path+"."+f.name+"."))
	}
	return out
}

// ownersOnly leaves out what no workspace may say, trusted or not.
func ownersOnly(n *node) (*node, []Ignored) {
	t := tightener{why: "only the user's own configuration or a flag may say that"}
	out := n.clone()
	if f := out.get("fetch"); f != nil {
		t.drop("fetch", f)
		out.remove("fetch")
	}
	if l := out.path("sandbox", "level"); l != nil && l.text == `"off"` {
		t.drop("sandbox.level", l)
		out.get("sandbox").remove("level")
	}
	return out, t.ignored
}

// ignoredShown is how many ignored values one line names.
const ignoredShown = 8

// IgnoredLine says in one line what the workspace's configuration says and does not count, and the command that would accept it; ""
// if there is nothing.
func (c *Config) IgnoredLine() string {
	var parts []string
	for _, g := range c.Ignored {
		if g.ByTrust {
			parts = append(parts, fmt.Sprintf("%s (%s)", printable(g.Key), c.short(g.At)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	if n := len(parts) - ignoredShown; n > 0 {
		parts = append(parts[:ignoredShown], fmt.Sprintf("%d more", n))
	}
	return "this workspace is not trusted, so ignored: " + strings.Join(parts, ", ") + "; to accept: helve trust"
}

// short is a place with the workspace's path left off.
func (c *Config) short(p Place) string {
	p.File = strings.TrimPrefix(p.File, c.Workspace+"/")
	return p.String()
}

// printable is a name from a hostile file, fit for a terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) {
			return '?'
		}
		return r
	}, shorten(s))
}
