package upstream

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"sort"
	"strings"

	rawjson "helve/internal/json"
	"helve/source/internal/foreign"
)

// A Finding is something that is wrong with a definition.
type Finding struct {
	Tool string `json:"tool"`
	Text string `json:"text"`
}

// A definition is a tool as the server describes it.
type definition struct {
	name string
	raw  json.RawMessage // without hidden characters
}

// maxDefinition bounds one definition, in bytes: the longest that anybody has a
// use for has some ten thousand, and it is forwarded as it is.
const maxDefinition = 512 << 10

// definitions reads a list. What cannot be used is a finding; the other tools
// stay.
func (s *server) definitions(l *listing) ([]definition, []Finding) {
	var out []definition
	var bad []Finding
	seen := map[string]bool{}
	for _, raw := range l.Tools {
		name, _ := rawjson.String(rawjson.Get(raw, "name"))
		if err := foreign.CheckName(name); err != nil {
			bad = append(bad, Finding{shorten(name), err.Error() + isLeftOut})
			continue
		}
		if len(raw) > maxDefinition {
			bad = append(bad, finding(name,
				"its definition has %d bytes, at most %d are taken: left out", len(raw), maxDefinition))
			continue
		}
		if seen[name] {
			bad = append(bad, Finding{name, "listed twice: the first stays"})
			continue
		}
		seen[name] = true
		if !s.wanted(name) {
			continue
		}
		clean, n := rawjson.Clean(raw, rawjson.Visible)
		if n > 0 {
			bad = append(bad, finding(name, "%d hidden characters in its definition were removed", n))
		}
		out = append(out, definition{name, clean})
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].name < out[j].name })
	return out, bad
}

func finding(tool, format string, args ...any) Finding {
	return Finding{tool, fmt.Sprintf(format, args...)}
}

func shorten(name string) string {
	s, _ := rawjson.Visible(name)
	return s[:min(len(s), 80)]
}

func byName(defs []definition) map[string]json.RawMessage {
	m := make(map[string]json.RawMessage, len(defs))
	for _, d := range defs {
		m[d.name] = d.raw
	}
	return m
}

// wanted tells what include and exclude make of a tool.
func (s *server) wanted(name string) bool {
	matches := func(list []string) bool {
		return slices.ContainsFunc(list, func(text string) bool { return fits(text, name) })
	}
	return (len(s.cfg.Include) == 0 || matches(s.cfg.Include)) && !matches(s.cfg.Exclude)
}

// isLeftOut is what becomes of a tool that nobody could call.
const isLeftOut = ": left out"

// notApproved is the finding about a definition that changed.
const notApproved = "its definition is not the one that was approved"

// signature names what a listing comes to.
func signature(l *listing, changes map[string]*Change) string {
	return l.digest() + strings.Join(slices.Sorted(maps.Keys(changes)), "\x00")
}

// fits tells whether an entry of Include or Exclude means the tool of this name.
func fits(text, name string) bool {
	ok, err := path.Match(text, name)
	return text == name || err == nil && ok
}
