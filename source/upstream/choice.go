package upstream

import (
	"errors"
	"path"
	"slices"

	rawjson "helve/internal/json"
)

// A Choice is an entry of Include or Exclude that means none of the server's tools.
type Choice struct {
	Key  string // include_tools or exclude_tools
	Text string

	// Err says that the pattern can mean nothing at all. nil: no tool of the list that is known fits.
	Err error
}

var errPattern = errors.New("it is no valid pattern: check brackets and backslashes")

// Unmatched are the entries of Include and Exclude that mean none of the server's tools. Nothing is started: as long as
// no list is known, from the server or from memory, only those are found that can mean nothing at all.
func (s *Source) Unmatched() []Choice {
	names, known := s.names()
	var out []Choice
	look := func(key string, list []string) {
		for _, text := range list {
			matches := func(name string) bool { return fits(text, name) }
			_, err := path.Match(text, "")
			switch {
			case slices.ContainsFunc(names, matches):
			case err != nil:
				out = append(out, Choice{Key: key, Text: text, Err: errPattern})
			case known:
				out = append(out, Choice{Key: key, Text: text})
			}
		}
	}
	look("include_tools", s.cfg.Include)
	look("exclude_tools", s.cfg.Exclude)
	return out
}

// fits tells whether an entry of Include or Exclude means the tool of this name.
func fits(text, name string) bool {
	ok, err := path.Match(text, name)
	return text == name || err == nil && ok
}

// names are those of all the server's tools, chosen or not; false where no list is known.
func (s *Source) names() ([]string, bool) {
	s.common.mu.Lock()
	l := s.common.list
	s.common.mu.Unlock()
	if l == nil {
		l = s.common.recall()
	}
	if l == nil {
		return nil, false
	}
	var out []string
	for _, raw := range l.Tools {
		name, ok := rawjson.String(rawjson.Get(raw, "name"))
		if ok {
			out = append(out, name)
		}
	}
	return out, true
}

// Known are the names of the server's tools as far as they are known without starting it; nil where no list is.
func (s *Source) Known() []string {
	names, _ := s.names()
	return names
}
