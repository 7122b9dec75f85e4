package check

import (
	"maps"
	"path"

	"helve/internal/change"
	"helve/internal/fsroot"
	"helve/internal/later"
)

// guarded are the places that programs run or obey by their settings, beside those of package later. The zero value
// has none.
type guarded struct {
	anywhere []Later           // below every root
	files    map[place]string  // why, by folded paths
	texts    map[place]string  // as trees: a model reads them
	trees    map[place]string  // with all that is in them
	patterns []pattern         // of names in a folder
	drivers  map[string]driver // of git's attributes, "filter.x"
	all      string            // why everything counts, where nobody can tell what does
}

// A pattern is one of names in a folder.
type pattern struct {
	folder place
	name   string
	why    string
}

// A driver is a program that git's attributes choose by its name.
type driver struct {
	why   string
	loose bool // it may run what stands in the workspace
}

func newGuarded(list []Later) *guarded {
	return &guarded{
		anywhere: list,
		files:    map[place]string{},
		texts:    map[place]string{},
		trees:    map[place]string{},
		drivers:  map[string]driver{},
	}
}

// clone is a copy that can grow by itself.
func (g *guarded) clone() *guarded {
	out := *g
	out.files, out.trees, out.drivers = maps.Clone(g.files), maps.Clone(g.trees), maps.Clone(g.drivers)
	out.texts = maps.Clone(g.texts)
	out.patterns = append([]pattern{}, g.patterns...)
	return &out
}

// folded is a place under the name by which a file system may find it that folds case.
func folded(p place) place {
	return place{Root: p.Root, Path: change.Name(fsroot.Fold(string(p.Path)))}
}

// why tells who runs or obeys what stands at a place; "" if nobody does.
func (g *guarded) why(p place, isDir bool) string {
	if why := later.Default().Why(string(p.Path)); why != "" {
		return why
	}
	if g.all != "" && !isDir {
		return g.all
	}
	if len(g.files)+len(g.trees)+len(g.patterns)+len(g.anywhere) == 0 {
		return ""
	}
	at := folded(p)
	if why := runsLater(g.anywhere, string(at.Path)); why != "" {
		return why
	}
	if why := g.files[at]; why != "" && !isDir {
		return why
	}
	if why := within(g.trees, at); why != "" {
		return why
	}
	return g.byPattern(at)
}

// text tells which model reads what stands at a place; "" if none does.
func (g *guarded) text(p place) string {
	if why := later.Instructs().Why(string(p.Path)); why != "" {
		return why
	}
	return within(g.texts, folded(p))
}

func within(trees map[place]string, at place) string {
	if len(trees) == 0 {
		return ""
	}
	for up := at; up.Path != "."; up = up.Parent() {
		if why := trees[up]; why != "" {
			return why
		}
	}
	return ""
}

func (g *guarded) byPattern(at place) string {
	for _, p := range g.patterns {
		if matches, _ := path.Match(p.name, at.Base()); matches && at.Parent() == p.folder {
			return p.why
		}
	}
	return ""
}
