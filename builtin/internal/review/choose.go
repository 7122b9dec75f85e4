package review

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"helve/internal/uncommitted"
)

// A choice is a part of a draft that somebody means.
type choice struct {
	id    string
	paths []string // nil: all of it
}

// means tells whether a path as it is shown is chosen.
func (c choice) means(shown string) bool {
	if c.paths == nil {
		return true
	}
	shown = strings.TrimSuffix(shown, "/")
	return slices.ContainsFunc(c.paths, func(p string) bool {
		return shown == p || strings.HasPrefix(shown, p+"/")
	})
}

// choose finds what words mean: IDs, their beginnings, or paths, each of what waits. No words mean the one set that
// waits, if it is one.
func (w Waiting) choose(words []string) ([]choice, error) {
	waits, _, err := w.List(false)
	if err != nil {
		return nil, err
	}
	if len(words) == 0 {
		switch len(waits) {
		case 0:
			return nil, ErrNothing
		case 1:
			return []choice{{id: waits[0].ID}}, nil
		}
		return nil, fmt.Errorf("%w: %s", ErrChoose, strings.Join(ids(waits), ", "))
	}
	var out []choice
	for _, word := range words {
		some, err := w.chosen(waits, word)
		if err != nil {
			return nil, err
		}
		for _, c := range some {
			out = join(out, c)
		}
	}
	return out, nil
}

// join adds a choice to those of the same draft.
func join(all []choice, c choice) []choice {
	i := slices.IndexFunc(all, func(o choice) bool { return o.id == c.id })
	switch {
	case i < 0:
		return append(all, c)
	case c.paths == nil || all[i].paths == nil:
		all[i].paths = nil
	default:
		all[i].paths = slices.Concat(all[i].paths, c.paths)
	}
	return all
}

func ids(sets []Set) []string {
	var out []string
	for _, s := range sets {
		out = append(out, s.ID)
	}
	return out
}

// chosen finds what one word means.
func (w Waiting) chosen(waits []Set, word string) ([]choice, error) {
	d, err := w.find(word)
	if !errors.Is(err, uncommitted.ErrUnknown) {
		if err != nil {
			return nil, err
		}
		return []choice{{id: d.ID}}, nil
	}
	at := path.Clean(strings.ReplaceAll(word, "\\", "/"))
	if path.IsAbs(at) {
		if rel, in := strings.CutPrefix(at, w.Dir()+"/"); in {
			at = rel
		}
	}
	var out []choice
	one := choice{paths: []string{at}}
	for _, s := range waits {
		waits := func(f File) bool { return f.State == string(uncommitted.Open) && one.means(f.Path) }
		if slices.ContainsFunc(s.Files, waits) {
			one.id = s.ID
			out = append(out, one)
		}
	}
	if out == nil {
		return nil, fmt.Errorf("%w that is called %s", ErrNothing, word)
	}
	return out, nil
}

// find finds the draft of an ID or of its beginning.
func (w Waiting) find(id string) (*uncommitted.Draft, error) {
	store := w.Uncommitted()
	if store == nil {
		return nil, uncommitted.ErrUnknown
	}
	return store.Find(id)
}
