package meaning

import (
	"slices"

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

// TypesOf are the types that the method y belongs to.
func (r *Resolver) TypesOf(y store.DefID) []store.DefID {
	d := r.Def(y)
	switch {
	case !d.Kind.Callable() && !r.promised(y) || d.Kind == syntax.Constructor:
		return nil
	case r.Tree.Nameless(y):
		bases, _, _ := r.basesNamed(y)
		return bases
	case d.Owner != 0:
		var list []store.DefID
		for _, t := range r.Value(d.Owner, y.File, -1).Symbols {
			if r.Def(t).Kind.Type() {
				list = append(list, t)
			}
		}
		return list
	case d.Parent >= 0 && r.Def(store.At(y.File, d.Parent)).Kind.Type():
		return []store.DefID{store.At(y.File, d.Parent)}
	}
	return nil
}

// promised reports whether y is a property of an interface: a method may be what it promises.
func (r *Resolver) promised(y store.DefID) bool {
	d := r.Def(y)
	if d.Kind != syntax.Field || d.Parent < 0 || !r.rules(y.File).promises {
		return false
	}
	return r.Def(store.At(y.File, d.Parent)).Kind == syntax.Interface
}

// Over are the methods of bases and interfaces that a call may name when it runs y, and how sure that is.
func (r *Resolver) Over(y store.DefID) map[store.DefID]Confidence {
	list := map[store.DefID]Confidence{}
	for _, t := range r.TypesOf(y) {
		above := r.Above(t, r.Def(y).Name)
		if r.Tree.Nameless(y) { // t is a base
			above = append(above, r.OwnMembers(t, r.Def(y).Name)...)
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
func (r *Resolver) Above(t store.DefID, name uint32) []store.DefID {
	if r.rules(t.File).implicit {
		return r.interfacesAbove(t, name)
	}
	var list []store.DefID
	seen := map[store.DefID]bool{t: true}
	queue := []store.DefID{t}
	for k := 0; k < len(queue) && len(queue) < MaxSubtypes && !r.Clock.Over(1); k++ {
		for _, b := range r.basesOf(queue[k]) {
			if !seen[b] {
				seen[b] = true
				queue = append(queue, b)
				list = append(list, r.OwnMembers(b, name)...)
			}
		}
	}
	return list
}

func (r *Resolver) callable(y store.DefID) bool { return r.Def(y).Kind.Callable() }

// Under are the methods that stand in for y, in types that implement or extend y's, nearest first.
func (r *Resolver) Under(y store.DefID) []store.DefID {
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
		for _, t := range r.TypesOf(y) {
			for _, sub := range r.Subtypes(t) {
				list = append(list, slices.DeleteFunc(slices.Clone(r.OwnMembers(sub, d.Name)), func(m store.DefID) bool {
					return m == y || !r.callable(m) || r.Tree.Nameless(m)
				})...)
			}
		}
		list = append(list, r.namelessUnder(y)...)
	}
	from := r.Tree.Files[y.File]
	store.SortBy(list, func(m store.DefID) int { return -r.nearness(from, m) })
	r.standIns[y] = slices.Compact(list)
	return r.standIns[y]
}

// Subtypes are the types that extend or implement t, directly or not.
func (r *Resolver) Subtypes(t store.DefID) []store.DefID {
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
					if u.Name != name || u.From < 0 || seen[sub] || !slices.Contains(r.basesOf(sub), base) {
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
func (r *Resolver) holders(names []uint32, n int32, name uint32) []uint32 {
	if !r.rules(n).holders {
		return names
	}
	defs := r.DefsOf(n)
	r.Clock.Over(len(defs))
	for i := range defs {
		if d := &defs[i]; d.Type == name && d.Kind == syntax.Field && d.Owner != 0 && len(names) < maxAliases && !slices.Contains(names, d.Name) {
			names = append(names, d.Name)
		}
	}
	return names
}

// baseSure is how sure it is that the reference u of file n to a base means base.
func (r *Resolver) baseSure(n int32, u *store.Ref, base store.DefID) Confidence {
	for _, t := range r.Resolve(n, u) {
		if t.DefID == base {
			return t.Sure
		}
	}
	return Confidence{Level: Unique}
}

// Replacing are the methods that implement or override y, and for an implicit interface the types that implement it: who
// changes what y promises has to change them too.
func (r *Resolver) Replacing(y store.DefID) []Arrow {
	d := r.Def(y)
	if !d.Kind.Callable() && !r.promised(y) {
		return r.implementing(y)
	}
	var list []Arrow
	for _, t := range r.TypesOf(y) {
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
func (r *Resolver) overrideSure(m, t store.DefID) Confidence {
	if r.rules(m.File).implicit {
		return Confidence{Level: Unique}
	}
	if r.Tree.Nameless(m) {
		bases, sure, _ := r.basesNamed(m)
		for _, b := range bases {
			if c, ok := r.descends[[2]store.DefID{t, b}]; ok {
				sure = sure.Worse(c)
			}
		}
		return sure
	}
	sure := Confidence{Level: Unique}
	for i, sub := range r.TypesOf(m) {
		if c, ok := r.descends[[2]store.DefID{t, sub}]; ok && (i == 0 || c.Worse(sure) == sure) {
			sure = c
		}
	}
	return sure
}
