package schema

import (
	"slices"
	"strings"
)

// value brings a value into the form that the rule asks for, where only one reading exists. It says whether anything
// changed; a changed node loses its spelling.
func (r *repairer) value(rule *rule, n *node, path string, depth int) bool {
	inner, _ := rule.plain()
	if inner == nil || depth > MaxDepth {
		return false
	}
	want, changed := rule.wants(), false
	if want != 0 && !want.has(n.types()) {
		if changed = r.convert(inner, want, n, path, depth); !changed {
			return false
		}
	}
	return r.inside(inner.form(n), n, path, depth) || changed
}

// form returns the rule for a value of this kind: the only alternative that takes it, if there are several.
func (r *rule) form(n *node) *rule {
	if len(r.either) == 0 {
		return r
	}
	var fits *rule
	for _, e := range r.either {
		if t := e.wants(); t != 0 && !t.has(n.types()) {
			continue
		}
		if fits != nil {
			return r
		}
		fits, _ = e.plain()
	}
	if fits == nil || len(fits.either) > 0 || len(r.props) > 0 || r.items != nil {
		return r
	}
	return fits
}

// inside repairs what a value of the right type holds.
func (r *repairer) inside(rule *rule, n *node, path string, depth int) bool {
	switch n.kind {
	case stringKind:
		return r.enum(rule, n, path)
	case arrayKind:
		if rule.items == nil {
			return false
		}
		changed := false
		for i := range n.kids {
			changed = r.value(rule.items, &n.kids[i], stepItem(path, i), depth+1) || changed
		}
		return n.changed(changed)
	case objectKind:
		changed := r.names(rule, n, path, depth == 0)
		changed = r.nulls(rule, n, path) || changed
		for i := range n.kids {
			k := &n.kids[i]
			if sub := rule.child(k.name); sub != nil {
				changed = r.value(sub, k, step(path, k.name), depth+1) || changed
			}
		}
		return n.changed(changed)
	}
	return false
}

func (n *node) changed(is bool) bool {
	if is {
		n.raw = ""
	}
	return is
}

// nulls drops optional parameters that are null and must not be.
func (r *repairer) nulls(rule *rule, n *node, path string) bool {
	before := len(n.kids)
	n.kids = slices.DeleteFunc(n.kids, func(k node) bool {
		if k.kind != nullKind {
			return false
		}
		i := rule.find(k.name)
		if i < 0 || rule.props[i].required || rule.props[i].rule.takesNull() {
			return false
		}
		r.note(step(path, k.name), "null dropped: leave optional parameters out")
		return true
	})
	return len(n.kids) < before
}

func (r *rule) takesNull() bool {
	want := r.wants()
	return want == 0 || want&isNull != 0
}

// enum corrects the case of a listed value.
func (r *repairer) enum(rule *rule, n *node, path string) bool {
	found := ""
	for i := range rule.enum {
		e := &rule.enum[i]
		switch {
		case e.kind != stringKind:
		case e.text == n.text:
			return false
		case strings.EqualFold(e.text, n.text):
			if found != "" {
				return false
			}
			found = e.text
		}
	}
	if found == "" {
		return false
	}
	r.note(path, "%s read as %s", quote(n.text), quote(found))
	n.text, n.raw = found, ""
	return true
}

// convert changes the type of a value to a wanted one.
func (r *repairer) convert(rule *rule, want types, n *node, path string, depth int) bool {
	switch {
	case n.kind == stringKind && r.scalar(want, n, path):
		return true
	case n.kind == stringKind && want&(isArray|isObject) != 0 && r.parsed(n, want, rule, path):
		return true
	case n.kind == numberKind && want&isText != 0:
		r.note(path, "%s read as text", clip(n.text))
		n.kind, n.raw = stringKind, ""
		return true
	case want&isArray != 0 && n.kind != nullKind && n.kind != arrayKind:
		return r.wrap(rule, n, path, depth)
	}
	return false
}

// scalar reads a number or a boolean out of a string.
func (r *repairer) scalar(want types, n *node, path string) bool {
	v := node{name: n.name}
	word := strings.ToLower(n.text)
	switch {
	case want&(isInteger|isNumber) != 0 && isNumeral(n.text):
		v.kind, v.text = numberKind, n.text
		if !want.has(v.types()) {
			return false
		}
	case want&isBool != 0 && (word == "true" || word == "false"):
		v.kind, v.text = boolKind, word
	default:
		return false
	}
	r.note(path, "%s read as %s", quote(n.text), clip(v.text))
	*n = v
	return true
}

func isNumeral(text string) bool {
	n, _ := number([]byte(text))
	return n > 0 && n == len(text) && tooLarge([]byte(text)) == ""
}

// parsed replaces a string by the array or object that it spells. Where the array is one of strings, the text may have
// been meant as its only item: then it must be strict JSON and hold strings.
func (r *repairer) parsed(n *node, want types, rule *rule, path string) bool {
	text := strings.TrimSpace(n.text)
	if text == "" || !strings.ContainsRune("[{`\"", rune(text[0])) {
		return false
	}
	v, m, ok := mendTree([]byte(text))
	if ok && v.kind == stringKind && path == "" { // encoded twice
		v, m, ok = mendTree([]byte(v.text))
	}
	if !ok || m.open || v.kind != arrayKind && v.kind != objectKind || v.types()&want == 0 {
		return false
	}
	if form := rule.listing(); form != nil && form.items.wants()&isText != 0 {
		if len(m.said) > 0 || slices.ContainsFunc(v.kids, func(k node) bool { return k.kind != stringKind }) {
			return false
		}
	}
	kind := "array"
	if v.kind == objectKind {
		kind = "object"
	}
	r.note(path, "text read as the %s that it spells", kind)
	v.name = n.name
	*n = v
	return true
}

// listing returns the rule that describes the items of an array, nil for none.
func (r *rule) listing() *rule {
	r, _ = r.plain()
	if r == nil {
		return nil
	}
	if f := r.form(&node{kind: arrayKind}); f.items != nil {
		return f
	}
	return nil
}

// wrap makes a list of one value, where the items are known to be such.
func (r *repairer) wrap(rule *rule, n *node, path string, depth int) bool {
	form := rule.listing()
	if form == nil || form.items.wants() == 0 {
		return false
	}
	item := *n
	item.name = ""
	notes, more := len(r.notes), r.more
	r.value(form.items, &item, stepItem(path, 0), depth+1)
	if !form.items.wants().has(item.types()) {
		r.notes, r.more = r.notes[:notes], more
		return false
	}
	r.note(path, "one value read as a list of it")
	*n = node{kind: arrayKind, name: n.name, kids: []node{item}}
	return true
}
