package meaning

import (
	"slices"
	"strings"

	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// This file knows which methods stand in for others: a call of an interface's or base class's method may run any that
// implements or overrides it.

const (
	// MaxSubtypes bounds the types looked at below one type.
	MaxSubtypes = 2000
	// MaxStandIns is how many implementations a call through an interface adds to what a definition uses. Where there
	// are more, the interface's method stands for them.
	MaxStandIns = MaxAlike
)

// dispatch finds which methods stand in for others.
type dispatch struct {
	*evaluator
	standIns map[store.DefID][]store.DefID
	below    map[store.DefID][]store.DefID // subtypes of a type
	descends map[[2]store.DefID]Confidence // how sure it is that the second is a subtype of the first

	interfaces map[uint32][]store.DefID // methods of implicit interfaces
	satisfied  map[[2]store.DefID]bool
}

func newDispatch(r *evaluator) dispatch {
	return dispatch{
		evaluator:  r,
		standIns:   map[store.DefID][]store.DefID{},
		below:      map[store.DefID][]store.DefID{},
		descends:   map[[2]store.DefID]Confidence{},
		interfaces: map[uint32][]store.DefID{},
		satisfied:  map[[2]store.DefID]bool{},
	}
}

// maxAliases bounds the names under which one definition is looked for.
const maxAliases = 16

// Over are the methods of bases and interfaces that a call may name when it runs y, and how sure that is.
func (r *dispatch) Over(y store.DefID) map[store.DefID]Confidence {
	list := map[store.DefID]Confidence{}
	for _, t := range r.members.TypesOf(y) {
		above := r.Above(t, r.Def(y).Name)
		if r.Tree.Nameless(y) { // t is a base
			above = append(above, r.members.OwnMembers(t, r.Def(y).Name)...)
		}
		for _, b := range above {
			if b != y {
				list[b] = StandIn(len(r.Under(b)))
			}
		}
	}
	return list
}

func StandIn(n int) Confidence {
	if n <= 1 {
		return Confidence{Level: Unique}
	}
	return Confidence{Level: Ambiguous, Of: n}
}

// Above are the methods called name of what t implements or extends.
func (r *dispatch) Above(t store.DefID, name uint32) []store.DefID {
	if r.rules(t.File).implicit {
		return r.interfacesAbove(t, name)
	}
	var list []store.DefID
	seen := map[store.DefID]bool{t: true}
	queue := []store.DefID{t}
	for k := 0; k < len(queue) && len(queue) < MaxSubtypes && !r.Clock.Over(1); k++ {
		for _, b := range r.members.basesOf(queue[k]) {
			if !seen[b] {
				seen[b] = true
				queue = append(queue, b)
				list = append(list, r.members.OwnMembers(b, name)...)
			}
		}
	}
	return list
}

// Under are the methods that stand in for y, in types that implement or extend y's, nearest first.
func (r *dispatch) Under(y store.DefID) []store.DefID {
	if list, ok := r.standIns[y]; ok {
		return list
	}
	r.standIns[y] = nil
	var list []store.DefID
	d := r.Def(y)
	if r.Tree.Nameless(y) {
		return nil
	}
	if r.rules(y.File).implicit {
		if d.Parent >= 0 && r.Def(store.At(y.File, d.Parent)).Kind == syntax.Interface {
			list = r.implementations(store.At(y.File, d.Parent), d.Name)
		}
	} else {
		list = append(r.overriding(y), r.namelessUnder(y)...)
	}
	from := r.Tree.Files[y.File]
	store.SortBy(list, func(m store.DefID) int { return -r.nearness(from, m) })
	r.standIns[y] = slices.Compact(list)
	return r.standIns[y]
}

// overriding are the methods that stand in for y in named types that say what they extend.
func (r *dispatch) overriding(y store.DefID) []store.DefID {
	var list []store.DefID
	for _, t := range r.members.TypesOf(y) {
		for _, sub := range r.Subtypes(t) {
			for _, m := range r.members.OwnMembers(sub, r.Def(y).Name) {
				if m != y && r.callable(m) && !r.Tree.Nameless(m) {
					list = append(list, m)
				}
			}
		}
	}
	return list
}

// Subtypes are the types that extend or implement t, directly or not.
func (r *dispatch) Subtypes(t store.DefID) []store.DefID {
	if list, ok := r.below[t]; ok {
		return list
	}
	queue, seen := []store.DefID{t}, map[store.DefID]bool{t: true}
	for k := 0; k < len(queue) && len(queue) < MaxSubtypes; k++ {
		base := queue[k]
		soFar := r.descends[[2]store.DefID{t, base}]
		names := []uint32{r.Def(base).Name}
		for i := 0; i < len(names); i++ { // its name, then those that imports and fields give it
			name := names[i]
			r.Mentioning(name, true, func(n int32) {
				if !r.related(n, queue[:1]) {
					return
				}
				names = r.holders(r.aliases(names, n, name), n, name)
				bases := r.Tree.BasesIn(n)
				if r.Clock.Over(len(bases)) {
					return
				}
				for _, u := range bases {
					sub := store.At(n, u.From)
					if u.Name != name || u.From < 0 || seen[sub] || !slices.Contains(r.members.basesOf(sub), base) {
						continue
					}
					seen[sub] = true
					queue = append(queue, sub)
					r.descends[[2]store.DefID{t, sub}] = soFar.Worse(r.baseSure(n, &u, base))
				}
			})
		}
	}
	r.below[t] = queue[1:]
	return queue[1:]
}

// holders adds the names of fields in file n that hold the class called name: X.Held = name.
func (r *dispatch) holders(names []uint32, n int32, name uint32) []uint32 {
	if !r.rules(n).holders {
		return names
	}
	defs := r.DefsOf(n)
	r.Clock.Over(len(defs))
	for i := range defs {
		d := &defs[i]
		if d.Type != name || d.Kind != syntax.Field || d.Owner == 0 || slices.Contains(names, d.Name) {
			continue
		}
		if len(names) < maxAliases {
			names = append(names, d.Name)
		}
	}
	return names
}

// baseSure is how sure it is that the reference u of file n to a base means base.
func (r *dispatch) baseSure(n int32, u *store.Ref, base store.DefID) Confidence {
	for _, t := range r.Resolve(n, u) {
		if t.DefID == base {
			return t.Sure
		}
	}
	return Confidence{Level: Unique}
}

// Replacing are the methods that implement or override y, and for an implicit interface the types that implement it:
// who changes what y promises has to change them too.
func (r *dispatch) Replacing(y store.DefID) []Arrow {
	d := r.Def(y)
	if !d.Kind.Callable() && !r.members.promised(y) {
		return r.implementing(y)
	}
	var list []Arrow
	for _, t := range r.members.TypesOf(y) {
		use := syntax.Override
		if d.Body >= d.End || r.Def(t).Kind == syntax.Interface {
			use = syntax.Implement
		}
		for _, m := range r.Under(y) {
			list = append(list, Arrow{m, use, r.Def(m).Line, r.overrideSure(m, t)})
		}
	}
	return list
}

// overrideSure is how sure it is that the method m stands in for one of type t. The names of all methods say so where
// interfaces are implicit, elsewhere the bases that types name.
func (r *dispatch) overrideSure(m, t store.DefID) Confidence {
	if r.rules(m.File).implicit {
		return Confidence{Level: Unique}
	}
	if r.Tree.Nameless(m) {
		bases, sure, _ := r.members.basesNamed(m)
		for _, b := range bases {
			if c, ok := r.descends[[2]store.DefID{t, b}]; ok {
				sure = sure.Worse(c)
			}
		}
		return sure
	}
	sure := Confidence{Level: Unique}
	for i, sub := range r.members.TypesOf(m) {
		if c, ok := r.descends[[2]store.DefID{t, sub}]; ok && (i == 0 || c.Worse(sure) == sure) {
			sure = c
		}
	}
	return sure
}

// related reports whether a file's language can refer to that of group.
func (r *dispatch) related(n int32, group []store.DefID) bool {
	return store.Family(r.Tree.Files[n].Lang) == store.Family(r.Tree.Files[group[0].File].Lang)
}

// aliases adds the other names under which file n imports name.
func (r *dispatch) aliases(names []uint32, n int32, name uint32) []uint32 {
	for _, m := range r.Tree.ImportsOf(n) {
		if m.Name == name && m.Local != 0 && len(names) < maxAliases && !slices.Contains(names, m.Local) {
			names = append(names, m.Local)
		}
	}
	return names
}

// Virtual reports whether u may run what overrides the method that it names: super.f() does not.
func (r *dispatch) Virtual(u *store.Ref) bool {
	name, qualifier := r.Tree.Lex.Text(u.Name), r.Tree.Lex.Text(u.Qual)
	return u.Use == syntax.Call && name != "__init__" && !strings.HasSuffix(qualifier, "^")
}
