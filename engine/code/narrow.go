package code

import (
	"context"
	"slices"

	"helve/engine/code/internal/syntax"
)

// This file narrows what a member of a receiver of unknown type may be. What the receiver is called says most, then the types
// that the file names, then what else the file asks the receiver for. Members that stand in for one another count as one
// meaning. Where none of it leaves few meanings, there is no edge: a list would be wrong for the most part. What is left out counts
// as unresolved.

const (
	// maxRoots is how many unrelated methods of one name are listed where nothing tells which of them is meant.
	maxRoots = 4
	// maxFields is that of fields where they have types: what is of unknown type there mostly comes from elsewhere.
	maxFields = 1
	// maxNarrowed bounds the members that are told apart by their types.
	maxNarrowed = 512
	// maxAskers bounds the files that one question reads to know what they ask a receiver for: it takes as long as all else.
	maxAskers = 8
)

// alike are the members of one name in one family of languages, for a receiver of unknown type.
type alike struct {
	list  []symbol // all of them
	all   []target // the likeliest of them, ranked
	roots int      // how many of them stand in for none of the others; 0: not counted yet
}

// narrowing remembers what a resolver found about receivers of unknown type.
type narrowing struct {
	wide    bool // nothing is left out for being unlikely
	guesses map[guessKey][]target
	lines   map[symbol][]symbol           // types with their bases
	naming  map[uint32]map[int32]bool     // the files that mention a name
	askers  map[int32]map[uint32][]uint32 // by file and receiver, the members that it is asked for
	could   []symbol                      // what the last reference may mean, where some of it was left out
}

// guessKey tells guesses apart: of a call, what can be called is meant.
type guessKey struct {
	name, qual uint32
	lang       syntax.Language
	call       bool
	around     symbol // the type around, of names such as other; or the file
}

func newNarrowing(wide bool) narrowing {
	return narrowing{
		wide:    wide,
		guesses: map[guessKey][]target{},
		lines:   map[symbol][]symbol{},
		naming:  map[uint32]map[int32]bool{},
		askers:  map[int32]map[uint32][]uint32{},
	}
}

// planner is a resolver that leaves nothing out: who changes code has to know all that may be meant.
func newPlanner(ctx context.Context, s *Snapshot) *resolver {
	r := newResolver(ctx, s)
	r.wide = true
	return r
}

// guess leaves those of the members that the reference u in file n likely means.
func (r *resolver) guess(a *alike, u *ref, n int32) []target {
	if r.wide || len(a.all) < 2 || a.all[0].sure.Level != Ambiguous || r.s.files[n].lang == syntax.Go {
		return a.all
	}
	key := guessKey{u.name, u.qual, family(r.s.files[n].lang), u.use == syntax.Call, noSymbol}
	hint := receiverName(r.s.lex.text(u.qual))
	if itself[hint] {
		key.around = r.typeAround(n, u.from)
	}
	list, ok := r.guesses[key]
	if !ok {
		list = r.some(a, r.families(a.list, r.ofReceiver(a.list, hint, n, &key)), n)
		r.guesses[key] = list
	}
	if len(list) > 0 {
		return list
	}
	most := maxFields
	if key.call || untyped(r.s.files[n].lang) {
		most = maxRoots
	}
	key.qual, key.around = 0, symbol{n, -1} // what the file names is the same for all receivers
	if list, ok = r.guesses[key]; !ok {
		list = r.nearby(a, n, most)
		r.guesses[key] = list
	}
	if len(list) == 0 && most == maxRoots {
		return r.asking(a, u, n)
	}
	return list
}

// noSymbol is no definition.
var noSymbol = symbol{-1, -1}

// some ranks some of the members in a: each is one of as many as before.
func (r *resolver) some(a *alike, kept []symbol, n int32) []target {
	list := r.rank(kept, n, Ambiguous)
	for i := range list {
		list[i].sure = a.all[0].sure
	}
	return list
}

// typeAround is the type that definition from of file n stands in.
func (r *resolver) typeAround(n, from int32) symbol {
	defs := r.defsOf(n)
	for ; from >= 0; from = defs[from].parent {
		if defs[from].kind.Type() {
			return symbol{n, from}
		}
		if list := r.ownerTypes(symbol{n, from}); len(list) > 0 {
			return list[0]
		}
	}
	return noSymbol
}

// ofReceiver are the members in list of types that are called as the receiver is.
func (r *resolver) ofReceiver(list []symbol, hint string, n int32, key *guessKey) []symbol {
	if len(hint) < minHint || len(list) > maxNarrowed {
		return nil
	}
	if key.around != noSymbol {
		return r.belonging(list, []symbol{key.around})
	}
	for _, name := range typeNames(hint) {
		y, ok := r.s.lex.find(name)
		if !ok {
			continue
		}
		types := r.top(y, func(f *file) bool { return family(f.lang) == key.lang })
		types = slices.DeleteFunc(types, func(t symbol) bool { return !r.def(t).kind.Type() })
		if kept := r.belonging(list, types); len(kept) > 0 {
			return kept
		}
	}
	if kept := r.belonging(list, r.ownersCalled(list, hint, abbreviates)); len(kept) > 0 || !key.call {
		return kept
	}
	if kept := r.belonging(list, r.ownersCalled(list, hint, endsAs)); r.rootsOf(kept) == 1 {
		return kept
	}
	return nil
}

// ownersCalled are the types of the members in list whose name fits the receiver's.
func (r *resolver) ownersCalled(list []symbol, hint string, fits func(hint, name string) bool) []symbol {
	return slices.DeleteFunc(r.ownersOf(list), func(t symbol) bool { return !fits(hint, r.s.lex.text(r.def(t).name)) })
}

