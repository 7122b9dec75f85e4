package schema

// object judges by the keywords for objects.
func (e *evaluator) object(k, sch, n *node, s *spot, m marks) bool {
	switch k.name {
	case "minProperties", "maxProperties":
		return e.length(k, len(n.kids), "property", s)
	case "required":
		return e.required(k, sch, n, s)
	case "properties":
		return e.properties(k, n, s, m)
	case "patternProperties":
		return e.patterned(k, n, s, m)
	case "additionalProperties":
		return e.additional(k, sch, n, s, m)
	case "propertyNames":
		return e.names(k, n, s)
	case "dependentRequired", "dependentSchemas", "dependencies":
		return e.dependent(k, n, s, m)
	}
	return true
}

func (e *evaluator) required(k, sch, n *node, s *spot) bool {
	ok := true
	for i := range k.kids {
		name := k.kids[i].text
		if !e.spend(len(n.kids) / 16) {
			return false
		}
		if n.get(name) != nil {
			continue
		}
		if e.quiet {
			return false
		}
		ok = e.say(&spot{up: s, name: name}, "required, but missing%s", wanted(sch, name))
	}
	return ok
}

// wanted says what a missing property should be.
func wanted(sch *node, name string) string {
	t := sch.get("properties").get(name).get("type")
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

func (e *evaluator) properties(k, n *node, s *spot, m marks) bool {
	ok := true
	for i := range n.kids {
		if !e.spend(len(k.kids) / 16) {
			return false
		}
		sub := k.get(n.kids[i].name)
		if sub == nil {
			continue
		}
		m.set(i)
		if ok = e.schema(sub, &n.kids[i], s.kid(n, i), nil) && ok; !ok && e.quiet {
			return false
		}
	}
	return ok
}

func (e *evaluator) patterned(k, n *node, s *spot, m marks) bool {
	ok := true
	for i := range n.kids {
		for j := range k.kids {
			if !e.matches(k.kids[j].name, n.kids[i].name) {
				continue
			}
			m.set(i)
			if ok = e.schema(&k.kids[j], &n.kids[i], s.kid(n, i), nil) && ok; !ok && e.quiet {
				return false
			}
		}
	}
	return ok && !e.over
}

// additional judges the members that neither properties nor patternProperties speak of.
func (e *evaluator) additional(k, sch, n *node, s *spot, m marks) bool {
	ok := true
	props, patterns := sch.get("properties"), sch.get("patternProperties")
	for i := range n.kids {
		if e.spoken(props, patterns, n.kids[i].name) {
			continue
		}
		m.set(i)
		if ok = e.other(k, sch, n, i, s) && ok; !ok && (e.quiet || e.over) {
			return false
		}
	}
	return ok
}

func (e *evaluator) spoken(props, patterns *node, name string) bool {
	if props != nil && (!e.spend(len(props.kids)/16) || props.get(name) != nil) {
		return true
	}
	if patterns == nil {
		return false
	}
	for i := range patterns.kids {
		if e.matches(patterns.kids[i].name, name) {
			return true
		}
	}
	return false
}

// other judges a kid that the schema's own keywords left over.
func (e *evaluator) other(k, sch, n *node, i int, s *spot) bool {
	at := s.kid(n, i)
	if n.kind == objectKind && k.kind == boolKind && k.text == "false" {
		if props := sch.get("properties"); !e.quiet && props != nil && !e.spend(len(props.kids)) {
			return false
		}
		return !e.quiet && e.say(at, "unknown property%s", known(sch, n.kids[i].name, n))
	}
	return e.schema(k, &n.kids[i], at, nil)
}

// known says which names an object takes, for one that it does not: the nearest that is still free, or all.
func known(sch *node, name string, n *node) string {
	var all, free []string
	if props := sch.get("properties"); props != nil {
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

func (e *evaluator) names(k, n *node, s *spot) bool {
	ok := true
	for i := range n.kids {
		if e.silently(k, &node{kind: stringKind, text: n.kids[i].name}, nil) {
			continue
		}
		ok = e.say(s, "property name %s is not allowed", quote(n.kids[i].name))
	}
	return ok
}

// dependent judges by what the presence of a member asks for: other members, or a schema for the whole.
func (e *evaluator) dependent(k, n *node, s *spot, m marks) bool {
	ok := true
	for i := range k.kids {
		given := &k.kids[i]
		if !e.spend(len(n.kids)/16) || n.get(given.name) == nil {
			continue
		}
		if given.kind != arrayKind {
			ok = e.schema(given, n, s, m) && ok
			continue
		}
		for j := range given.kids {
			if name := given.kids[j].text; e.spend(len(n.kids)/16) && n.get(name) == nil {
				ok = e.say(&spot{up: s, name: name}, "required together with %s, but missing", quote(given.name))
			}
		}
	}
	return ok && !e.over
}
