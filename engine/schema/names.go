package schema

import rawjson "helve/internal/json"

// maxStrange is how many unknown names an object may have and still be mended: with more of them it
// was meant for something else.
const maxStrange = 16

// names gives members the schema's spelling and leaves out what has no meaning. What a closed
// object does not know then stays, and is refused.
func (r *repairer) names(rule *rule, n *node, path string) bool {
	if len(rule.props) == 0 && !rule.closed || !hasStrange(rule, n) {
		return false
	}
	changed := rule.closed && r.translate(rule, n, path)
	changed = r.rename(rule, n, path) || changed
	return rule.closed && r.drop(rule, n, path) || changed
}

// hasStrange tells of members that no parameter is called like, if they are not too many.
func hasStrange(rule *rule, n *node) bool {
	strange := 0
	for i := range n.Kids {
		if rule.find(n.Kids[i].Name) < 0 {
			strange++
		}
	}
	return strange > 0 && strange <= maxStrange
}

// rename gives a member the name that it was surely meant to have: one alias or spelling of one
// absent parameter, claimed by no other member.
func (r *repairer) rename(rule *rule, n *node, path string) bool {
	changed := false
	for i := range n.Kids {
		p := r.claims(rule, n, i, path)
		if p < 0 {
			continue
		}
		name := rule.props[p].name
		if r.contested(rule, n, i, p, path) {
			r.refuse(step(path, n.Kids[i].Name), "it means "+name+", and so does another name: give one of them")
			continue
		}
		k := &n.Kids[i]
		r.note(step(path, name), "given as %s", quote(k.Name))
		k.Name, n.Raw, changed = name, "", true
	}
	return changed
}

// claims returns the absent parameter that the i-th member surely means, -1 if there is none.
func (r *repairer) claims(rule *rule, n *node, i int, path string) int {
	p := r.meant(rule, n.Kids[i].Name, path)
	if p < 0 || n.Get(rule.props[p].name) != nil {
		return -1
	}
	if !rule.closed && !rule.props[p].required {
		return -1
	}
	return p
}

// contested tells that another member than the i-th means the parameter, too.
func (r *repairer) contested(rule *rule, n *node, i, p int, path string) bool {
	for j := range n.Kids {
		if j != i && r.meant(rule, n.Kids[j].Name, path) == p {
			return true
		}
	}
	return false
}

// meant returns the parameter that a strange name stands for, -1 if none or several.
func (r *repairer) meant(rule *rule, name, path string) int {
	if rule.find(name) >= 0 {
		return -1
	}
	name = seen(name)
	if p := rule.find(name); p >= 0 {
		return p
	}
	if path == "" {
		if p := rule.find(r.leeway.Names[name]); p >= 0 {
			return p
		}
	}
	folded := fold(name)
	if !isFoldable(name, folded) {
		return -1
	}
	found := -1
	for i := range rule.props {
		if fold(rule.props[i].name) != folded {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	if found >= 0 || path != "" {
		return found
	}
	return r.alias(rule, folded)
}

// seen is a name without the characters that nobody sees: who reads it takes it for the name that is
// left.
func seen(name string) string {
	if len(name) > maxQuote {
		return name
	}
	visible, _ := rawjson.Visible(name)
	return visible
}

// isFoldable tells of names whose case and separators mean nothing: not of flags such as -L, which
// is not -l, and not of texts that are no names.
func isFoldable(name, folded string) bool { return len(folded) > 1 && len(name) <= maxQuote }

// alias returns the parameter that a folded name is another one of, -1 if none or several.
func (r *repairer) alias(rule *rule, folded string) int {
	found := -1
	for from, to := range r.leeway.Names {
		p := rule.find(to)
		if p < 0 || fold(from) != folded {
			continue
		}
		if found >= 0 && p != found {
			return -1
		}
		found = p
	}
	return found
}

// drop leaves out members of a closed object: those that say again what a parameter says, those
// that mean nothing for the work, and, for tools that only read, all others that resemble no
// parameter. A misspelt name is for the model to mend.
func (r *repairer) drop(rule *rule, n *node, path string) bool {
	if !hasStrange(rule, n) {
		return false
	}
	absent := absentFrom(rule, n)
	kept := make([]node, 0, len(n.Kids))
	for i := range n.Kids {
		k := &n.Kids[i]
		if rule.find(k.Name) >= 0 || !r.drops(rule, n, k, path, absent) {
			kept = append(kept, *k)
		}
	}
	if len(kept) == len(n.Kids) {
		return false
	}
	n.Kids, n.Raw = kept, ""
	return true
}

// drops tells whether one strange member may be left out, and notes what must be told of it.
func (r *repairer) drops(rule *rule, n, k *node, path string, absent []string) bool {
	at := step(path, k.Name)
	if r.why[shortPath(at)] != "" { // it is refused already
		return false
	}
	if p := r.meant(rule, k.Name, path); p >= 0 {
		name := rule.props[p].name
		given := n.Get(name)
		switch {
		case given == nil: // two claim it, and are refused
			return false
		case sameValue(given, k):
			r.note(at, "says what %s says", name)
			return true
		}
		r.refuse(at, "it means "+name+", which is given as well: give one of them")
		return false
	}
	_, _, spelled := r.spelling(path, k.Name)
	switch {
	case spelled, nearest(k.Name, absent) != "":
		return false
	case isIdle(k.Name):
		return true
	case r.leeway.Ignore && len(r.ignored) < maxNotes:
		r.ignored = append(r.ignored, shortPath(at))
		return true
	}
	return false
}

// absentFrom are the parameters that a misspelt name may have meant: none that is given.
func absentFrom(rule *rule, n *node) []string {
	absent := make([]string, 0, len(rule.props))
	for i := range rule.props {
		if name := rule.props[i].name; n.Get(name) == nil {
			absent = append(absent, name)
		}
	}
	return absent
}

// sameValue compares by value, not by spelling: 1.0 is 1, and members have no order.
func sameValue(a, b *node) bool {
	return string(a.AppendCanonical(nil, nil)) == string(b.AppendCanonical(nil, nil))
}
