package meaning

import (
	"slices"
	"strings"

	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// This file narrows what a member of a receiver of unknown type may be. What the receiver is called says most, then
// the types that the file names, then what else the file asks the receiver for. Members that stand in for one another
// count as one meaning. Where none of it leaves few meanings, there is no edge: a list would be wrong for the most
// part. What is left out counts as unresolved.

const (
	// MaxRoots is how many unrelated methods of one name are listed where nothing tells which of them is meant.
	MaxRoots = 4
	// maxFields is that of fields where they have types: what is of unknown type there mostly comes from elsewhere.
	maxFields = 1
	// maxNarrowed bounds the members that are told apart by their types.
	maxNarrowed = 512
	// maxAskers bounds the files that one question reads to know what they ask a receiver for: it takes as long as
	// all else.
	maxAskers = 8
)

// alike are the members of one name in one family of languages, for a receiver of unknown type.
type alike struct {
	list  []store.DefID // all of them
	all   []Target      // the likeliest of them, ranked
	roots int           // how many of them stand in for none of the others; 0: not counted yet
}

// narrowing finds what a member of a receiver of unknown type may be.
type narrowing struct {
	*evaluator
	wide    bool // nothing is left out for being unlikely
	anyone  map[uint32]*alike
	guesses map[guessKey][]Target
	naming  map[uint32]map[int32]bool     // the files that mention a name
	askers  map[int32]map[uint32][]uint32 // by file and receiver, the members that it is asked for
	could   []store.DefID                 // what the last reference may mean, where some of it was left out
}

// guessKey tells guesses apart: of a call, what can be called is meant.
type guessKey struct {
	name, qual uint32
	lang       syntax.Language
	call       bool
	around     store.DefID // the type around, of names such as other; or the file
}

func newNarrowing(r *evaluator, wide bool) narrowing {
	return narrowing{
		evaluator: r,
		wide:      wide,
		anyone:    map[uint32]*alike{},
		guesses:   map[guessKey][]Target{},
		naming:    map[uint32]map[int32]bool{},
		askers:    map[int32]map[uint32][]uint32{},
	}
}

// byName answers all members of that name in the language of file n, for a receiver of unknown type.
func (r *narrowing) byName(u *store.Ref, n int32) []Target {
	from := r.Tree.Files[n]
	if r.rules(n).common[r.Tree.Lex.Text(u.Name)] {
		r.Lost++
		return nil
	}
	key := u.Name<<6 | uint32(store.Family(from.Lang))<<1
	if u.Use == syntax.Call {
		key |= 1
	}
	known, ok := r.anyone[key]
	if !ok {
		known = r.membersOf(u, n)
		r.anyone[key] = known
	}
	list := r.guess(known, u, n)
	r.could = nil // what bases mean was looked for
	switch {
	case len(list) == 0 && len(known.all) > 0:
		r.Lost++
	case len(list) < len(known.all):
		r.could = known.list
	}
	return list
}

// membersOf are all members of the name of u in the language of file n.
func (r *narrowing) membersOf(u *store.Ref, n int32) *alike {
	of := store.Family(r.Tree.Files[n].Lang)
	var list []store.DefID
	r.Mentioning(u.Name, false, func(m int32) {
		if store.Family(r.Tree.Files[m].Lang) != of {
			return
		}
		defs := r.DefsOf(m)
		r.Clock.Over(len(defs))
		for i := range defs {
			d := &defs[i]
			fits := u.Use != syntax.Call || d.Kind.Callable() || d.Kind == syntax.Field
			if d.Name == u.Name && fits && r.IsMember(m, d) {
				list = append(list, store.At(m, int32(i)))
			}
		}
	})
	list = r.fitting(list, u.Use)
	out := r.rank(list, n, Unique)
	if owners := r.owners(r.built(list, n)); owners > 1 {
		for i := range out {
			out[i].Sure = Confidence{Level: Ambiguous, Of: owners}
		}
	}
	return &alike{list: list, all: out}
}

// owners counts the types that members belong to: two of one file are two, other than for names that stand alone.
func (r *narrowing) owners(list []store.DefID) int {
	type owner struct {
		file int32
		name string
	}
	seen := map[owner]bool{}
	for _, y := range list {
		name := r.Tree.Qualified(y)
		seen[owner{y.File, name[:max(0, strings.LastIndexByte(name, '.'))]}] = true
	}
	return len(seen)
}

// guess leaves those of the members that the reference u in file n likely means.
func (r *narrowing) guess(a *alike, u *store.Ref, n int32) []Target {
	if r.wide || len(a.all) < 2 || a.all[0].Sure.Level != Ambiguous || r.rules(n).typed {
		return a.all
	}
	key := guessKey{u.Name, u.Qual, store.Family(r.Tree.Files[n].Lang), u.Use == syntax.Call, noSymbol}
	hint := receiverName(r.Tree.Lex.Text(u.Qual))
	if itself[hint] {
		key.around = r.typeAround(n, u.From)
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
	if key.call || r.rules(n).untyped {
		most = MaxRoots
	}
	key.qual, key.around = 0, store.At(n, -1) // what the file names is the same for all receivers
	if list, ok = r.guesses[key]; !ok {
		list = r.nearby(a, n, most)
		r.guesses[key] = list
	}
	if len(list) == 0 && most == MaxRoots {
		return r.asking(a, u, n)
	}
	return list
}

// noSymbol is no definition.
var noSymbol = store.At(-1, -1)

// some ranks some of the members in a: each is one of as many as before.
func (r *narrowing) some(a *alike, kept []store.DefID, n int32) []Target {
	list := r.rank(kept, n, Ambiguous)
	for i := range list {
		list[i].Sure = a.all[0].Sure
	}
	return list
}

// typeAround is the type that definition from of file n stands in.
func (r *narrowing) typeAround(n, from int32) store.DefID {
	defs := r.DefsOf(n)
	for ; from >= 0; from = defs[from].Parent {
		if defs[from].Kind.Type() {
			return store.At(n, from)
		}
		if list := r.members.ownerTypes(store.At(n, from)); len(list) > 0 {
			return list[0]
		}
	}
	return noSymbol
}

// ofReceiver are the members in list of types that are called as the receiver is.
func (r *narrowing) ofReceiver(list []store.DefID, hint string, n int32, key *guessKey) []store.DefID {
	if len(hint) < minHint || len(list) > maxNarrowed {
		return nil
	}
	if key.around != noSymbol {
		return r.belonging(list, []store.DefID{key.around})
	}
	for _, name := range typeNames(hint) {
		y, ok := r.Tree.Lex.Find(name)
		if !ok {
			continue
		}
		types := r.scopes.top(y, func(f *store.File) bool { return store.Family(f.Lang) == key.lang })
		types = slices.DeleteFunc(types, func(t store.DefID) bool { return !r.Def(t).Kind.Type() })
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
func (r *narrowing) ownersCalled(list []store.DefID, hint string, fits func(hint, name string) bool) []store.DefID {
	return slices.DeleteFunc(r.ownersOf(list), func(t store.DefID) bool {
		return !fits(hint, r.Tree.Lex.Text(r.Def(t).Name))
	})
}

// nearby are the members in a that file n may mean where the name of the receiver says nothing: those of types that
// the file names, if there are any, else all. More than most of them are none.
func (r *narrowing) nearby(a *alike, n int32, most int) []Target {
	if len(a.list) > maxNarrowed {
		return nil
	}
	kept := r.ownedBy(a.list, func(t store.DefID) bool { return t.File == n || r.mentionedIn(n, r.Def(t).Name) })
	switch {
	case len(kept) > 0 && r.rootsOf(kept) <= most:
		return r.some(a, kept, n)
	case r.roots(a) <= most:
		return a.all
	}
	return nil
}

// asking are the members in a of types that have all that file n asks the receiver of u for.
func (r *narrowing) asking(a *alike, u *store.Ref, n int32) []Target {
	asked := r.askedOf(n, u.Qual)
	if len(asked) < 2 || len(a.list) > maxNarrowed {
		return nil
	}
	kept := r.ownedBy(a.list, func(t store.DefID) bool {
		return !slices.ContainsFunc(asked, func(y uint32) bool { return len(r.members.TypeMembers(t, y)) == 0 })
	})
	if r.rootsOf(kept) > MaxRoots {
		return nil
	}
	return r.some(a, kept, n)
}

// roots counts those of all in a, once.
func (r *narrowing) roots(a *alike) int {
	if a.roots == 0 {
		a.roots = r.rootsOf(a.list)
	}
	return a.roots
}

// askedOf are the members that file n asks the receiver qual for, if it has a name.
func (r *narrowing) askedOf(n int32, qual uint32) []uint32 {
	if len(r.Tree.Lex.Text(qual)) < len("?")+minHint {
		return nil
	}
	asked, ok := r.askers[n]
	if !ok {
		if len(r.askers) >= maxAskers {
			return nil
		}
		asked = map[uint32][]uint32{}
		for _, v := range r.Tree.RefsOf(n) {
			if v.Qual != 0 && !slices.Contains(asked[v.Qual], v.Name) {
				asked[v.Qual] = append(asked[v.Qual], v.Name)
			}
		}
		r.askers[n] = asked
	}
	return asked[qual]
}

// mentionedIn reports whether file n mentions the name y.
func (r *narrowing) mentionedIn(n int32, y uint32) bool {
	files, ok := r.naming[y]
	if !ok {
		files = map[int32]bool{}
		r.Mentioning(y, true, func(m int32) { files[m] = true })
		r.naming[y] = files
	}
	return files[n]
}

// belonging are the members in list of the types, of what they extend, and of what extends them.
func (r *narrowing) belonging(list, types []store.DefID) []store.DefID {
	if len(types) == 0 {
		return nil
	}
	above := map[store.DefID]bool{}
	are := map[store.DefID]bool{}
	for _, t := range types {
		if !are[t] {
			are[t] = true
			for _, b := range r.members.withBases(t) {
				above[b] = true
			}
		}
	}
	return r.ownedBy(list, func(t store.DefID) bool {
		return above[t] || slices.ContainsFunc(r.members.withBases(t), func(b store.DefID) bool { return are[b] })
	})
}

// ownedBy are the members in list of types that fit.
func (r *narrowing) ownedBy(list []store.DefID, fits func(t store.DefID) bool) []store.DefID {
	var kept []store.DefID
	for _, m := range list {
		if r.Clock.Over(1) {
			break
		}
		if slices.ContainsFunc(r.members.ownerTypes(m), fits) {
			kept = append(kept, m)
		}
	}
	return kept
}

// families adds to the fields in kept those of list that are one with them in languages without types: what a base
// assigns, and what its other subtypes assign.
func (r *narrowing) families(list, kept []store.DefID) []store.DefID {
	var bases []store.DefID
	owners := r.ownersOf(list)
	for _, m := range kept {
		if r.callable(m) || !r.rules(m.File).untyped {
			continue
		}
		for _, t := range r.members.ownerTypes(m) {
			for _, b := range r.members.withBases(t)[1:] {
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

// ownersOf are the types that the members in list belong to.
func (r *narrowing) ownersOf(list []store.DefID) []store.DefID {
	var types []store.DefID
	for _, m := range list {
		types = append(types, r.members.ownerTypes(m)...)
	}
	return types
}

// rootsOf counts the members of one name in list that stand in for none of the others, those of one file once.
func (r *narrowing) rootsOf(list []store.DefID) int {
	if len(list) > maxNarrowed {
		return len(list)
	}
	owners := Members(r.ownersOf(list))
	files := map[int32]bool{}
	for _, m := range list {
		overrides := func(t store.DefID) bool { return slices.ContainsFunc(r.members.withBases(t)[1:], owners) }
		if !slices.ContainsFunc(r.members.ownerTypes(m), overrides) {
			files[m.File] = true
		}
	}
	return len(files)
}
