package config

import (
	stdjson "encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"helve/internal/json"
)

// Ignored is a value that does not count, and why.
type Ignored struct {
	Key     string // rules[0], mcp_servers.github
	Value   stdjson.RawMessage
	At      Place
	Why     string
	ByTrust bool // it would count if the workspace were trusted
}

// A tightener keeps of a layer what takes rights away.
type tightener struct {
	places  *places
	why     string
	base    *json.Node // of the whole layer, for profiles that say nothing of their own below
	ignored []Ignored
}

// drop leaves a value out and remembers it: whoever wrote it is told that it does not count.
func (t *tightener) drop(key string, n *json.Node) {
	t.ignored = append(t.ignored, Ignored{
		Key:     key,
		Value:   n.AppendCompact(nil),
		At:      t.places.of(n),
		Why:     t.why,
		ByTrust: t.why == notTrusted,
	})
}

// tighten is what of n leaves an agent with no more than base alone does. base is the merge of the
// layers below.
func (t *tightener) tighten(n, base *json.Node, prefix string) json.Node {
	return each(n, func(f *json.Node) *json.Node {
		return t.key(f, base.Get(f.Name), prefix+f.Name)
	})
}

// each is an object with what keep makes of the members of n; it leaves out those of which nothing
// is kept.
func each(n *json.Node, keep func(*json.Node) *json.Node) json.Node {
	out := object(n)
	for i := range n.Kids {
		f := &n.Kids[i]
		if kept := keep(f); kept != nil {
			out.Set(f.Name, *kept)
		}
	}
	return out
}

// key keeps what can take rights away. A key that is not known here may give some, today or
// tomorrow: it is dropped.
func (t *tightener) key(f, base *json.Node, path string) *json.Node {
	var kept json.Node
	switch f.Name {
	case "$schema", "disabled_tools", "allowed_tools", "search", "drop_unused", "diagnostics":
		return f
	case "mode":
		return t.atMost(f, base, path, []string{"plan", "ask", "review", "auto"})
	case "review":
		return t.atMost(f, base, path, []string{"call", "turn"})
	case "obeyed":
		if f.Text != "hold" {
			t.drop(path, f)
			return nil
		}
		return f
	case "write", "todo":
		return t.onlyFalse(f, base, path)
	case "tools":
		kept = t.tools(f, base, path)
	case "rules":
		kept = t.rules(f, path)
	case "secrets":
		kept = t.secrets(f, path)
	case "sandbox":
		kept = t.sandbox(f, base, path)
	case "code":
		kept = t.code(f, base, path)
	case "limits":
		kept = t.limits(f, base, path)
	case "memory":
		kept = t.memory(f, base, path)
	case "clients":
		kept = t.clients(f, base, path)
	default:
		t.drop(path, f)
		return nil
	}
	return &kept
}

// tools keeps what is stricter than the layers below: a name that they say nothing about counts as
// on, one that they switch off by a group or a wildcard is for the policy to hold.
func (t *tightener) tools(n, base *json.Node, path string) json.Node {
	return each(n, func(f *json.Node) *json.Node {
		to, _ := settingOf(f)
		below, said := settingOf(base.Get(f.Name))
		if !said {
			below = On
		}
		if to.strictness() > below.strictness() || to == below && to != On {
			return f
		}
		// An on that changes nothing is no loss worth telling.
		if to != On || below != On || strictest(base) > On.strictness() {
			t.drop(path+"."+f.Name, f)
		}
		return nil
	})
}

// strictest is the strictness of the strictest entry, which may be a group that holds the name.
func strictest(tools *json.Node) int {
	most := 0
	if tools != nil {
		for i := range tools.Kids {
			s, _ := settingOf(&tools.Kids[i])
			most = max(most, s.strictness())
		}
	}
	return most
}

// rules keeps questions and refusals. An allow would open something, whatever it names.
func (t *tightener) rules(n *json.Node, path string) json.Node {
	out := list(n)
	for i := range n.Kids {
		it := &n.Kids[i]
		if it.Get("allow") != nil {
			t.drop(fmt.Sprintf("%s[%d]", path, i), it)
			continue
		}
		out.Kids = append(out.Kids, *it)
	}
	return out
}

// secrets keeps what adds to the list.
func (t *tightener) secrets(n *json.Node, path string) json.Node {
	out := list(n)
	for i := range n.Kids {
		it := &n.Kids[i]
		if strings.HasPrefix(it.Text, "!") {
			t.drop(fmt.Sprintf("%s[%d]", path, i), it)
			continue
		}
		out.Kids = append(out.Kids, *it)
	}
	return out
}

