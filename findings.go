package helve

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"helve/internal/config"
	"helve/policy"
	"helve/source/command"
	"helve/tool"
)

// A Finding is something in the configuration that does not do what somebody may have meant.
type Finding struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"` // from 1
	Key     string `json:"key"`            // rules[0], mcp_servers.github
	Message string `json:"message"`
}

// Findings are what a person who looks for mistakes should know: values that do not count, names that mean no tool, and
// sources of tools that can never bring any. Nothing is started.
func (w *Workspace) Findings() []Finding {
	found := []Finding{}
	for _, g := range w.settings.Ignored {
		found = append(found, Finding{
			File:    g.At.File,
			Line:    g.At.Line,
			Key:     g.Key,
			Message: "ignored: " + g.Why,
		})
	}
	for _, u := range w.unmatched() {
		if u.Pending {
			continue // nobody knows yet whether it is a mistake
		}
		found = append(found, Finding{
			File:    u.At.File,
			Line:    u.At.Line,
			Key:     u.Key,
			Message: u.String(),
		})
	}
	return append(found, w.deadSources()...)
}

// unmatched are the names, groups and wildcards in the configuration that mean no tool that is there.
func (w *Workspace) unmatched() []policy.Unmatched {
	specs := w.registry.View().Specs()
	pending := w.serverNames()
	brought := func(s *tool.Spec) bool { return s.Origin.Kind == tool.Command }
	if w.settings.Discovery != nil && !slices.ContainsFunc(specs, brought) {
		pending = append(pending, "") // a discovery command may bring tools of any name
	}
	return w.rules.Unmatched(specs, pending)
}

// deadSources are sources of tools that can never bring any. A layer may say a part of a server only, so that no single
// file is wrong.
func (w *Workspace) deadSources() (found []Finding) {
	add := func(err error, keys ...string) {
		at := w.settings.At(keys...)
		found = append(found, Finding{
			File:    at.File,
			Line:    at.Line,
			Key:     strings.Join(keys, "."),
			Message: err.Error(),
		})
	}
	for _, name := range w.serverNames() {
		s, err := w.server(name, false)
		if err != nil {
			add(err, "mcp_servers", name)
			continue
		}
		s.Close()
	}
	if d := w.settings.Discovery; d != nil {
		c := command.Config{Discover: d.Command, Call: d.Call}
		if err := c.Check(); err != nil {
			add(err, "discovery")
		}
	}
	return found
}

// compareNames warns of what the configuration says of tools that do not exist (R3.9), and of disabled tools that cannot
// be disabled (R3.8): a rule with a misspelt name protects nothing. A name written as a server's is no mistake by
// itself, since a person's configuration speaks of servers that not every workspace has.
func (w *Workspace) compareNames() error {
	var wrong []string
	for _, u := range w.unmatched() {
		if u.Pending || slices.Contains(protected, u.Name) {
			continue
		}
		if u.Key == "disabled_tools" || w.o.Strict || !u.Foreign() {
			wrong = append(wrong, fmt.Sprintf("%s: %s: %s", u.At, u.Key, u))
		}
	}
	if len(wrong) > 0 && w.o.Strict {
		return errors.New(strings.Join(wrong, "\n"))
	}
	for _, text := range append(wrong, keptAll(w.settings.layers)...) {
		w.warn("%s", text)
	}
	return nil
}

// keptAll are warnings about protected tools that a list would disable.
func keptAll(layers []config.Layer) []string {
	var out []string
	for _, l := range layers {
		for _, n := range l.Disabled() {
			if !slices.Contains(protected, n.Name) {
				continue
			}
			text := fmt.Sprintf("%s: disabled_tools: %q is protected and stays", n.At, n.Name)
			out = append(out, text)
		}
	}
	return out
}

// Disabled are the tools that somebody switched off, by name.
func (w *Workspace) Disabled() []string {
	var out []string
	for _, off := range w.kit.View().Withheld() {
		if off.Verdict.Off {
			out = append(out, off.Name)
		}
	}
	slices.Sort(out)
	return out
}
