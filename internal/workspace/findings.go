package workspace

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"helve/internal/config"
	"helve/internal/names"
	"helve/policy"
	"helve/server"
	"helve/tool"
)

// Findings are what a person who looks for mistakes should know: values that do not count, names that mean no tool,
// also in profiles that are not chosen, and sources of tools that can never bring any. Nothing is started.
func (w *Assembly) Findings() []Finding {
	found := []Finding{}
	for _, text := range w.settings.Warnings {
		found = append(found, warned(text))
	}
	for _, g := range w.settings.Ignored {
		found = append(found, Finding{
			File:    g.At.File,
			Line:    g.At.Line,
			Key:     g.Key,
			Message: "ignored: " + g.Why,
			Certain: !g.ByTrust,
		})
	}
	found = append(found, w.ruleFindings(w.rules())...)
	found = append(found, w.unknownOptions()...)
	for _, more := range w.brought.findings {
		found = append(found, more()...)
	}
	found = append(found, w.impossibleHosts()...)
	found = append(found, w.misspeltClients()...)
	return w.addProfiles(found)
}

// warning is how a warning about a file begins: its place.
var warning = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(.+?):([0-9]+): (.*)$`)
})

// warned is a warning of the reader as a finding. One without a line is about a file, or the whole.
func warned(text string) Finding {
	m := warning().FindStringSubmatch(text)
	if m == nil {
		return Finding{Key: "configuration", Message: text}
	}
	line, _ := strconv.Atoi(m[2]) // digits
	return Finding{
		File:    m[1],
		Line:    line,
		Key:     filepath.Base(m[1]),
		Message: m[3],
	}
}

// ruleFindings are the names that mean no tool, and the rules that do not do what they say.
func (w *Assembly) ruleFindings(rules *policy.Rules) []Finding {
	var found []Finding
	for _, u := range w.unmatched(rules) {
		if u.Pending {
			continue // nobody knows yet whether that is a mistake
		}
		found = append(found, Finding{
			File:    u.At.File,
			Line:    u.At.Line,
			Key:     u.Key,
			Message: u.String(),
			Certain: u.Name == "",
		})
	}
	for _, u := range rules.Unmet(w.registry.Specs()) {
		found = append(found, Finding{
			File:    u.At.File,
			Line:    u.At.Line,
			Key:     "rules",
			Message: u.String(),
			Certain: true,
		})
	}
	return found
}

// addProfiles adds what is wrong with the profiles that are not chosen. What stands for all of them is found already.
func (w *Assembly) addProfiles(found []Finding) []Finding {
	for _, name := range slices.Sorted(maps.Keys(w.settings.Clients)) {
		if name == w.settings.Profile {
			continue
		}
		for _, f := range w.profileFindings(name) {
			if !slices.Contains(found, f) {
				found = append(found, f)
			}
		}
	}
	return found
}

func (w *Assembly) profileFindings(name string) []Finding {
	at := w.settings.At("clients", name)
	wrong := func(err error) []Finding {
		return []Finding{{
			File:    at.File,
			Line:    at.Line,
			Key:     "clients." + name,
			Message: err.Error(),
			Certain: true,
		}}
	}
	config := *w.settings.Config
	config.Profile = name
	plain := &settings{Config: &config}
	if _, err := plain.base(); err != nil {
		at = w.settings.At("clients", name, "profile")
		return wrong(err)
	}
	s, err := settingsOf(w.settings, policyKey{profile: name})
	if err != nil {
		return wrong(err)
	}
	rules, err := w.rulesOf(s)
	if err != nil {
		return wrong(err)
	}
	return w.ruleFindings(rules)
}

// unmatched are the names, groups and wildcards in the configuration that mean no tool that is there.
func (w *Assembly) unmatched(rules *policy.Rules) []policy.Unmatched {
	specs := w.registry.Specs()
	pending := w.serverNames()
	brought := func(s *tool.Spec) bool { return s.Origin.Kind == tool.Command }
	if w.settings.Discovery != nil && !slices.ContainsFunc(specs, brought) {
		pending = append(pending, "") // a discovery command may bring tools of any name
	}
	pending = append(pending, w.poolNames()...)
	found := rules.Unmatched(specs, pending)
	return append(found, rules.UnmatchedNames("hooks", w.hooked(), specs, pending)...)
}

// poolNames are how the names of tools begin that the workers of a pool may bring.
func (w *Assembly) poolNames() []string {
	if w.settings.Bus == nil {
		return nil
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(w.settings.Bus.Pools)) {
		if w.settings.Bus.Pools[name].OwnTools {
			out = append(out, "pool__"+name)
		}
	}
	return out
}

// hooked are the names that hooks match. A hook with a misspelt one guards nothing.
func (w *Assembly) hooked() []policy.Name {
	var out []policy.Name
	for i, h := range w.settings.Hooks {
		if h.Match == "" {
			continue // every tool
		}
		at := policy.Place(w.settings.AtItem("hooks", i))
		out = append(out, policy.Name{Name: h.Match, At: at})
	}
	return out
}

// unknownOptions are tool_options for tools that are not ours: there is nobody else whose defaults could be set.
func (w *Assembly) unknownOptions() []Finding {
	var own []string
	for _, t := range w.tools {
		own = append(own, t.Spec().Name)
	}
	var found []Finding
	for _, name := range slices.Sorted(maps.Keys(w.settings.ToolOptions)) {
		if slices.Contains(own, name) {
			continue
		}
		at := w.settings.At("tool_options", name)
		found = append(found, Finding{
			File:    at.File,
			Line:    at.Line,
			Key:     "tool_options",
			Message: unknownOption(name, own),
			Certain: true,
		})
	}
	return found
}

// unknownOption says what is wrong with a name of tool_options. Keys are split at their first dot only, so that
// tool_options.bash.timeout means a tool that is called bash.timeout.
func unknownOption(name string, own []string) string {
	text := fmt.Sprintf("there is no built-in tool %q", name)
	of, parameter, dotted := strings.Cut(name, ".")
	if dotted && slices.Contains(own, of) {
		return text + fmt.Sprintf(`: write an object for %s, {%q: …}`, of, parameter)
	}
	if near := names.Near(name, own, 1); len(near) > 0 {
		return text + fmt.Sprintf(": did you mean %q?", near[0])
	}
	return text
}

// compareNames warns of what the configuration says of tools that do not exist, and of disabled tools that cannot be
// disabled: a rule with a misspelt name protects nothing. A name written as a server's is no mistake by
// itself, since a person's configuration speaks of servers that not every workspace has.
func (w *Assembly) compareNames() error {
	var wrong []string
	for _, u := range w.unmatched(w.rules()) {
		if u.Pending || slices.Contains(protected, u.Name) {
			continue
		}
		// What is nearly a server's name is misspelt, in every workspace.
		if u.Key == "disabled_tools" || w.o.Strict || !u.Foreign() || u.Near != "" {
			wrong = append(wrong, fmt.Sprintf("%s: %s: %s", u.At, u.Key, u))
		}
	}
	for _, u := range w.rules().Unmet(w.registry.Specs()) {
		if u.Decision != tool.Allow { // it was to protect something
			wrong = append(wrong, fmt.Sprintf("%s: rules: %s", u.At, u))
		}
	}
	for _, f := range w.unknownOptions() {
		wrong = append(wrong, fmt.Sprintf("%s:%d: %s: %s", f.File, f.Line, f.Key, f.Message))
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
func (w *Assembly) Disabled() []string {
	off := func(s *tool.Spec) bool { return w.kit.Lists(s).Off }
	if !slices.ContainsFunc(w.registry.Specs(), off) {
		return nil // and no names are made that the client may not see
	}
	var out []string
	for _, off := range w.kit.View().Withheld() {
		if off.Verdict.Off {
			out = append(out, off.Name)
		}
	}
	slices.Sort(out)
	return out
}

// impossibleHosts are the entries of fetch.allow_private that no address can be.
func (w *Assembly) impossibleHosts() []Finding {
	if w.settings.Fetch == nil {
		return nil
	}
	at := w.settings.At("fetch", "allow_private")
	var found []Finding
	for _, host := range w.settings.Fetch.AllowPrivate {
		if err := config.CheckHost(host); err != nil {
			found = append(found, Finding{
				File:    at.File,
				Line:    at.Line,
				Key:     "fetch.allow_private",
				Message: err.Error(),
				Certain: true,
			})
		}
	}
	return found
}

// misspeltClients are names of client_profiles that are nearly those of known clients. One that says which clients it
// means, in info, is a client of its own.
func (w *Assembly) misspeltClients() []Finding {
	var known []string
	for _, p := range server.Profiles() {
		known = append(known, p.Name)
	}
	var found []Finding
	for _, name := range slices.Sorted(maps.Keys(w.settings.ClientProfiles)) {
		if slices.Contains(known, name) || len(w.settings.ClientProfiles[name].Info) > 0 {
			continue
		}
		near := names.Near(name, known, 1)
		if len(near) == 0 {
			continue
		}
		at := w.settings.At("client_profiles", name)
		found = append(found, Finding{
			File:    at.File,
			Line:    at.Line,
			Key:     "client_profiles." + name,
			Message: fmt.Sprintf("no client %q is known: did you mean %q? One of that name says so in info", name, near[0]),
		})
	}
	return found
}