// atMost keeps a word that is not freer than what stands. words go from strict to free.
func (t *tightener) atMost(n, base *json.Node, path string, words []string) *json.Node {
	if !base.IsString() {
		return n
	}
	if slices.Index(words, n.Text) > slices.Index(words, base.Text) {
		t.drop(path, n)
		return nil
	}
	return n
}

// onlyFalse keeps a no. A yes where the answer is yes already is no loss worth telling.
func (t *tightener) onlyFalse(n, base *json.Node, path string) *json.Node {
	if isFalse(n) {
		return n
	}
	if isFalse(base) {
		t.drop(path, n)
	}
	return nil
}

// sandbox keeps less freedom and more masks. A network that nobody below speaks of is off by
// default, so that a yes would open it.
func (t *tightener) sandbox(n, base *json.Node, path string) json.Node {
	return each(n, func(f *json.Node) *json.Node {
		below, key := base.Get(f.Name), path+"."+f.Name
		switch f.Name {
		case "level":
			return t.atMost(f, below, key, []string{"read-only", "workspace-write", "off"})
		case "network":
			kept := t.onlyFalse(f, below, key)
			if kept == nil && below == nil {
				t.drop(key, f)
			}
			return kept
		case "masked":
			return f
		}
		t.drop(key, f)
		return nil
	})
}

// code keeps a no: a yes starts programs.
func (t *tightener) code(n, base *json.Node, path string) json.Node {
	return each(n, func(f *json.Node) *json.Node {
		if f.Name == "exact" {
			return t.atMost(f, base.Get(f.Name), path+"."+f.Name, []string{"off", "auto"})
		}
		t.drop(path+"."+f.Name, f)
		return nil
	})
}

// limits keeps lower bounds, and a bound where there was none.
func (t *tightener) limits(n, base *json.Node, path string) json.Node {
	return each(n, func(f *json.Node) *json.Node {
		below := base.Get(f.Name)
		if below == nil {
			return f
		}
		limit, ok := whole(f)
		most, _ := whole(below)
		if !ok || limit > most {
			t.drop(path+"."+f.Name, f)
			return nil
		}
		return f
	})
}

// defaultMemory is memory.max_bytes where nobody says it.
const defaultMemory = 65536

// memory keeps a no, and less of it. The bound that stands is the default where nobody says one.
func (t *tightener) memory(n, base *json.Node, path string) json.Node {
	return each(n, func(f *json.Node) *json.Node {
		below, key := base.Get(f.Name), path+"."+f.Name
		if f.Name == "files" {
			return t.onlyFalse(f, below, key)
		}
		less, ok := whole(f)
		most, said := whole(below)
		if !said {
			most = defaultMemory
		}
		if f.Name == "max_bytes" && ok && less <= most {
			return f
		}
		t.drop(key, f)
		return nil
	})
}

// clients tightens each profile against what it would be without this layer.
func (t *tightener) clients(n, base *json.Node, path string) json.Node {
	return each(n, func(f *json.Node) *json.Node {
		below := *t.base
		if said := base.Get(f.Name); said != nil {
			below = merge(&below, said)
		}
		kept := t.tighten(f, &below, path+"."+f.Name+".")
		return &kept
	})
}

// ownersOnly leaves out what no workspace may say, trusted or not.
func (p *places) ownersOnly(n *json.Node) (json.Node, []Ignored) {
	t := tightener{places: p, why: "only the user's own configuration or a flag may say that"}
	out := n.Clone()
	for _, key := range []string{"fetch", "bus", "conversations", "models", "providers"} {
		if f := out.Get(key); f != nil {
			t.drop(key, f)
			out.Remove(key)
		}
	}
	if f := out.Get("review"); f.IsString() && f.Text != "call" { // who sees each change by itself wants that
		t.drop("review", f)
		out.Remove("review")
	}
	level := out.Path("sandbox", "level")
	if level.IsString() && level.Text == "off" {
		t.drop("sandbox.level", level)
		out.Get("sandbox").Remove("level")
	}
	return out, t.ignored
}

// ignoredShown is how many ignored values one line names.
const ignoredShown = 8

// IgnoredLine says in one line what the workspace's configuration says and does not count, and the
// command that would accept it; "" if there is nothing.
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
