package policy

import (
	"slices"
	"strings"
	"unicode"

	"helve/internal/names"
	"helve/tool"
)

// An Unmet rule does not do what it says: its pattern fits nothing that its tool can do, or nothing that it could allow
// is known before the call. A rule that denies or asks still meets calls of which it is not known what they will do.
type Unmet struct {
	Decision tool.Decision
	Text     string // tool:pattern
	At       Place
	Why      string // with what to write instead

	Wider bool // it counts, and for more than its pattern says
}

// String is a sentence that a person reads.
func (u Unmet) String() string {
	text := u.Decision.String() + " " + u.Text
	if u.Wider {
		return text + " means more than it says: " + u.Why
	}
	if u.Decision == tool.Allow {
		return text + " never counts: " + u.Why
	}
	return text + " matches nothing that it names: " + u.Why
}

// Unmet lists the rules that do not do what they say, in the order of the layers. A rule that means none of specs is
// not among them: Unmatched has those.
func (r *Rules) Unmet(specs []*tool.Spec) []Unmet {
	s := newSearch(r, specs, nil)
	var out []Unmet
	for i := range r.rules {
		c := &r.rules[i]
		why, wider := s.unmet(c), false
		if why == "" && c.decision == tool.Allow && c.reaches == writes && !c.all {
			why = r.neverWritten(c.glob.text)
		}
		if why == "" && c.about == hosts {
			why, wider = c.wider(), true
		}
		if why != "" {
			out = append(out, Unmet{
				Decision: c.decision,
				Text:     c.text,
				At:       c.at,
				Why:      why,
				Wider:    wider,
			})
		}
	}
	return out
}

// neverWritten tells why nothing that a glob means is ever written, "" if something may be. With a plain word for each
// wildcard a path is guarded by what all paths of the glob have.
func (r *Rules) neverWritten(glob string) string {
	if strings.ContainsAny(glob, `[{\`) {
		return ""
	}
	path := strings.NewReplacer("**", "x", "*", "x", "?", "x").Replace(glob)
	if why := r.Guards(path); why != "" {
		return path + " is never written by a tool: " + why
	}
	return ""
}

// unmet tells why a rule does not do what it says, "" if it does.
func (s *search) unmet(c *rule) string {
	var meant []*subject
	for _, u := range s.subjects {
		if c.sel.matches(u, false) {
			meant = append(meant, u)
		}
	}
	switch {
	case len(meant) == 0:
		return ""
	case c.decision == tool.Allow && !slices.ContainsFunc(meant, tells):
		return "what a tool of others will do is not known before it runs; " +
			"tools can allow it, " + `{"` + c.sel.text + `": "allow"}`
	case c.all:
		return ""
	case !slices.ContainsFunc(meant, c.hasTarget):
		return "its calls have neither path, command nor host: write " + c.sel.text + " alone"
	}
	return c.oddPattern()
}

// tells tells that what the tool's calls will do can be known before they run. A program's own tools may say it.
func tells(u *subject) bool { return ours(u.spec) }

// targets are those of our own tools that have no paths, commands or hosts, by folded name.
var targets = map[string][]string{
	"todoread":   nil,
	"todowrite":  {"todos"},
	"bashoutput": nil,
}

// hasTarget tells that calls of the tool may have a target that the pattern fits.
func (c *rule) hasTarget(u *subject) bool {
	name := names.Fold(u.spec.Name)
	list, only := targets[name]
	switch {
	case u.spec.Origin.Kind != tool.Builtin:
		return true
	case name == "bashkill": // what it ends is not known before: denied and asked about, never allowed
		return c.decision != tool.Allow
	case !only:
		return true
	}
	return slices.ContainsFunc(list, func(target string) bool {
		p := newPlace(target)
		return c.glob.matches(&p)
	})
}

// oddPattern tells why no path, command or host can ever be what the pattern says, "" if one can.
func (c *rule) oddPattern() string {
	switch c.about {
	case hosts:
		return c.oddHost()
	case commands:
		return oddWords(c.words)
	case paths:
		return oddPath(c.glob.text)
	}
	return ""
}

func (c *rule) oddHost() string {
	host := c.host.text
	switch {
	case c.decision == tool.Allow && c.host.bare != "":
		return "a call on the own port of http or https names no port: write " + c.host.bare
	case strings.ContainsFunc(host, isForeign):
		return "a name in another alphabet is compared in its form for the network: write it as xn--…"
	case strings.ContainsAny(host, " \t"):
		return "a host has no blanks"
	case strings.Contains(host, "/"):
		return "hosts are compared by their name, without a path or a network: write " + host[:strings.Index(host, "/")]
	case badPort(host):
		return "a port is a number from 1 to 65535"
	}
	return ""
}

// wider tells what a pattern says that no rule heeds, "" for nothing.
func (c *rule) wider() string {
	_, address, isURL := strings.Cut(c.text, "://")
	if !isURL {
		return ""
	}
	why := "a rule knows a host and its port, not http from https"
	if _, path, ok := strings.Cut(address, "/"); ok && path != "" {
		why += ", nor paths"
	}
	return why + ": write " + c.host.text
}

// isForeign tells what stands in no name as programs look it up.
func isForeign(r rune) bool { return r > unicode.MaxASCII }

// between are what stands between the commands of a line.
var between = []string{"|", "||", "&&", ";", "&", ">", ">>", "<", "2>", "2>&1"}

func oddWords(w wordPattern) string {
	switch {
	case len(w.words) == 0:
		return ""
	case strings.Contains(w.words[0], "*"):
		return "no wildcard stands for a program: write its name"
	}
	for _, word := range w.words {
		if slices.Contains(between, word) {
			return "the commands of a line are judged one by one: write each without " + word
		}
	}
	return ""
}

// oddPath looks behind the first two characters: // begins a path in another folder.
func oddPath(glob string) string {
	if home := strings.NewReplacer("{", "", "}", "").Replace(glob); strings.HasPrefix(strings.ToLower(home), "$home/") {
		return "a rule knows no variables: write ~/ for the home folder"
	}
	inner := glob[min(len(glob), 2):]
	if strings.Contains(inner, "//") || strings.Contains(inner, "/./") || strings.HasSuffix(inner, "/.") {
		return "paths are compared in their shortest form, without // and /./"
	}
	return ""
}
