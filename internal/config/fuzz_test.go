package config_test

import (
	"path/filepath"
	"strings"
	"testing"

	"helve/internal/config"
)

// Whatever a file holds: it loads, or the error names it; a server always starts; and an untrusted project with it never opens anything.
func FuzzProjectFile(f *testing.F) {
	f.Add("json", greedy)
	f.Add("json", "{\"tools\":{\"a\":true,}, // x\n}")
	f.Add("toml", "[tools]\na = true\n[[rules]]\nallow = \"x\"\n")
	f.Add("toml", "a.b.c = 1\n[a]\n\"x\" = {y = [1, {z = 2}]}\n")
	f.Add("mcp", `{"mcpServers":{"a":{"command":"x"}}}`)
	f.Fuzz(func(t *testing.T, form, text string) {
		name := map[string]string{"json": project, "toml": "work/.helve/config.toml", "mcp": "work/.mcp.json"}[form]
		if name == "" {
			return
		}
		v := newHome(t).write(name, text)
		c, err := v.load(config.Options{})
		if err != nil && !strings.Contains(err.Error(), filepath.Base(name)) {
			t.Errorf("the error does not name the file: %v", err)
		}
		served, err := v.load(config.Options{Tolerant: true})
		if err != nil {
			t.Fatalf("a server does not start: %v", err)
		}
		for _, c := range []*config.Config{c, served} {
			if c == nil {
				continue
			}
			if c.Mode == "auto" || c.Discovery != nil || len(c.MCPServers)+len(c.Hooks) > 0 || c.Fetch != nil || c.Sandbox.Level == "off" || *c.Sandbox.Network || len(c.Sandbox.Writable) > 0 {
				t.Errorf("opened: %s", jsonOf(t, c.Values))
			}
			for _, r := range c.Rules {
				if r.Allow != "" {
					t.Errorf("allows %q", r.Allow)
				}
			}
		}
	})
}

// A change that is accepted is there afterwards, and the file can still be read.
func FuzzSet(f *testing.F) {
	f.Add("json", "{ // a\n}", "tools.a", "true")
	f.Add("toml", "[tools]\na = true # b\n", "tools.b", "false")
	f.Add("toml", "tools = {a = true}\nx = '''\n'''", "mode", "plan")
	f.Add("json", "{\"a\":1/* x */,}", "limits.result_bytes", "5000")
	f.Fuzz(func(t *testing.T, form, before, key, value string) {
		name := user
		if form == "toml" {
			name = "config/helve/config.toml"
		}
		h := newHome(t).write(name, before)
		file := filepath.Join(h.dir, name)
		if _, err := config.Set(h.env, file, key, value); err != nil {
			return
		}
		c, err := h.load(config.Options{Tolerant: true})
		if err != nil {
			t.Fatal(err)
		}
		if c.Degraded { // it was not right before
			return
		}
		if _, ok := c.Get(key); !ok {
			t.Errorf("%q, set %s = %s: it is not there", before, key, value)
		}
		if _, err := config.Unset(h.env, file, key); err != nil {
			t.Errorf("%q, unset %s after %s: %v", before, key, value, err)
		}
	})
}
