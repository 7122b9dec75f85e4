package code

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"helve/engine/code/internal/syntax"
)

// This file knows which methods stand in for others: a call of an interface's or base class's method may run any that
// implements or overrides it.

const (
	// maxSubtypes bounds the types looked at below one type.
	maxSubtypes = 2000
	// maxStandIns is how many implementations a call through an interface adds to what a definition uses. Where there
	// are more, the interface's method stands for them.
	maxStandIns = maxAlike
)

// typesOf are the types that the method y belongs to.
func (r *resolver) typesOf(y symbol) []symbol {
	d := r.def(y)
	switch {
	case !d.kind.Callable() && !r.promised(y) || d.kind == syntax.Constructor:
		return nil
	case r.s.nameless(y):
		bases, _, _ := r.basesNamed(y)
		return bases
	case d.owner != 0:
		var list []symbol
		for _, t := range r.value(d.owner, y.file, -1).syms {
			if r.def(t).kind.Type() {
				list = append(list, t)
			}
		}
		return list
	case d.parent >= 0 && r.def(symbol{y.file, d.parent}).kind.Type():
		return []symbol{{y.file, d.parent}}
	}
	return nil
}

// promised reports whether y is a property of an interface of TypeScript or its like: a method may be what it promises.
func (r *resolver) promised(y symbol) bool {
	d := r.def(y)
	if d.kind != syntax.Field || d.parent < 0 || r.s.files[y.file].lang != syntax.TypeScript {
		return false
	}
	return r.def(symbol{y.file, d.parent}).kind == syntax.Interface
}

// over are the methods of bases and interfaces that a call may name when it runs y, and how sure that is.
func (r *resolver) over(y symbol) map[symbol]Confidence {
	list := map[symbol]Confidence{}
	for _, t := range r.typesOf(y) {
		above := r.above(t, r.def(y).name)
		if r.s.nameless(y) { // t is a base
			above = append(above, r.ownMembers(t, r.def(y).name)...)
		}
		for _, b := range above {
			if b != y {
				list[b] = standIn(len(r.under(b)))
			}
		}
	}
	return list
}

func standIn(n int) Confidence {
	if n <= 1 {
		return Confidence{Level: Unique}
	}
	return Confidence{Level: Ambiguous, Of: n}
}

// above are the methods called name of what t implements or extends.
func (r *resolver) above(t symbol, name uint32) []symbol {
	if r.s.files[t.file].lang == syntax.Go {
		return r.interfacesAbove(t, name)
	}
	var list []symbol
	seen := map[symbol]bool{t: true}
	queue := []symbol{t}
	for k := 0; k < len(queue) && len(queue) < maxSubtypes && !r.clock.over(1); k++ {
		for _, b := range r.basesOf(queue[k]) {
			if !seen[b] {
				seen[b] = true
				queue = append(queue, b)
				list = append(list, r.ownMembers(b, name)...)
			}
		}
	}
	return list
}

// interfaceMethods are the methods called name of Go interfaces.
func (r *resolver) interfaceMethods(name uint32) []symbol {
	if list, ok := r.interfaces[name]; ok {
		return list
	}
	var list []symbol
	r.mentioning(name, false, func(n int32) {
		if r.s.files[n].lang != syntax.Go {
			return
		}
		defs := r.defsOf(n)
		r.clock.over(len(defs))
		for i := range defs {
			if d := &defs[i]; d.name == name && d.parent >= 0 && d.kind.Callable() && defs[d.parent].kind == syntax.Interface {
				list = append(list, symbol{n, int32(i)})
			}
		}
	})
	r.interfaces[name] = list
	return list
}

// satisfies reports whether the Go type t has all methods of the interface i, by their names. What an interface of
// outside the tree asks for is not known.
func (r *resolver) satisfies(t, i symbol) bool {
	key := [2]symbol{t, i}
	if ok, known := r.satisfied[key]; known || r.clock.over(1) {
		return ok
	}
	r.satisfied[key] = false // an interface that embeds itself says nothing
	ok := r.def(t).kind != syntax.Interface && r.hasMethods(t, i)
	r.satisfied[key] = ok
	return ok
}

