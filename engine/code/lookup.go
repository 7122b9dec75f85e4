package code

import (
	"slices"

	"helve/engine/code/internal/syntax"
)

// lookup finds what the name y, standing alone, means in definition from of file n: the innermost scope that has it.
func (r *resolver) lookup(y uint32, n, from int32) found {
	key := nameKey{y, n, from}
	if f, ok := r.names[key]; ok {
		return f
	}
	r.names[key] = found{v: external}
	f := r.find(y, n, from)
	r.names[key] = f
	return f
}

func symbols(list []symbol, level Level) found {
	return found{value{kind: symbolValue, syms: list, level: level}, level}
}

func (r *resolver) find(y uint32, n, from int32) found {
	if r.clock.over(1) {
		return found{v: external}
	}
	if f, ok := r.namespace(y, n); ok {
		return f
	}
	if from >= 0 {
		if f, ok := r.importedInside(y, n, from); ok {
			return f
		}
		if list := r.enclosing(y, n, from); len(list) > 0 {
			return symbols(list, Exact)
		}
		return r.lookup(y, n, -1) // what stands around all definitions is the same for all
	}
	if list := r.withoutMethods(r.topLevel(y, n), r.s.files[n].lang); len(list) > 0 {
		return symbols(list, Exact)
	}
	if f, ok := r.imported(y, n); ok {
		return f
	}
	if list := r.samePackage(y, n); len(list) > 0 {
		return symbols(list, SamePackage)
	}
	if f, ok := r.wildcards(y, n); ok {
		return f
	}
	if f, ok := r.otherwiseNamed(y, n); ok {
		return f
	}
	if unbound(r.s.files[n].lang) {
		if list := r.anywhere(y, n); len(list) > 0 {
			return symbols(list, Unique)
		}
	}
	if r.typeParameter(y, n) {
		return found{}
	}
	return found{v: external}
}

// typeParameter reports whether a name that nothing in the tree has may be a type parameter, whose members are not
// known: by custom it is one capital letter, and perhaps a digit.
func (r *resolver) typeParameter(y uint32, n int32) bool {
	switch family(r.s.files[n].lang) {
	case syntax.Java, syntax.CSharp, syntax.JavaScript, syntax.Swift, syntax.C:
	default:
		return false
	}
	text := r.s.lex.text(y)
	return len(text) > 0 && len(text) <= 2 && text[0] >= 'A' && text[0] <= 'Z' &&
		(len(text) == 1 || text[1] >= '0' && text[1] <= '9')
}

// enclosing looks in the scopes around from.
func (r *resolver) enclosing(y uint32, n, from int32) []symbol {
	defs := r.defsOf(n)
	lang := r.s.files[n].lang
	for p := from; p >= 0; p = defs[p].parent {
		d := &defs[p]
		switch {
		case d.kind.Type():
			if !implicitThis(lang) && (lang != syntax.Python || p != from) {
				continue
			}
			if list := r.scope(symbol{n, p}, y, lang); len(list) > 0 {
				return list
			}
			if d.name == y && implicitThis(lang) { // its constructors have its name, too
				return []symbol{{n, p}}
			}
		case d.owner != 0 && implicitThis(lang):
			if list := r.withoutConstructors(r.ownersMembers(symbol{n, p}, y)); len(list) > 0 {
				return list
			}
			fallthrough
		default:
			list := r.withoutMethods(r.children(symbol{n, p}, y), lang)
			if d.kind == syntax.Module { // what a namespace holds of a class is named through the class
				list = slices.DeleteFunc(list, func(y symbol) bool { return r.def(y).owner != 0 && r.callable(y) })
			}
			if len(list) > 0 {
				return list
			}
		}
	}
	return nil
}

// withoutMethods leaves out the methods of objects of JavaScript, {call(x) {…}}, which have no name that stands alone:
// inside of one its name means what is around the object.
func (r *resolver) withoutMethods(list []symbol, lang syntax.Language) []symbol {
	if len(list) == 0 || family(lang) != syntax.JavaScript {
		return list
	}
	return slices.DeleteFunc(list, func(y symbol) bool { return r.def(y).kind == syntax.Method })
}

// topLevel looks at the top of file n.
func (r *resolver) topLevel(y uint32, n int32) []symbol {
	defs := r.defsOf(n)
	r.clock.over(len(defs))
	var list []symbol
	for i := range defs {
		if d := &defs[i]; d.name == y && d.parent < 0 && d.owner == 0 {
			list = append(list, symbol{n, int32(i)})
		}
	}
	if len(list) == 0 && r.s.files[n].lang == syntax.C { // members of an enumeration are global
		for i := range defs {
			if d := &defs[i]; d.name == y && d.kind == syntax.Member {
				list = append(list, symbol{n, int32(i)})
			}
		}
	}
	return list
}

