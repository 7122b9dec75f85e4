package search

import (
	"cmp"
	"slices"
	"strings"

	"helve/tree"
)

// visibleOnly reports whether the query asks for files that a resident tree's table has.
func (j *job) visibleOnly() bool {
	q := j.q
	return !q.NoIgnore && !q.Hidden && !j.opt.Filter.Overrides() && len(q.Types) == 0
}

// resident searches files of the table of a resident tree.
func (j *job) resident(snap *tree.Snapshot, dirs []string, files []target) error {
	list, all := j.fromTable(snap, dirs)
	list = append(list, files...)
	defer func() { j.sum.Searched = all + len(files) }()
	if j.q.Sort == Unsorted {
		return j.each(list)
	}
	if j.q.Sort == ByPath || len(files) > 0 {
		sortFiles(list, j.q.Sort)
	}
	return j.ordered(list)
}

// table returns the table if it can answer: if all dirs are visible in it.
func (j *job) table(dirs []string) (*tree.Snapshot, error) {
	if !j.e.tree.Resident() || dirs == nil || !j.visibleOnly() {
		return nil, nil
	}
	snap, err := j.e.tree.Snapshot(j.ctx)
	if err != nil {
		return nil, err
	}
	for _, d := range dirs {
		if d != "." && !snap.Has(d+"/") {
			return nil, nil // a directory that rules hide may be asked for by name
		}
	}
	return snap, nil
}

// fromTable lists the files below dirs, the newest first, without those that the index rules out. all counts these too.
func (j *job) fromTable(snap *tree.Snapshot, dirs []string) (list []target, all int) {
	wanted := func(p string) bool {
		return inDirs(p, dirs) && j.opt.Filter.Match(p) && !inSkipped(p, j.q.Skip)
	}
	if j.plan == nil {
		for _, e := range snap.Newest() {
			if wanted(e.Path) {
				list = append(list, target{path: e.Path, stat: e.Stat})
			}
		}
		return list, len(list)
	}
	for _, e := range snap.Extra() {
		if wanted(e.Path) {
			list = append(list, target{e.Path, e.Stat, fileRef{-1, -1}})
		}
	}
	extra := len(list)
	refs := j.e.index.refsFor(snap.Table(), j.plan.set)
	for _, place := range j.plan.places(refs) {
		if e := &snap.Table().Files[place]; !snap.Dead(place) && wanted(e.Path) {
			list = append(list, target{e.Path, e.Stat, refs.refs[place]})
		}
	}
	if extra > 0 {
		sortFiles(list, Newest)
	}
	return list, snap.Len()
}

// places returns the places in the table of the files that may match, the newest first.
func (p *plan) places(t *tableRefs) []int32 {
	list := slices.Clone(t.loose)
	last := int32(-1)
	for seg := range p.blocks {
		for chapter, set := range p.blocks[seg] {
			for block, place := range t.owner[seg][chapter] {
				if place >= 0 && place != last && (set == nil || set.Has(block)) {
					list = append(list, place)
					last = place
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b int32) int { return cmp.Compare(t.ranks[a], t.ranks[b]) })
	return slices.Compact(list)
}

func inDirs(p string, dirs []string) bool {
	for _, d := range dirs {
		if below(p, d) {
			return true
		}
	}
	return false
}

// inSkipped reports whether a path leads through a directory of one of the names.
func inSkipped(p string, names []string) bool {
	for _, n := range names {
		if strings.HasPrefix(p, n+"/") || strings.Contains(p, "/"+n+"/") {
			return true
		}
	}
	return false
}
