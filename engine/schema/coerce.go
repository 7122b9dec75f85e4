package schema

import (
	"slices"
	"strings"

	rawjson "helve/internal/json"
)

// value brings a value into the form that the rule asks for, where only one reading exists. It says
// whether anything changed; a changed node loses its spelling.
func (r *repairer) value(rule *rule, n *node, path string, depth int) bool {
	inner, _ := rule.plain()
	if inner == nil || depth > MaxDepth {
		return false
	}
	want, changed := rule.wants(), false
	if want != 0 && !want.has(typesOf(n)) {
		if changed = r.convert(inner, want, n, path, depth); !changed {
			return false
		}
	}
	return r.inside(inner.form(n), n, path, depth) || changed
}

// form returns the rule for a value of this kind: the only alternative that takes it, if there are
// several.
func (r *rule) form(n *node) *rule {
	if len(r.either) == 0 {
		return r
	}
	var fits *rule
	for _, e := range r.either {
		if t := e.wants(); t != 0 && !t.has(typesOf(n)) {
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
	switch n.Kind {
	case rawjson.KindString:
		return r.enum(rule, n, path)
	case rawjson.KindArray:
		if rule.items == nil {
			return false
		}
		changed := false
		for i := range n.Kids {
			changed = r.value(rule.items, &n.Kids[i], stepItem(path, i), depth+1) || changed
		}
		return edited(n, changed)
	case rawjson.KindObject:
		changed := r.names(rule, n, path)
		changed = r.nulls(rule, n, path) || changed
		for i := range n.Kids {
			k := &n.Kids[i]
			if sub := rule.child(k.Name); sub != nil {
				changed = r.value(sub, k, step(path, k.Name), depth+1) || changed
			}
		}
		return edited(n, changed)
	}
	return false
}

// edited takes the spelling from a node whose kids have changed: it will be written anew.
func edited(n *node, is bool) bool {
	if is {
		n.Raw = ""
	}
	return is
}

// saidNull is the note about a null that was left out.
const saidNull = "null dropped: leave optional parameters out"

// nulls drops optional parameters that are null and must not be.
func (r *repairer) nulls(rule *rule, n *node, path string) bool {
	before := len(n.Kids)
	n.Kids = slices.DeleteFunc(n.Kids, func(k node) bool {
		if k.Kind != rawjson.KindNull {
			return false
		}
		i := rule.find(k.Name)
		if i < 0 || rule.props[i].required || rule.props[i].rule.takesNull() {
			return false
		}
		r.note(step(path, k.Name), saidNull)
		return true
	})
	return len(n.Kids) < before
}

// takesNull tells that null is a value here and not a way to leave the parameter out.
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
		case e.Kind != rawjson.KindString:
		case e.Text == n.Text:
			return false
		case strings.EqualFold(e.Text, n.Text):
			if found != "" {
				return false
			}
			found = e.Text
		}
	}
	if found == "" {
		return false
	}
	r.note(path, "%s read as %s", quote(n.Text), quote(found))
	n.Text, n.Raw = found, ""
	return true
}

// convert changes the type of a value to a wanted one.
func (r *repairer) convert(rule *rule, want types, n *node, path string, depth int) bool {
	switch {
	case n.Kind == rawjson.KindString && r.scalar(want, n, path):
		return true
	case n.Kind == rawjson.KindString && want&(isArray|isObject) != 0 && r.parsed(n, want, rule, path):
		return true
	case n.Kind == rawjson.KindNumber && want&isText != 0:
		r.note(path, "%s read as text", clip(n.Text))
		n.Kind, n.Raw = rawjson.KindString, ""
		return true
	case want&isArray != 0 && n.Kind != rawjson.KindNull && n.Kind != rawjson.KindArray:
		return r.wrap(rule, n, path, depth)
	}
	return false
}

// scalar reads a number or a boolean out of a string.
func (r *repairer) scalar(want types, n *node, path string) bool {
	v := node{Name: n.Name}
	word := strings.ToLower(n.Text)
	switch {
	case want&(isInteger|isNumber) != 0 && rawjson.IsNumber(n.Text):
		v.Kind, v.Text = rawjson.KindNumber, n.Text
		if !want.has(typesOf(&v)) {
			return false
		}
	case want&isBool != 0 && (word == "true" || word == "false"):
		v.Kind, v.Text = rawjson.Kind(word[0]), word
	default:
		return false
	}
	r.note(path, "%s read as %s", quote(n.Text), clip(v.Text))
	*n = v
	return true
}

// parsed replaces a string by the array or object that it spells. Where the array is one of
// strings, the text may have been meant as its only item: then it must be strict JSON and hold
// strings.
func (r *repairer) parsed(n *node, want types, rule *rule, path string) bool {
	text := strings.TrimSpace(n.Text)
	if text == "" || !strings.ContainsRune("[{`\"", rune(text[0])) {
		return false
	}
	v, m, err := rawjson.Mend([]byte(text))
	if err == nil && v.Kind == rawjson.KindString && path == "" { // encoded twice
		v, m, err = rawjson.Mend([]byte(v.Text))
	}
	if err != nil || m.Open || v.Kind != rawjson.KindArray && v.Kind != rawjson.KindObject || typesOf(&v)&want == 0 {
		return false
	}
	if form := rule.listing(); form != nil && form.items.wants()&isText != 0 {
		if len(m.Said) > 0 || slices.ContainsFunc(v.Kids, func(k node) bool { return k.Kind != rawjson.KindString }) {
			return false
		}
	}
	kind := "array"
	if v.Kind == rawjson.KindObject {
		kind = "object"
	}
	r.note(path, "text read as the %s that it spells", kind)
	v.Name = n.Name
	*n = v
	return true
}

// listing returns the rule that describes the items of an array, nil for none.
func (r *rule) listing() *rule {
	r, _ = r.plain()
	if r == nil {
		return nil
	}
	if f := r.form(&node{Kind: rawjson.KindArray}); f.items != nil {
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
	item.Name = ""
	notes, more := len(r.notes), r.more
	r.value(form.items, &item, stepItem(path, 0), depth+1)
	if !form.items.wants().has(typesOf(&item)) {
		r.notes, r.more = r.notes[:notes], more
		return false
	}
	r.note(path, "one value read as a list of it")
	*n = node{Kind: rawjson.KindArray, Name: n.Name, Kids: []node{item}}
	return true
}
