package search

import (
	"iter"
	"math/bits"
	"slices"

	"helve/engine/tree"
)

// visibleOnly reports whether the query asks for files that a resident tree's table has.
func (j *job) visibleOnly() bool {
	q := j.q
	return !q.NoIgnore && !q.Hidden && !j.opt.Filter.Overrides() && len(q.Types) == 0
}

// resident searches files of the table of a resident tree. The table is in the order of Newest: then files are taken
// from it as they are needed, and the first found may be all that is wanted.
func (j *job) resident(snap *tree.Snapshot, dirs []string, files []target) error {
	n := 0
	found := func(yield func(target) bool) {
		for t := range j.fromTable(snap, dirs) {
			n++
			if !yield(t) {
				return
			}
		}
	}
	err := j.searchAll(found, files)
	j.sum.Searched = snap.Len()
	if n == 0 && !j.wantsAny(snap, dirs) { // the index did not rule them out: they are not asked for
		j.sum.Searched = len(files)
	}
	return err
}

// searchAll searches the files of the table and others in the order that is asked for.
func (j *job) searchAll(found iter.Seq[target], files []target) error {
	if j.q.Sort == Newest && len(files) == 0 {
		return j.ordered(found)
	}
	list := slices.AppendSeq(files, found)
	if j.q.Sort == Unsorted {
		return j.each(list)
	}
	sortFiles(list, j.q.Sort)
	return j.ordered(slices.Values(list))
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
	j.tabled = true
	return snap, nil
}

// chooser decides by a path whether the query asks for the file.
func (j *job) chooser(dirs []string) *tree.Chooser {
	opt := j.opt
	opt.From = dirs
	return opt.Chooser()
}

// wantsAny reports whether the query asks for any of the files, whatever is in them.
func (j *job) wantsAny(snap *tree.Snapshot, dirs []string) bool {
	choose := j.chooser(dirs)
	for _, e := range snap.Extra() {
		if choose.Wants(e.Path) {
			return true
		}
	}
	for place := range choose.Places(snap.Table()) {
		if !snap.Dead(place) {
			return true
		}
	}
	return false
}

// fromTable yields the files below dirs, the newest first, without those that the index rules out.
func (j *job) fromTable(snap *tree.Snapshot, dirs []string) iter.Seq[target] {
	choose := j.chooser(dirs)
	table := snap.Table()
	places := slices.Values(table.Newest)
	var refs *tableRefs
	if j.plan != nil {
		refs = j.e.index.refsFor(table, j.plan.set)
		places = j.plan.places(refs)
	}
	return func(yield func(target) bool) {
		rest := snap.Extra()
		// send yields the changed files that are newer than e; all that are left for nil.
		send := func(e *tree.Entry) bool {
			for len(rest) > 0 && (e == nil || tree.Newer(&rest[0], e)) {
				t := target{rest[0].Path, rest[0].Stat, unknown}
				rest = rest[1:]
				if choose.Wants(t.path) && !yield(t) {
					return false
				}
			}
			return true
		}
		for place := range places {
			e := &table.Files[place]
			if snap.Dead(place) || !choose.Wants(e.Path) {
				continue
			}
			t := target{e.Path, e.Stat, unknown}
			if refs != nil {
				t.ref = refs.refs[place]
			}
			if !send(e) || !yield(t) {
				return
			}
		}
		send(nil)
	}
}

// places yields the places in the table of the files that may match, the newest first.
func (p *plan) places(t *tableRefs) iter.Seq[int32] {
	marked := make([]uint64, (len(t.refs)+63)/64) // by rank
	mark := func(place int32) {
		rank := t.ranks[place]
		marked[rank>>6] |= 1 << (rank & 63)
	}
	for _, place := range t.loose {
		mark(place)
	}
	for seg := range p.blocks {
		for chapter, set := range p.blocks[seg] {
			for block, place := range t.owner[seg][chapter] {
				if place >= 0 && (set == nil || set.Has(block)) {
					mark(place)
				}
			}
		}
	}
	return func(yield func(int32) bool) {
		for i, w := range marked {
			for ; w != 0; w &= w - 1 { // without its lowest bit
				rank := i<<6 + bits.TrailingZeros64(w)
				if !yield(t.table.Newest[rank]) {
					return
				}
			}
		}
	}
}
