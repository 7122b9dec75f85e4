package dialect

import (
	"encoding/json"
	"slices"

	rawjson "helve/internal/json"
)

// An undo is what a declaration changed at one place, so that a model's arguments can be changed back. nil: nothing.
// It belongs to a declaration and does not change, so that calls may use it concurrently.
type undo struct {
	members map[string]member // by declared name
	more    *undo             // of members that are not declared by name
	items   *undo             // of all items behind the tuple
	tuple   []*undo           // of the first item, the second, …
	values  map[string]string // a declared enum value → the spelling of the schema's
	text    bool              // JSON text stands for an object
	any     []alternative
}

// A member is what a declared name stands for.
type member struct {
	name string // the schema's
	undo *undo  // of its value
	drop bool   // null means that it was left out
}

// An alternative is one of several forms that a value may have.
type alternative struct {
	schema node // as declared
	undo   *undo
}

// orNil is nil where nothing was changed: most places of most schemas, whose undo needs no memory so.
func (u undo) orNil() *undo {
	lists := len(u.members) + len(u.values) + len(u.any) + len(u.tuple)
	if lists == 0 && u.more == nil && u.items == nil && !u.text {
		return nil
	}
	own := u // on the heap only here
	return &own
}

// member notes what a declared name stands for, if that is not just itself.
func (u *undo) member(key, name string, sub *undo, drop bool) {
	if key == name && sub == nil && !drop {
		return
	}
	if u.members == nil {
		u.members = map[string]member{}
	}
	u.members[key] = member{name, sub, drop}
}

// others notes what was changed in members of other names than those declared, which must all be known then.
func (u *undo) others(declared []node, sub *undo) {
	if sub == nil {
		return
	}
	u.more = sub
	if u.members == nil {
		u.members = map[string]member{}
	}
	for _, p := range declared {
		_, there := u.members[p.Name]
		if !there {
			u.members[p.Name] = member{name: p.Name}
		}
	}
}

// add notes an alternative. Those that change nothing count as well: a value that fits them is left alone.
func (u *undo) add(declared node, sub *undo) {
	u.any = append(u.any, alternative{declared, sub})
}

// arguments changes a model's arguments back. What is not JSON stays as it is.
func (u *undo) arguments(args json.RawMessage) json.RawMessage {
	if u == nil || len(args) == 0 {
		return args
	}
	n, ok := parse(args)
	if !ok || !u.apply(&n) {
		return args
	}
	return n.AppendCompact(make([]byte, 0, len(args)))
}

// apply changes a value in place and tells whether it did.
func (u *undo) apply(n *node) bool {
	if u == nil {
		return false
	}
	switch {
	case n.Kind == rawjson.KindString && u.text:
		return become(n, n.Content())
	case n.Kind == rawjson.KindString && u.values[n.Content()] != "":
		return become(n, u.values[n.Content()])
	case len(u.any) > 0:
		return u.fit(n).apply(n)
	case n.Kind == rawjson.KindArray:
		return u.eachItem(n)
	case n.Kind == rawjson.KindObject && (u.members != nil || u.more != nil):
		return u.rename(n)
	}
	return false
}

func (u *undo) eachItem(n *node) bool {
	changed := false
	for i := range n.Kids {
		of := u.items
		if i < len(u.tuple) {
			of = u.tuple[i]
		}
		if of.apply(&n.Kids[i]) {
			changed = true
		}
	}
	return changed
}

// become replaces a text by the object, list or scalar that it spells.
func become(n *node, spelling string) bool {
	v, ok := parse([]byte(spelling))
	if ok {
		v.Name = n.Name
		*n = v
	}
	return ok
}

// rename gives an object the members that the schema knows, and leaves out what only strictness demanded.
func (u *undo) rename(n *node) bool {
	changed := false
	var kids []node
	for _, k := range n.Kids {
		m, ok := u.members[k.Name]
		if !ok {
			if u.more.apply(&k) {
				changed = true
			}
			kids = append(kids, k)
			continue
		}
		if m.drop && k.Kind == rawjson.KindNull {
			changed = true
			continue
		}
		if m.undo.apply(&k) || k.Name != m.name {
			changed = true
		}
		k.Name = m.name
		kids = append(kids, k)
	}
	n.Kids = kids
	return changed
}

// fit is the undo of the first alternative that the value has the form of, nil if it has none: then the tool's own
// schema says what is wrong.
func (u *undo) fit(n *node) *undo {
	for _, a := range u.any {
		if fits(&a.schema, n) {
			return a.undo
		}
	}
	return nil
}

// fits compares a value with a declared schema as far as alternatives need to be told apart: by type, by listed values,
// by the names of members. Bounds and patterns are for the tool's own schema to judge.
func fits(schema, n *node) bool {
	if alts := schema.Get("anyOf"); alts != nil {
		for i := range alts.Kids {
			if fits(&alts.Kids[i], n) {
				return true
			}
		}
		return false
	}
	if t := schema.Get("type"); t != nil && !hasType(textsOf(t), n) {
		return false
	}
	if list := schema.Get("enum"); list != nil && !listed(list.Kids, n) {
		return false
	}
	props := schema.Get("properties")
	if n.Kind != rawjson.KindObject || props == nil {
		return true
	}
	for _, r := range textsOf(schema.Get("required")) {
		if n.Get(r) == nil {
			return false
		}
	}
	for i := range n.Kids {
		p := props.Get(n.Kids[i].Name)
		if p == nil || !fits(p, &n.Kids[i]) {
			return false
		}
	}
	return true
}

func hasType(types []string, n *node) bool {
	for _, t := range types {
		if is(*n, t) {
			return true
		}
	}
	return false
}

// listed tells whether a scalar is one of the values, however either is spelled.
func listed(values []node, n *node) bool {
	return slices.ContainsFunc(values, func(v node) bool {
		if v.Kind == rawjson.KindString {
			return n.Kind == v.Kind && n.Content() == v.Content()
		}
		return n.Kind == v.Kind && n.Text == v.Text
	})
}
