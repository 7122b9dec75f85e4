package syntax

import "strings"

// inNamespace reports whether the name at the cursor of a file of PHP is that of a namespace, with a name of it
// behind: A\B.
func (r *curly) inNamespace() bool {
	return r.used != nil && r.name() && r.peekIs(1, '\\') && r.peekName(2)
}

// isRooted reports whether the backslash before the whole name of something in PHP stands at the cursor: \A\B.
func (r *curly) isRooted() bool { return r.used != nil && r.is('\\') && r.peekName(1) }

// namespace passes the A\B\ of A\B\c and pushes its whole name, with a backslash behind it and no dots in it, as a
// namespace is one name: what A means is in the imports, else A stands in the namespace of the file, unless a
// backslash stands before it.
func (r *curly) namespace() {
	first := string(r.text())
	switch path, imported := r.used[first]; {
	case r.peekIs(-1, '\\'):
	case imported:
		first = strings.ReplaceAll(path, ".", "\\")
	case r.rows.Package != 0:
		first = strings.ReplaceAll(r.names.Text(r.rows.Package), ".", "\\") + "\\" + first
	}
	r.pushString(first)
	r.pushString("\\")
	for r.advance(2); r.peekIs(1, '\\') && r.peekName(2); r.advance(2) {
		r.pushText(r.text())
		r.pushString("\\")
	}
}
