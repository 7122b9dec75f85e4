package schema

import (
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	fault "github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// alternatives explains a value that matches none of several forms: by the types they want, or by what is wrong with
// the one form that it was surely meant to have.
func (e *explainer) alternatives(err *jsonschema.ValidationError, n *node, path string) {
	var want []string
	var meant []*jsonschema.ValidationError
	for _, c := range err.Causes {
		if t := typeError(c, len(err.InstanceLocation)); t != nil {
			want = append(want, t.Want...)
			continue
		}
		meant = append(meant, c)
	}
	switch {
	case len(meant) == 0:
		slices.Sort(want)
		e.add(path, "want %s, got %s", list(slices.Compact(want), "or"), describe(n))
	case len(meant) == 1:
		e.tell(meant[0])
	default:
		e.add(path, "matches none of the %d allowed forms: %s", len(err.Causes), e.summary(meant))
	}
}

// typeError returns the error of a form that wants another type at this place.
func typeError(err *jsonschema.ValidationError, depth int) *fault.Type {
	if len(err.InstanceLocation) != depth {
		return nil
	}
	switch k := err.ErrorKind.(type) {
	case *fault.Type:
		return k
	case *fault.Reference, *fault.Group:
		if len(err.Causes) == 1 {
			return typeError(err.Causes[0], depth)
		}
	}
	return nil
}

// summary tells the first trouble of each form.
func (e *explainer) summary(forms []*jsonschema.ValidationError) string {
	var parts []string
	for _, f := range forms {
		sub := explainer{root: e.root, clean: e.clean}
		sub.tell(f)
		if len(sub.found) == 0 {
			continue
		}
		slices.SortFunc(sub.found, func(x, y Violation) int { return strings.Compare(x.Path+x.Message, y.Path+y.Message) })
		v := sub.found[0]
		parts = append(parts, strings.TrimPrefix(v.Path+": "+v.Message, ": "))
	}
	slices.Sort(parts)
	parts = slices.Compact(parts)
	const shown = 4 // forms told; more would bury the message
	if len(parts) > shown {
		parts = append(parts[:shown], "…")
	}
	return strings.Join(parts, " | ")
}

// at returns the schema that an error's URL points at.
func (e *explainer) at(url string) *node {
	_, frag, _ := strings.Cut(url, "#")
	r := resolver{root: e.clean}
	if n := r.find("#" + frag); n != nil {
		return n
	}
	return e.clean
}

// wanted says what a missing property should be.
func (e *explainer) wanted(url, name string) string {
	sub := e.at(url).get("properties").get(name)
	t := sub.get("type")
	switch {
	case t.isString():
		return ": want " + t.text
	case t != nil:
		var words []string
		for _, k := range t.kids {
			words = append(words, k.text)
		}
		return ": want " + list(words, "or")
	}
	return ""
}

// known says which names an object takes, for one that it does not: the nearest that is still free, or all.
func (e *explainer) known(url, name string, n *node) string {
	var all, free []string
	if props := e.at(url).get("properties"); props != nil {
		for _, p := range props.kids {
			all = append(all, clip(p.name))
			if n.get(p.name) == nil {
				free = append(free, p.name)
			}
		}
	}
	if near := nearest(name, free); near != "" {
		return "; did you mean " + near + "?"
	}
	if len(all) == 0 {
		return ": none is taken here"
	}
	return ": known are " + list(all, "and")
}
