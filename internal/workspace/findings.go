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

// An inspection compares what the configuration says with the tools that are there.
type inspection struct {
	conf     *configuration
	guard    *guard
	brought  *brought
	tools    []tool.Tool // our own, those of parts and of the program
	registry *tool.Registry
	strict   bool // names that mean no tool are errors
	say      messages
}

// findings are what a person who looks for mistakes should know: values that do not count, names that mean no tool,
// also in profiles that are not chosen, and sources of tools that can never bring any. Nothing is started.
func (n inspection) findings() []Finding {
	found := []Finding{}
	for _, text := range n.conf.opened.Warnings {
		found = append(found, warned(text))
	}
	for _, g := range n.conf.opened.Ignored {
		found = append(found, Finding{
			File:    g.At.File,
			Line:    g.At.Line,
			Key:     g.Key,
			Message: "ignored: " + g.Why,
			Certain: !g.ByTrust,
		})
	}
	found = append(found, n.ruleFindings(n.guard.rules())...)
	found = append(found, n.catastrophes()...)
	found = append(found, n.unknownOptions()...)
	for _, more := range n.brought.findings {
		found = append(found, more()...)
	}
	found = append(found, n.impossibleHosts()...)
	found = append(found, n.misspeltClients()...)
	found = append(found, n.strangeModels()...)
	return n.addProfiles(found)
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
func (n inspection) ruleFindings(rules *policy.Rules) []Finding {
	var found []Finding
	for _, u := range n.unmatched(rules) {
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
	for _, u := range rules.Unmet(n.registry.Specs()) {
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
func (n inspection) addProfiles(found []Finding) []Finding {
	for _, name := range slices.Sorted(maps.Keys(n.conf.opened.Clients)) {
		if name == n.conf.opened.Profile {
			continue
		}
		for _, f := range n.profileFindings(name) {
			if !slices.Contains(found, f) {
				found = append(found, f)
			}
		}
	}
	return found
}

func (n inspection) profileFindings(name string) []Finding {
	at := n.conf.opened.At("clients", name)
	wrong := func(err error) []Finding {
		return []Finding{{
			File:    at.File,
			Line:    at.Line,
			Key:     "clients." + name,
			Message: err.Error(),
			Certain: true,
		}}
	}
	config := *n.conf.opened.Config
	config.Profile = name
	plain := &settings{Config: &config}
	if _, err := plain.base(); err != nil {
		at = n.conf.opened.At("clients", name, "profile")
		return wrong(err)
	}
	s, err := settingsOf(n.conf.opened, policyKey{profile: name})
	if err != nil {
		return wrong(err)
	}
	rules, err := n.guard.rulesOf(s)
	if err != nil {
		return wrong(err)
	}
	return n.ruleFindings(rules)
}

// unmatched are the names, groups and wildcards in the configuration that mean no tool that is there.
func (n inspection) unmatched(rules *policy.Rules) []policy.Unmatched {
	specs := n.registry.Specs()
	pending := slices.Sorted(maps.Keys(n.conf.opened.MCPServers))
	brought := func(s *tool.Spec) bool { return s.Origin.Kind == tool.Command }
	if n.conf.opened.Discovery != nil && !slices.ContainsFunc(specs, brought) {
		pending = append(pending, "") // a discovery command may bring tools of any name
	}
	pending = append(pending, n.poolNames()...)
	found := rules.Unmatched(specs, pending)
	return append(found, rules.UnmatchedNames("hooks", n.hooked(), specs, pending)...)
}

// poolNames are how the names of tools begin that the workers of a pool may bring.
func (n inspection) poolNames() []string {
	if n.conf.opened.Bus == nil {
		return nil
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(n.conf.opened.Bus.Pools)) {
		if n.conf.opened.Bus.Pools[name].OwnTools {
			out = append(out, "pool__"+name)
		}
	}
	return out
}

// hooked are the names that hooks match. A hook with a misspelt one guards nothing.
func (n inspection) hooked() []policy.Name {
	var out []policy.Name
	for i, h := range n.conf.opened.Hooks {
		if h.Match == "" {
			continue // every tool
		}
		at := policy.Place(n.conf.opened.AtItem("hooks", i))
		out = append(out, policy.Name{Name: h.Match, At: at})
	}
	return out
}

// unknownOptions are tool_options for tools that are not ours: there is nobody else whose defaults could be set.
func (n inspection) unknownOptions() []Finding {
	var own []string
	for _, t := range n.tools {
		own = append(own, t.Spec().Name)
	}
	var found []Finding
	for _, name := range slices.Sorted(maps.Keys(n.conf.opened.ToolOptions)) {
		if slices.Contains(own, name) {
			continue
		}
		at := n.conf.opened.At("tool_options", name)
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
func (n inspection) compareNames() error {
	var wrong []string
	for _, u := range n.unmatched(n.guard.rules()) {
		if u.Pending || slices.Contains(protected, u.Name) {
			continue
		}
		// What is nearly a server's name is misspelt, in every workspace.
		if u.Key == "disabled_tools" || n.strict || !u.Foreign() || u.Near != "" {
			wrong = append(wrong, fmt.Sprintf("%s: %s: %s", u.At, u.Key, u))
		}
	}
	for _, u := range n.guard.rules().Unmet(n.registry.Specs()) {
		if u.Decision != tool.Allow { // it was to protect something
			wrong = append(wrong, fmt.Sprintf("%s: rules: %s", u.At, u))
		}
	}
	for _, f := range n.unknownOptions() {
		wrong = append(wrong, fmt.Sprintf("%s:%d: %s: %s", f.File, f.Line, f.Key, f.Message))
	}
	if len(wrong) > 0 && n.strict {
		return errors.New(strings.Join(wrong, "\n"))
	}
	for _, text := range append(wrong, keptAll(n.conf.opened.layers)...) {
		n.say.warn("%s", text)
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

// impossibleHosts are the entries of fetch.allow_private that no address can be.
func (n inspection) impossibleHosts() []Finding {
	if n.conf.opened.Fetch == nil {
		return nil
	}
	at := n.conf.opened.At("fetch", "allow_private")
	var found []Finding
	for _, host := range n.conf.opened.Fetch.AllowPrivate {
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
func (n inspection) misspeltClients() []Finding {
	var known []string
	for _, p := range server.Profiles() {
		known = append(known, p.Name)
	}
	var found []Finding
	for _, name := range slices.Sorted(maps.Keys(n.conf.opened.ClientProfiles)) {
		if slices.Contains(known, name) || len(n.conf.opened.ClientProfiles[name].Info) > 0 {
			continue
		}
		near := names.Near(name, known, 1)
		if len(near) == 0 {
			continue
		}
		at := n.conf.opened.At("client_profiles", name)
		found = append(found, Finding{
			File:    at.File,
			Line:    at.Line,
			Key:     "client_profiles." + name,
			Message: fmt.Sprintf("no client %q is known: did you mean %q? One of that name says so in info", name, near[0]),
		})
	}
	return found
}