// nearby are the members in a that file n may mean where the name of the receiver says nothing: those of types that the file
// names, if there are any, else all. More than most of them are none.
func (r *resolver) nearby(a *alike, n int32, most int) []target {
	if len(a.list) > maxNarrowed {
		return nil
	}
	kept := r.ownedBy(a.list, func(t symbol) bool { return t.file == n || r.mentionedIn(n, r.def(t).name) })
	switch {
	case len(kept) > 0 && r.rootsOf(kept) <= most:
		return r.some(a, kept, n)
	case r.roots(a) <= most:
		return a.all
	}
	return nil
}

// asking are the members in a of types that have all that file n asks the receiver of u for.
func (r *resolver) asking(a *alike, u *ref, n int32) []target {
	asked := r.askedOf(n, u.qual)
	if len(asked) < 2 || len(a.list) > maxNarrowed {
		return nil
	}
	kept := r.ownedBy(a.list, func(t symbol) bool {
		return !slices.ContainsFunc(asked, func(y uint32) bool { return len(r.typeMembers(t, y)) == 0 })
	})
	if r.rootsOf(kept) > maxRoots {
		return nil
	}
	return r.some(a, kept, n)
}

// roots counts those of all in a, once.
func (r *resolver) roots(a *alike) int {
	if a.roots == 0 {
		a.roots = r.rootsOf(a.list)
	}
	return a.roots
}

// askedOf are the members that file n asks the receiver qual for, if it has a name.
func (r *resolver) askedOf(n int32, qual uint32) []uint32 {
	if len(r.s.lex.text(qual)) < len("?")+minHint {
		return nil
	}
	asked, ok := r.askers[n]
	if !ok {
		if len(r.askers) >= maxAskers {
			return nil
		}
		asked = map[uint32][]uint32{}
		for _, v := range r.s.refsOf(n) {
			if v.qual != 0 && !slices.Contains(asked[v.qual], v.name) {
				asked[v.qual] = append(asked[v.qual], v.name)
			}
		}
		r.askers[n] = asked
	}
	return asked[qual]
}

// mentionedIn reports whether file n mentions the name y.
func (r *resolver) mentionedIn(n int32, y uint32) bool {
	files, ok := r.naming[y]
	if !ok {
		files = map[int32]bool{}
		r.mentioning(y, true, func(m int32) { files[m] = true })
		r.naming[y] = files
	}
	return files[n]
}

// belonging are the members in list of the types, of what they extend, and of what extends them.
func (r *resolver) belonging(list, types []symbol) []symbol {
	if len(types) == 0 {
		return nil
	}
	above := map[symbol]bool{}
	are := map[symbol]bool{}
	for _, t := range types {
		if !are[t] {
			are[t] = true
			for _, b := range r.withBases(t) {
				above[b] = true
			}
		}
	}
	return r.ownedBy(list, func(t symbol) bool {
		return above[t] || slices.ContainsFunc(r.withBases(t), func(b symbol) bool { return are[b] })
	})
}

// ownedBy are the members in list of types that fit.
func (r *resolver) ownedBy(list []symbol, fits func(t symbol) bool) []symbol {
	var kept []symbol
	for _, m := range list {
		if r.clock.over(1) {
			break
		}
		if slices.ContainsFunc(r.ownerTypes(m), fits) {
			kept = append(kept, m)
		}
	}
	return kept
}

// families adds to the fields in kept those of list that are one with them in languages without types: what a base assigns,
// and what its other subtypes assign.
func (r *resolver) families(list, kept []symbol) []symbol {
	var bases []symbol
	owners := r.ownersOf(list)
	for _, m := range kept {
		if r.callable(m) || !untyped(r.s.files[m.file].lang) {
			continue
		}
		for _, t := range r.ownerTypes(m) {
			for _, b := range r.withBases(t)[1:] {
				if slices.Contains(owners, b) {
					bases = append(bases, b)
				}
			}
		}
	}
	if len(bases) == 0 {
		return kept
	}
	return r.belonging(list, append(bases, r.ownersOf(kept)...))
}

// withBases are the type t and what it extends, directly or not.
func (r *resolver) withBases(t symbol) []symbol {
	if list, ok := r.lines[t]; ok {
		return list
	}
	list := []symbol{t}
	for k := 0; k < len(list) && len(list) < maxMeanings && !r.clock.over(1); k++ {
		for _, b := range r.basesOf(list[k]) {
			if !slices.Contains(list, b) {
				list = append(list, b)
			}
		}
	}
	r.lines[t] = list
	return list
}

// ownersOf are the types that the members in list belong to.
func (r *resolver) ownersOf(list []symbol) []symbol {
	var types []symbol
	for _, m := range list {
		types = append(types, r.ownerTypes(m)...)
	}
	return types
}

// ownerTypes are the types that the member m belongs to, whatever it is.
func (r *resolver) ownerTypes(m symbol) []symbol {
	d := r.def(m)
	if d.owner == 0 {
		if d.parent >= 0 && r.def(symbol{m.file, d.parent}).kind.Type() {
			return []symbol{{m.file, d.parent}}
		}
		return nil
	}
	var list []symbol
	for _, t := range r.value(d.owner, m.file, -1).syms {
		if r.def(t).kind.Type() {
			list = append(list, t)
		}
	}
	return list
}

// rootsOf counts the members of one name in list that stand in for none of the others, those of one file once.
func (r *resolver) rootsOf(list []symbol) int {
	if len(list) > maxNarrowed {
		return len(list)
	}
	owners := members(r.ownersOf(list))
	files := map[int32]bool{}
	for _, m := range list {
		overrides := func(t symbol) bool { return slices.ContainsFunc(r.withBases(t)[1:], owners) }
		if !slices.ContainsFunc(r.ownerTypes(m), overrides) {
			files[m.file] = true
		}
	}
	return len(files)
}
