package syntax

// nameless is what a reader knows of the class without a name around the cursor: new T() {…}, object : T {…}, new
// class extends T {…}. Such a class is no definition. Its methods belong to what stands around it and have its bases
// for their Owner, so that who asks what implements a method of T finds them.
type nameless struct {
	bases Sym // separated by commas, or 0
	end   pos // of its body
}

// withoutName has read read the body in the brackets at the cursor, of a class without a name that has these bases.
func (r *curly) withoutName(bases Sym, read func()) {
	around := r.nameless
	r.nameless = nameless{bases, r.closing()}
	read()
	r.nameless = around
}

// inNameless reports whether the cursor stands among the members of a class without a name, and in nothing that
// stands there.
func (r *curly) inNameless() bool { return r.nameless.bases != 0 && pos(len(r.view)) == r.nameless.end }

// standsIn says for what the method d of a class without a name stands in. What stands directly in another class is a
// member of that.
func (r *curly) standsIn(d int32, bases Sym) {
	if parent := r.def(d).Parent; parent < 0 || !r.def(parent).Kind.Type() {
		r.def(d).Owner = bases
	}
}

// basesBetween are the dotted names of types from one place up to another, without their arguments, separated by
// commas.
func (r *reader) basesBetween(from, to pos) Sym {
	m, behind := r.top(), r.at
	for r.at = from; r.at < to; {
		switch {
		case r.skipSoft("implements") || r.skipSoft("by") || r.skipAngles():
		case r.name():
			if !r.empty(m) {
				r.pushString(",")
			}
			r.dottedName()
		default:
			r.skipOne()
		}
	}
	r.at = behind
	return r.pop(m)
}

// dottedName passes a.b.c and pushes it.
func (r *reader) dottedName() {
	m := r.top()
	r.qualifier()
	if !r.empty(m) {
		r.pushString(".")
	}
	r.pushText(r.text())
	r.next()
}

// Nameless reports whether definition i is a method of a class without a name: its Owner are the bases of that class
// then.
func (f *File) Nameless(i int) bool {
	d := &f.Definitions[i]
	return d.Owner != "" && Nameless(f.Language, d.Kind, d.Parent >= 0 && !f.Definitions[d.Parent].Kind.Type())
}

// Nameless is File.Nameless for a definition that has an owner; inside: it stands in another definition that is no
// type. In other languages, and places, the owner is the type that the definition belongs to.
func Nameless(l Language, k Kind, inside bool) bool {
	switch l {
	case PHP:
		return k == Method
	case Java, Kotlin, JavaScript, TypeScript:
		return k == Method && inside
	}
	return false
}
