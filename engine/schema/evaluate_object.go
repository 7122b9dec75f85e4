package schema

import rawjson "helve/internal/json"

// object judges by the keywords for objects.
func (e *evaluator) object(k, sch, n *node, s *spot, m marks) bool {
	switch k.Name {
	case "minProperties", "maxProperties":
		return e.length(k, len(n.Kids), "property", s)
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

// required tells of each name that is missing, with the type that it wants: a model that reads it
// can send the call again without asking for the schema.
func (e *evaluator) required(k, sch, n *node, s *spot) bool {
	ok := true
	for i := range k.Kids {
		name := k.Kids[i].Text
		if !e.spend(len(n.Kids) / 16) {
			return false
		}
		if n.Get(name) != nil {
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
	t := sch.Get("properties").Get(name).Get("type")
	switch {
	case t.IsString():
		return ": want " + t.Text
	case t != nil:
		var words []string
		for _, k := range t.Kids {
			words = append(words, k.Text)
		}
		return ": want " + list(words, "or")
	}
	return ""
}

// properties judges the members that the schema declares, each by its own schema.
func (e *evaluator) properties(k, n *node, s *spot, m marks) bool {
	ok := true
	for i := range n.Kids {
		if !e.spend(len(k.Kids) / 16) {
			return false
		}
		sub := k.Get(n.Kids[i].Name)
		if sub == nil {
			continue
		}
		m.set(i)
		if ok = e.schema(sub, &n.Kids[i], s.kid(n, i), nil) && ok; !ok && e.quiet {
			return false
		}
	}
	return ok
}

// patterned judges the members whose names match a pattern, by the schema of every one that matches.
func (e *evaluator) patterned(k, n *node, s *spot, m marks) bool {
	ok := true
	for i := range n.Kids {
		for j := range k.Kids {
			if !e.matches(k.Kids[j].Name, n.Kids[i].Name) {
				continue
			}
			m.set(i)
			if ok = e.schema(&k.Kids[j], &n.Kids[i], s.kid(n, i), nil) && ok; !ok && e.quiet {
				return false
			}
		}
	}
	return ok && !e.over
}

// additional judges the members that neither properties nor patternProperties speak of.
func (e *evaluator) additional(k, sch, n *node, s *spot, m marks) bool {
	ok := true
	props, patterns := sch.Get("properties"), sch.Get("patternProperties")
	for i := range n.Kids {
		if e.spoken(props, patterns, n.Kids[i].Name) {
			continue
		}
		m.set(i)
		if ok = e.other(k, sch, n, i, s) && ok; !ok && (e.quiet || e.over) {
			return false
		}
	}
	return ok
}

// spoken tells that properties or patternProperties speak of a name.
func (e *evaluator) spoken(props, patterns *node, name string) bool {
	if props != nil && (!e.spend(len(props.Kids)/16) || props.Get(name) != nil) {
		return true
	}
	if patterns == nil {
		return false
	}
	for i := range patterns.Kids {
		if e.matches(patterns.Kids[i].Name, name) {
			return true
		}
	}
	return false
}

// other judges a kid that the schema's own keywords left over.
func (e *evaluator) other(k, sch, n *node, i int, s *spot) bool {
	at := s.kid(n, i)
	if n.Kind == rawjson.KindObject && k.Kind == rawjson.KindFalse {
		if e.quiet {
			return false
		}
		if props := sch.Get("properties"); props != nil && !e.spend(len(props.Kids)) {
			return false
		}
		e.tell(unknown(at.path(), sch, n, n.Kids[i].Name))
		return false
	}
	return e.schema(k, &n.Kids[i], at, nil)
}

// unknown is the problem of a name that an object does not take: which it takes, and the nearest
// that is still free.
func unknown(path string, sch, n *node, name string) problem {
	p := problem{Violation: Violation{Path: path, Message: "unknown property"}}
	var all, free []string
	if props := sch.Get("properties"); props != nil {
		for _, k := range props.Kids {
			all = append(all, clip(k.Name))
			if n.Get(k.Name) == nil {
				free = append(free, k.Name)
			}
		}
	}
	if near := nearest(name, free); near != "" {
		p.Message += "; did you mean " + near + "?"
	}
	if len(all) == 0 {
		p.Message += ": none is taken here"
	}
	p.known = list(all, "and")
	return p
}

// names judges the names themselves, as texts, by propertyNames.
func (e *evaluator) names(k, n *node, s *spot) bool {
	ok := true
	for i := range n.Kids {
		if e.silently(k, &node{Kind: rawjson.KindString, Text: n.Kids[i].Name}, nil) {
			continue
		}
		ok = e.say(s, "property name %s is not allowed", quote(n.Kids[i].Name))
	}
	return ok
}

// dependent judges by what the presence of a member asks for: other members, or a schema for the
// whole.
func (e *evaluator) dependent(k, n *node, s *spot, m marks) bool {
	ok := true
	for i := range k.Kids {
		given := &k.Kids[i]
		if !e.spend(len(n.Kids)/16) || n.Get(given.Name) == nil {
			continue
		}
		if given.Kind != rawjson.KindArray {
			ok = e.schema(given, n, s, m) && ok
			continue
		}
		for j := range given.Kids {
			if name := given.Kids[j].Text; e.spend(len(n.Kids)/16) && n.Get(name) == nil {
				ok = e.say(&spot{up: s, name: name}, "required together with %s, but missing", quote(given.Name))
			}
		}
	}
	return ok && !e.over
}
