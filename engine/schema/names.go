package schema

// maxStrange is how many unknown names an object may have and still be mended: with more of them it was meant for
// something else.
const maxStrange = 16

// names gives members the schema's spelling and leaves out what has no meaning. What a closed object does not know then
// stays, and is refused.
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

// rename gives a member the name that it was surely meant to have: one alias or spelling of one absent parameter,
// claimed by no other member.
func (r *repairer) rename(rule *rule, n *node, path string) bool {
	claims := map[int][]int{} // parameter → members
	for i := range n.Kids {
		p := r.meant(rule, n.Kids[i].Name, path)
		if p < 0 || n.Get(rule.props[p].name) != nil {
			continue
		}
		if rule.closed || rule.props[p].required {
			claims[p] = append(claims[p], i)
		}
	}
	changed := false
	for p := range rule.props {
		members := claims[p]
		if len(members) == 1 {
			k := &n.Kids[members[0]]
			r.note(step(path, rule.props[p].name), "given as %s", quote(k.Name))
			k.Name, n.Raw, changed = rule.props[p].name, "", true
			continue
		}
		for _, i := range members {
			r.refuse(step(path, n.Kids[i].Name), "it means "+rule.props[p].name+", and another name that does is given as well: give one of them")
		}
	}
	return changed
}

// meant returns the parameter that a strange name stands for, -1 if none or several.
func (r *repairer) meant(rule *rule, name, path string) int {
	if rule.find(name) >= 0 {
		return -1
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

// isFoldable tells of names whose case and separators mean nothing: not of flags such as -L, which is not -l, and not
// of texts that are no names.
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

// drop leaves out members of a closed object: those that say again what a parameter says, those that mean nothing for
// the work, and, for tools that only read, all others that resemble no parameter. A misspelt name is for the model to
// mend.
func (r *repairer) drop(rule *rule, n *node, path string) bool {
	absent := absentFrom(rule, n)
	kept := make([]node, 0, len(n.Kids))
	for _, k := range n.Kids {
		if rule.find(k.Name) >= 0 || !r.drops(rule, n, &k, path, absent) {
			kept = append(kept, k)
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

func absentFrom(rule *rule, n *node) []string {
	var absent []string
	for i := range rule.props {
		if name := rule.props[i].name; n.Get(name) == nil {
			absent = append(absent, name)
		}
	}
	return absent
}

func sameValue(a, b *node) bool {
	return string(a.AppendCanonical(nil, nil)) == string(b.AppendCanonical(nil, nil))
}