// scope are the members y of the type t that can be named alone inside it: in Python only its own, in its body.
func (r *resolver) scope(t symbol, y uint32, lang syntax.Language) []symbol {
	if lang == syntax.Python {
		return r.children(t, y)
	}
	return r.withoutConstructors(r.typeMembers(t, y))
}

// withoutConstructors leaves out those that have their type's name: alone, the name means the type.
func (r *resolver) withoutConstructors(list []symbol) []symbol {
	is := func(y symbol) bool {
		d := r.def(y)
		if !d.kind.Callable() {
			return false
		}
		if d.parent >= 0 && r.namesake(symbol{y.file, d.parent}, y) {
			return true
		}
		return d.owner != 0 && (d.owner == d.name || r.endsWith(d.owner, d.name))
	}
	if !slices.ContainsFunc(list, is) {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), is)
}

// implicitThis reports whether members of the type around can be named alone.
func implicitThis(l syntax.Language) bool {
	switch l {
	case syntax.Java, syntax.CPlusPlus, syntax.CSharp, syntax.Kotlin, syntax.Swift, syntax.Ruby:
		return true
	}
	return false
}

// unbound reports whether a name may mean a definition anywhere in the project, without an import that says so.
func unbound(l syntax.Language) bool {
	switch l {
	case syntax.C, syntax.CPlusPlus, syntax.CSharp, syntax.Ruby, syntax.Swift, syntax.Shell, syntax.PHP, syntax.Unknown:
		return true
	}
	return false
}

// children are the definitions named y directly inside s.
func (r *resolver) children(s symbol, y uint32) []symbol {
	var list []symbol
	defs := r.defsOf(s.file)
	i := int(s.def) + 1
	for ; i < len(defs); i++ {
		if defs[i].parent == s.def && defs[i].name == y {
			list = append(list, symbol{s.file, int32(i)})
		}
		if defs[i].start >= defs[s.def].end && defs[i].parent < s.def {
			break
		}
	}
	r.clock.over(i - int(s.def))
	return list
}

// ownerMembers are the members y of the type that owner names, as seen from file n.
func (r *resolver) ownerMembers(owner uint32, n int32, y uint32) []symbol {
	v := r.value(owner, n, -1)
	var list []symbol
	for _, t := range v.syms {
		if r.def(t).kind.Type() {
			list = append(list, r.typeMembers(t, y)...)
		}
	}
	return list
}

// typeMembers are the members y of type t: its own, else those of the nearest bases that have any.
func (r *resolver) typeMembers(t symbol, y uint32) []symbol {
	key := memberKey{t, y}
	if list, ok := r.members[key]; ok || r.clock.over(1) {
		return list
	}
	r.members[key] = nil
	list := r.ownMembers(t, y)
	if (len(list) == 0 || r.assignedOnly(list)) && r.depth < maxResolveDepth {
		r.depth++
		for _, b := range r.basesOf(t) {
			for _, s := range r.typeMembers(b, y) {
				if !slices.Contains(list, s) {
					list = append(list, s)
				}
			}
		}
		if d := r.def(t); len(list) == 0 && d.kind == syntax.Alias && d.typ != 0 {
			list = r.aliasMembers(t, y)
		}
		r.depth--
	}
	r.members[key] = list
	return list
}

// aliasMembers are the members y of the type that t is another name for.
func (r *resolver) aliasMembers(t symbol, y uint32) []symbol {
	var list []symbol
	for _, u := range r.typeOf(t).syms {
		if u != t && r.def(u).kind.Type() {
			list = append(list, r.typeMembers(u, y)...)
		}
	}
	return list
}

// ownMembers are the members y that type t itself has, in its body or outside it.
func (r *resolver) ownMembers(t symbol, y uint32) []symbol {
	list := r.children(t, y)
	f := r.s.files[t.file]
	if !outside(f.lang) {
		return list
	}
	if len(list) == 0 && family(f.lang) == syntax.C {
		list = r.enumerated(t, y)
	}
	name := r.def(t).name
	dir := f.dir()
	r.mentioning(y, false, func(n int32) {
		g := r.s.files[n]
		if family(g.lang) != family(f.lang) || f.lang == syntax.Go && (g.dir() != dir || g.pkg != f.pkg) || f.lang == syntax.JavaScript && n != t.file {
			return
		}
		defs := r.defsOf(n)
		r.clock.over(len(defs))
		for i := range defs {
			if d := &defs[i]; d.name == y && d.owner != 0 && (d.owner == name || r.endsWith(d.owner, name)) && !r.s.nameless(symbol{n, int32(i)}) {
				list = append(list, symbol{n, int32(i)})
			} else if d.name == y && n != t.file && partial(f.lang) && d.parent >= 0 && defs[d.parent].name == name && defs[d.parent].kind.Type() && g.pkg == f.pkg {
				list = append(list, symbol{n, int32(i)})
			}
		}
	})
	return list
}

