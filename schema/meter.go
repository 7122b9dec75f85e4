package schema

import "strings"

// A meter counts how many schemas the library is going to evaluate, before it does: the library itself cannot be
// stopped. It counts generously and stops at maxEvaluations.
type meter struct {
	resolver
	patterns map[string]pattern
	steps    int
}

func (m *meter) run(sch, n *node) bool {
	if m.steps++; m.steps > maxEvaluations {
		return false
	}
	if sch.kind != objectKind {
		return true
	}
	for i := range sch.kids {
		if !m.keyword(&sch.kids[i], sch, n) {
			return false
		}
	}
	return true
}

func (m *meter) keyword(k, sch, n *node) bool {
	switch {
	case isReference(k.name) && k.isString():
		target := m.find(k.text)
		return target == nil || m.run(target, n)
	case k.name == "properties":
		return m.members(k, n)
	case k.name == "patternProperties":
		return m.all(k, n)
	case k.name == "uniqueItems":
		m.steps += pairs(n)
		return m.steps <= maxEvaluations
	case k.name == "enum":
		m.steps += len(k.kids) / 16
		return true
	case k.name == "pattern" && n.kind == stringKind:
		m.steps += m.patterns[k.text].cost(len(n.text))
		return m.steps <= maxEvaluations
	}
	h, same := holdsOf(k.name)
	if h == holdsNone || strings.Contains(k.name, "def") {
		return true
	}
	return k.held(h, func(sub *node) error {
		ok := true
		if same {
			ok = m.run(sub, n)
		} else {
			ok = m.kids(sub, n)
		}
		if !ok {
			return errLoop
		}
		return nil
	}) == nil
}

// pairs is what telling the items of an array apart may cost: the library hashes them, but nested ones can be built to
// collide.
func pairs(n *node) int {
	for i := range n.kids {
		if n.kids[i].kind >= arrayKind {
			return len(n.kids) * len(n.kids) / 16
		}
	}
	return len(n.kids)
}

// members meters the declared properties that are there.
func (m *meter) members(props, n *node) bool {
	for i := range n.kids {
		if sub := props.get(n.kids[i].name); sub != nil && n.kind == objectKind && !m.run(sub, &n.kids[i]) {
			return false
		}
	}
	return true
}

// all meters every member against every schema of an object.
func (m *meter) all(subs, n *node) bool {
	for i := range subs.kids {
		for j := range n.kids {
			m.steps += m.patterns[subs.kids[i].name].cost(len(n.kids[j].name))
		}
		if !m.kids(&subs.kids[i], n) {
			return false
		}
	}
	return true
}

func (m *meter) kids(sub, n *node) bool {
	for i := range n.kids {
		if !m.run(sub, &n.kids[i]) {
			return false
		}
	}
	return true
}
