package meaning

import (
	"slices"
	"unicode"
	"unicode/utf8"

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

// promised reports whether y is a property of an interface of TypeScript or its like: a method may be what it promises.
func (r *Resolver) promised(y store.DefID) bool {
	d := r.Def(y)
	if d.Kind != syntax.Field || d.Parent < 0 || r.Tree.Files[y.File].Lang != syntax.TypeScript {
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
	if r.Tree.Files[t.File].Lang == syntax.Go {
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

// interfaceMethods are the methods called name of Go interfaces.
func (r *Resolver) interfaceMethods(name uint32) []store.DefID {
	if list, ok := r.interfaces[name]; ok {
		return list
	}
	var list []store.DefID
	r.Mentioning(name, false, func(n int32) {
		if r.Tree.Files[n].Lang != syntax.Go {
			return
		}
		defs := r.DefsOf(n)
		r.Clock.Over(len(defs))
		for i := range defs {
			if d := &defs[i]; d.Name == name && d.Parent >= 0 && d.Kind.Callable() && defs[d.Parent].Kind == syntax.Interface {
				list = append(list, store.At(n, int32(i)))
			}
		}
	})
	r.interfaces[name] = list
	return list
}

// Satisfies reports whether the Go type t has all methods of the interface i, by their names. What an interface of
// outside the tree asks for is not known.
func (r *Resolver) Satisfies(t, i store.DefID) bool {
	key := [2]store.DefID{t, i}
	if ok, known := r.satisfied[key]; known || r.Clock.Over(1) {
		return ok
	}
	r.satisfied[key] = false // an interface that embeds itself says nothing
	ok := r.Def(t).Kind != syntax.Interface && r.hasMethods(t, i)
	r.satisfied[key] = ok
	return ok
}

func (r *Resolver) hasMethods(t, i store.DefID) bool {
	defs, any := r.DefsOf(i.File), false
	for k := int(i.Def) + 1; k < len(defs) && defs[k].Start < defs[i.Def].End; k++ {
		if d := &defs[k]; d.Parent == i.Def && d.Kind.Callable() {
			if r.Clock.Over(1) {
				return false
			}
			if any = true; !slices.ContainsFunc(r.TypeMembers(t, d.Name), func(m store.DefID) bool { return r.reaches(m, i, d.Name) }) {
				return false
			}
		}
	}
	for _, b := range r.basesOf(i) {
		if any = true; b != i && r.Def(b).Kind == syntax.Interface && !r.Satisfies(t, b) {
			return false
		}
	}
	return any
}

// reaches reports whether m can be the method that the interface i calls name: other packages' lower-case ones cannot.
func (r *Resolver) reaches(m, i store.DefID, name uint32) bool {
	first, _ := utf8.DecodeRuneInString(r.Tree.Lex.Text(name))
	return r.callable(m) && (unicode.IsUpper(first) || r.Tree.Files[m.File].Dir() == r.Tree.Files[i.File].Dir())
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
	if r.Tree.Files[y.File].Lang == syntax.Go {
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

// implementations are the methods called name of Go types that satisfy the interface i.
func (r *Resolver) implementations(i store.DefID, name uint32) []store.DefID {
	var list []store.DefID
	left := maxEmbedded
	r.Mentioning(name, false, func(n int32) {
		if r.Tree.Files[n].Lang != syntax.Go {
			return
		}
		defs := r.DefsOf(n)
		r.Clock.Over(len(defs))
		for k := range defs {
			m := store.At(n, int32(k))
			if d := &defs[k]; d.Name != name || d.Owner == 0 || !d.Kind.Callable() {
				continue
			}
			if r.Clock.Over(1) {
				return
			}
			types := r.TypesOf(m)
			if slices.ContainsFunc(types, func(t store.DefID) bool { return r.Satisfies(t, i) }) || r.implementsInside(types, i, name, &left) {
				list = append(list, m)
			}
		}
	})
	return list
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

// holders adds the names of fields of JavaScript in file n that hold the class called name: X.Held = name.
func (r *Resolver) holders(names []uint32, n int32, name uint32) []uint32 {
	if r.Tree.Files[n].Lang != syntax.JavaScript {
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

// Replacing are the methods that implement or override y, and for an interface of Go the types that implement it: who
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

// overrideSure is how sure it is that the method m stands in for one of type t. In Go the names of all methods say so,
// elsewhere the bases that types name.
func (r *Resolver) overrideSure(m, t store.DefID) Confidence {
	if r.Tree.Files[m.File].Lang == syntax.Go {
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

// implementing are the Go types that have the methods of the interface i, of their own or by embedding.
func (r *Resolver) implementing(i store.DefID) []Arrow {
	if r.Tree.Files[i.File].Lang != syntax.Go || r.Def(i).Kind != syntax.Interface {
		return nil
	}
	method, ok := r.someMethod(i, maxEmbedding)
	if !ok {
		return nil
	}
	var list []Arrow
	seen := map[store.DefID]bool{}
	add := func(t store.DefID) {
		if d := r.Def(t); !seen[t] && d.Kind != syntax.Interface && r.Satisfies(t, i) {
			list = append(list, Arrow{t, syntax.Implement, d.Line, Confidence{Level: Unique}})
		}
		seen[t] = true
	}
	for _, m := range r.implementations(i, method) {
		for _, t := range r.TypesOf(m) {
			add(t)
			for _, sub := range r.Subtypes(t) {
				add(sub)
			}
		}
	}
	for _, t := range r.embedding(method) {
		add(t)
	}
	return list
}

// maxEmbedding bounds the interfaces inside interfaces that are looked at for a method.
const maxEmbedding = 8

// someMethod is the name of a method that the interface i asks for, of its own or of an embedded interface.
func (r *Resolver) someMethod(i store.DefID, depth int) (uint32, bool) {
	defs := r.DefsOf(i.File)
	for k := int(i.Def) + 1; k < len(defs) && defs[k].Start < defs[i.Def].End; k++ {
		if d := &defs[k]; d.Parent == i.Def && d.Kind.Callable() {
			return d.Name, true
		}
	}
	for _, b := range r.basesOf(i) {
		if depth == 0 || r.Def(b).Kind != syntax.Interface {
			continue
		}
		if name, ok := r.someMethod(b, depth-1); ok {
			return name, true
		}
	}
	return 0, false
}
