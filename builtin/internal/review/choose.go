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
	if w.only != "" {
		return w.within()
	}
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

// within is what Of said.
func (w Waiting) within() ([]choice, error) {
	d, err := w.find(w.only)
	if err != nil {
		return nil, err
	}
	c := choice{id: d.ID}
	for _, n := range w.files {
		if n < 0 || n >= len(d.Files) {
			return nil, fmt.Errorf("%w that has the number %d in %s", ErrNothing, n, d.ID)
		}
		c.paths = append(c.paths, w.shown(d, d.Files[n].Place))
	}
	waits := func(f uncommitted.File) bool { return f.State == uncommitted.Open && c.means(w.shown(d, f.Place)) }
	if d.State() == uncommitted.Open && !slices.ContainsFunc(d.Files, waits) {
		return nil, fmt.Errorf("%w that is called %s", ErrNothing, strings.Join(c.paths, ", "))
	}
	return []choice{c}, nil
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

// chosen finds what one word means. What may be an ID and a path is neither: ./d is the path.
func (w Waiting) chosen(waits []Set, word string) ([]choice, error) {
	d, err := w.find(word)
	paths := w.called(waits, word)
	switch {
	case err == nil && len(paths) > 0:
		return nil, fmt.Errorf("%w: %s begins %s, and is the path ./%[2]s", uncommitted.ErrAmbiguous, word, d.ID)
	case err == nil:
		return []choice{{id: d.ID}}, nil
	case !errors.Is(err, uncommitted.ErrUnknown):
		return nil, err
	case len(paths) == 0:
		return nil, fmt.Errorf("%w that is called %s", ErrNothing, word)
	}
	return paths, nil
}

// called are the files that wait at a path, or in it, of each set.
func (w Waiting) called(waits []Set, word string) []choice {
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
	return out
}

// find finds the draft of an ID or of its beginning.
func (w Waiting) find(id string) (*uncommitted.Draft, error) {
	store := w.Uncommitted()
	if store == nil {
		return nil, uncommitted.ErrUnknown
	}
	return store.Find(id)
}