func (r *resolver) hasMethods(t, i symbol) bool {
	defs, any := r.defsOf(i.file), false
	for k := int(i.def) + 1; k < len(defs) && defs[k].start < defs[i.def].end; k++ {
		if d := &defs[k]; d.parent == i.def && d.kind.Callable() {
			if r.clock.over(1) {
				return false
			}
			if any = true; !slices.ContainsFunc(r.typeMembers(t, d.name), func(m symbol) bool { return r.reaches(m, i, d.name) }) {
				return false
			}
		}
	}
	for _, b := range r.basesOf(i) {
		if any = true; b != i && r.def(b).kind == syntax.Interface && !r.satisfies(t, b) {
			return false
		}
	}
	return any
}

// reaches reports whether m can be the method that the interface i calls name: other packages' lower-case ones cannot.
func (r *resolver) reaches(m, i symbol, name uint32) bool {
	first, _ := utf8.DecodeRuneInString(r.s.lex.text(name))
	return r.callable(m) && (unicode.IsUpper(first) || r.s.files[m.file].dir() == r.s.files[i.file].dir())
}

func (r *resolver) callable(y symbol) bool { return r.def(y).kind.Callable() }

// under are the methods that stand in for y, in types that implement or extend y's, nearest first.
func (r *resolver) under(y symbol) []symbol {
	if list, ok := r.standIns[y]; ok {
		return list
	}
	r.standIns[y] = nil
	var list []symbol
	d := r.def(y)
	if r.s.nameless(y) {
		return nil
	}
	if r.s.files[y.file].lang == syntax.Go {
		if d.parent >= 0 && r.def(symbol{y.file, d.parent}).kind == syntax.Interface {
			list = r.implementations(symbol{y.file, d.parent}, d.name)
		}
	} else {
		for _, t := range r.typesOf(y) {
			for _, sub := range r.subtypes(t) {
				list = append(list, slices.DeleteFunc(slices.Clone(r.ownMembers(sub, d.name)), func(m symbol) bool {
					return m == y || !r.callable(m) || r.s.nameless(m)
				})...)
			}
		}
		list = append(list, r.namelessUnder(y)...)
	}
	from := r.s.files[y.file]
	sortBy(list, func(m symbol) int { return -r.nearness(from, m) })
	r.standIns[y] = slices.Compact(list)
	return r.standIns[y]
}

// implementations are the methods called name of Go types that satisfy the interface i.
func (r *resolver) implementations(i symbol, name uint32) []symbol {
	var list []symbol
	left := maxEmbedded
	r.mentioning(name, false, func(n int32) {
		if r.s.files[n].lang != syntax.Go {
			return
		}
		defs := r.defsOf(n)
		r.clock.over(len(defs))
		for k := range defs {
			m := symbol{n, int32(k)}
			if d := &defs[k]; d.name != name || d.owner == 0 || !d.kind.Callable() {
				continue
			}
			if r.clock.over(1) {
				return
			}
			types := r.typesOf(m)
			if slices.ContainsFunc(types, func(t symbol) bool { return r.satisfies(t, i) }) || r.implementsInside(types, i, name, &left) {
				list = append(list, m)
			}
		}
	})
	return list
}

// subtypes are the types that extend or implement t, directly or not.
func (r *resolver) subtypes(t symbol) []symbol {
	if list, ok := r.below[t]; ok {
		return list
	}
	queue, seen := []symbol{t}, map[symbol]bool{t: true}
	for k := 0; k < len(queue) && len(queue) < maxSubtypes; k++ {
		base := queue[k]
		soFar := r.descends[[2]symbol{t, base}]
		names := []uint32{r.def(base).name}
		for i := 0; i < len(names); i++ { // its name, then those that imports and fields give it
			name := names[i]
			r.mentioning(name, true, func(n int32) {
				if !r.related(n, queue[:1]) {
					return
				}
				names = r.holders(r.aliases(names, n, name), n, name)
				bases := r.s.basesIn(n)
				if r.clock.over(len(bases)) {
					return
				}
				for _, u := range bases {
					sub := symbol{n, u.from}
					if u.name != name || u.from < 0 || seen[sub] || !slices.Contains(r.basesOf(sub), base) {
						continue
					}
					seen[sub] = true
					queue = append(queue, sub)
					r.descends[[2]symbol{t, sub}] = soFar.worse(r.baseSure(n, &u, base))
				}
			})
		}
	}
	r.below[t] = queue[1:]
	return queue[1:]
}

