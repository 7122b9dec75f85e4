package upstream

import (
	"errors"
	"path"
	"slices"
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
	names, known := s.lists.names()
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

// Known are the names of the server's tools as far as they are known without starting it; nil where no list is.
func (s *Source) Known() []string {
	names, _ := s.lists.names()
	return names
}
