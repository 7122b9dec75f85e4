package schema

import "slices"

// maxStrange is how many unknown names an object may have and still be mended: with more of them it was meant for
// something else.
const maxStrange = 16

// names gives members the schema's spelling and drops what a closed object does not know.
func (r *repairer) names(rule *rule, n *node, path string, top bool) bool {
	var strange []int
	for i := range n.Kids {
		if rule.find(n.Kids[i].Name) < 0 {
			strange = append(strange, i)
		}
	}
	if len(strange) == 0 || len(strange) > maxStrange || len(rule.props) == 0 && !rule.closed {
		return false
	}
	changed := r.rename(rule, n, path, top, strange)
	return rule.closed && r.drop(rule, n, path) || changed
}

// rename gives a member the name that it was surely meant to have: one alias or spelling of one absent parameter,
// claimed by no other member.
func (r *repairer) rename(rule *rule, n *node, path string, top bool, strange []int) bool {
	claims := map[int][]int{} // parameter → members
	for _, i := range strange {
		if p := r.meant(rule, n.Kids[i].Name, top); p >= 0 && (rule.closed || rule.props[p].required) && n.Get(rule.props[p].name) == nil {
			claims[p] = append(claims[p], i)
		}
	}
	changed := false
	for p := range rule.props {
		if members := claims[p]; len(members) == 1 {
			k := &n.Kids[members[0]]
			r.note(step(path, rule.props[p].name), "given as %s", quote(k.Name))
			k.Name, n.Raw, changed = rule.props[p].name, "", true
		}
	}
	return changed
}

// meant returns the parameter that a name stands for, -1 if none or several.
func (r *repairer) meant(rule *rule, name string, top bool) int {
	if top {
		if p := rule.find(r.aliases[name]); p >= 0 {
			return p
		}
	}
	folded, found := fold(name), -1
	if len(name) > maxQuote {
		return -1
	}
	for i := range rule.props {
		if fold(rule.props[i].name) != folded {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	if found >= 0 || !top {
		return found
	}
	for from, to := range r.aliases {
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

// drop removes members that a closed object does not know, but none that looks like an absent parameter: a misspelt
// name is for the model to mend.
func (r *repairer) drop(rule *rule, n *node, path string) bool {
	var absent []string
	for _, p := range rule.props {
		if n.Get(p.name) == nil {
			absent = append(absent, p.name)
		}
	}
	before := len(n.Kids)
	n.Kids = slices.DeleteFunc(n.Kids, func(k node) bool {
		if r.keep || rule.find(k.Name) >= 0 || nearest(k.Name, absent) != "" || r.clashes(rule, n, &k) {
			return false
		}
		r.note(step(path, k.Name), "dropped: no such parameter")
		return true
	})
	if len(n.Kids) == before {
		return false
	}
	n.Raw, r.dropped = "", true
	return true
}

// clashes says whether a member spells a parameter that is there as well, with another value: which one counts is not
// ours to choose.
func (r *repairer) clashes(rule *rule, n, k *node) bool {
	p := r.meant(rule, k.Name, true)
	if p < 0 {
		return false
	}
	other := n.Get(rule.props[p].name)
	return other == nil || string(other.AppendCanonical(nil, nil)) != string(k.AppendCanonical(nil, nil))
}