// holders adds the names of fields of JavaScript in file n that hold the class called name: X.Held = name.
func (r *resolver) holders(names []uint32, n int32, name uint32) []uint32 {
	if r.s.files[n].lang != syntax.JavaScript {
		return names
	}
	defs := r.defsOf(n)
	r.clock.over(len(defs))
	for i := range defs {
		if d := &defs[i]; d.typ == name && d.kind == syntax.Field && d.owner != 0 && len(names) < maxAliases && !slices.Contains(names, d.name) {
			names = append(names, d.name)
		}
	}
	return names
}

// baseSure is how sure it is that the reference u of file n to a base means base.
func (r *resolver) baseSure(n int32, u *ref, base symbol) Confidence {
	for _, t := range r.resolve(n, u) {
		if t.symbol == base {
			return t.sure
		}
	}
	return Confidence{Level: Unique}
}

// replacing are the methods that implement or override y, and for an interface of Go the types that implement it: who
// changes what y promises has to change them too.
func (r *resolver) replacing(y symbol) []arrow {
	d := r.def(y)
	if !d.kind.Callable() && !r.promised(y) {
		return r.implementing(y)
	}
	var list []arrow
	for _, t := range r.typesOf(y) {
		use := syntax.Override
		if d.body >= d.end || r.def(t).kind == syntax.Interface {
			use = syntax.Implement
		}
		for _, m := range r.under(y) {
			list = append(list, arrow{m, use, r.def(m).line, r.overrideSure(m, t)})
		}
	}
	return list
}

// overrideSure is how sure it is that the method m stands in for one of type t. In Go the names of all methods say so,
// elsewhere the bases that types name.
func (r *resolver) overrideSure(m, t symbol) Confidence {
	if r.s.files[m.file].lang == syntax.Go {
		return Confidence{Level: Unique}
	}
	if r.s.nameless(m) {
		bases, sure, _ := r.basesNamed(m)
		for _, b := range bases {
			if c, ok := r.descends[[2]symbol{t, b}]; ok {
				sure = sure.worse(c)
			}
		}
		return sure
	}
	sure := Confidence{Level: Unique}
	for i, sub := range r.typesOf(m) {
		if c, ok := r.descends[[2]symbol{t, sub}]; ok && (i == 0 || c.worse(sure) == sure) {
			sure = c
		}
	}
	return sure
}

// implementing are the Go types that have the methods of the interface i, of their own or by embedding.
func (r *resolver) implementing(i symbol) []arrow {
	if r.s.files[i.file].lang != syntax.Go || r.def(i).kind != syntax.Interface {
		return nil
	}
	method, ok := r.someMethod(i, maxEmbedding)
	if !ok {
		return nil
	}
	var list []arrow
	seen := map[symbol]bool{}
	add := func(t symbol) {
		if d := r.def(t); !seen[t] && d.kind != syntax.Interface && r.satisfies(t, i) {
			list = append(list, arrow{t, syntax.Implement, d.line, Confidence{Level: Unique}})
		}
		seen[t] = true
	}
	for _, m := range r.implementations(i, method) {
		for _, t := range r.typesOf(m) {
			add(t)
			for _, sub := range r.subtypes(t) {
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
func (r *resolver) someMethod(i symbol, depth int) (uint32, bool) {
	defs := r.defsOf(i.file)
	for k := int(i.def) + 1; k < len(defs) && defs[k].start < defs[i.def].end; k++ {
		if d := &defs[k]; d.parent == i.def && d.kind.Callable() {
			return d.name, true
		}
	}
	for _, b := range r.basesOf(i) {
		if depth == 0 || r.def(b).kind != syntax.Interface {
			continue
		}
		if name, ok := r.someMethod(b, depth-1); ok {
			return name, true
		}
	}
	return 0, false
}