// endsWith reports whether the dotted owner ends with name.
func (r *resolver) endsWith(owner, name uint32) bool {
	a, b := r.s.lex.text(owner), r.s.lex.text(name)
	return len(a) > len(b) && a[len(a)-len(b):] == b && a[len(a)-len(b)-1] == '.'
}

// outside reports whether members may stand outside the body of their type.
func outside(l syntax.Language) bool {
	switch l {
	case syntax.Go, syntax.Rust, syntax.CPlusPlus, syntax.C, syntax.CSharp, syntax.Swift, syntax.Kotlin, syntax.Ruby, syntax.JavaScript:
		return true
	}
	return false
}

// partial reports whether a type may have several bodies.
func partial(l syntax.Language) bool {
	return l == syntax.CSharp || l == syntax.Swift || l == syntax.Ruby
}

// basesOf are the types that t extends, embeds or implements.
func (r *resolver) basesOf(t symbol) []symbol {
	if list, ok := r.bases[t]; ok {
		return list
	}
	r.bases[t] = nil
	var list []symbol
	refs := r.s.basesIn(t.file)
	first, _ := slices.BinarySearchFunc(refs, t.def, func(u ref, d int32) int { return int(u.from) - int(d) })
	for i := first; i < len(refs) && refs[i].from == t.def; i++ {
		for _, b := range r.resolve(t.file, &refs[i]) {
			for _, y := range r.typesNamed(b.symbol) {
				if y != t && !slices.Contains(list, y) {
					list = append(list, y)
				}
			}
		}
	}
	r.bases[t] = list
	return list
}

// samePackage looks in the other files of the package of file n.
func (r *resolver) samePackage(y uint32, n int32) []symbol {
	f := r.s.files[n]
	var same func(g *file) bool
	switch f.lang {
	case syntax.Go:
		dir := f.dir()
		same = func(g *file) bool { return g.lang == syntax.Go && g.dir() == dir && g.pkg == f.pkg }
	case syntax.Java, syntax.Kotlin, syntax.CSharp, syntax.PHP:
		same = func(g *file) bool { return family(g.lang) == family(f.lang) && g.pkg == f.pkg }
	default:
		return nil
	}
	return r.top(y, same)
}

// top are the definitions named y at the top of the files that keep allows; namespaces do not count as a level.
func (r *resolver) top(y uint32, keep func(*file) bool) []symbol {
	var list []symbol
	r.s.marked(y, markOuter, func(n int32) {
		if !r.clock.over(1) && keep(r.s.files[n]) {
			list = r.topOf(list, y, n)
		}
	})
	return list
}

func (r *resolver) topOf(list []symbol, y uint32, n int32) []symbol {
	defs := r.defsOf(n)
	r.clock.over(len(defs))
	for i := range defs {
		d := &defs[i]
		if d.name == y && d.owner == 0 && (d.parent < 0 || defs[d.parent].kind == syntax.Module) {
			list = append(list, symbol{n, int32(i)})
		}
	}
	return list
}

// anywhere looks through the whole project.
func (r *resolver) anywhere(y uint32, n int32) []symbol {
	lang := family(r.s.files[n].lang)
	list := r.top(y, func(g *file) bool { return family(g.lang) == lang })
	if len(list) == 0 && lang == syntax.C {
		r.s.marked(y, markOuter, func(m int32) {
			if r.clock.ended {
				return
			}
			defs := r.defsOf(m)
			r.clock.over(len(defs))
			for i := range defs {
				if d := &defs[i]; d.name == y && d.kind == syntax.Member && family(r.s.files[m].lang) == lang {
					list = append(list, symbol{m, int32(i)})
				}
			}
		})
	}
	return r.linked(list, n)
}

// linked leaves out C definitions that only their own file can name.
func (r *resolver) linked(list []symbol, n int32) []symbol {
	if len(list) < 2 {
		return list
	}
	out := list[:0:0]
	for _, s := range list {
		f := r.s.files[s.file]
		if family(f.lang) == syntax.C && s.file != n && r.def(s).kind == syntax.Macro && !header(f.Path) {
			continue
		}
		out = append(out, s)
	}
	return out
}

func header(p string) bool {
	return len(p) > 2 && (p[len(p)-2:] == ".h" || len(p) > 4 && p[len(p)-4:] == ".hpp") || len(p) > 3 && p[len(p)-3:] == ".hh"
}
