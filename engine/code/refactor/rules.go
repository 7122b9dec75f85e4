package refactor

import (
	"slices"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// rule says what the place s of the old name means, and where that is in doubt, why.
func (p *judge) rule(f *scan, s *syntax.Site) (ruling, string) {
	if s.Def >= 0 {
		if p.in[store.At(f.file, s.Def)] {
			return meant, ""
		}
		if p.literal(f, s) {
			return p.ruleProperty(f, s)
		}
		if len(s.Refs) == 0 {
			return other, ""
		}
	}
	if p.local && s.Def < 0 {
		return p.ruleLocal(f, s)
	}
	if p.member && p.lang == syntax.JavaScript && isProperty(f, s) {
		return p.ruleProperty(f, s)
	}
	if p.parameterOf(f, s) {
		return p.ruleParameter(f, s)
	}
	switch {
	case s.Label:
		return other, ""
	case s.Owner:
		return p.ruleOwner(f)
	case s.Nameless:
		return p.ruleNameless()
	case s.Imported:
		return p.ruleImport(f, s)
	case len(s.Refs) == 0:
		return p.ruleUnread(f, s)
	}
	what, why := p.ruleRef(f, s, &s.Refs[0])
	for i := range s.Refs[1:] {
		if again, reason := p.ruleRef(f, s, &s.Refs[1+i]); again != what {
			return doubt, "it can be read in two ways" + reason
		}
	}
	return what, why
}

// ruleLocal rules on a name in the file of a definition that stands in a function. Inside that function the name may
// have no other meaning.
func (p *judge) ruleLocal(f *scan, s *syntax.Site) (ruling, string) {
	y := p.group[0]
	parent := p.r.Def(y).Parent
	switch {
	case s.Dots || !p.holds(f.file, parent, s.From):
		return other, ""
	case len(s.Refs) == 0 && isProperty(f, s):
		return other, ""
	case len(s.Refs) == 0 || s.Refs[0].Qualifier != 0:
		return doubt, "this place was not understood"
	}
	binds, defs := 0, 0
	for _, b := range f.binds {
		if b.Name == p.old && p.holds(f.file, parent, b.From) {
			binds++
		}
	}
	for _, z := range p.group {
		if p.r.Def(z).Parent == parent {
			defs++
		}
	}
	u := store.Ref{Name: p.oldName, Use: s.Refs[0].Use, From: s.Refs[0].From, Line: s.Refs[0].Line}
	if binds > defs || p.among(p.r.Lookup(u.Name, f.file, p.r.Stands(f.file, &u)).Value.Symbols) != meant {
		return doubt, "another local name is called like it"
	}
	return meant, ""
}

// ruleUnread rules on a token that the reader of the language passed by.
func (p *judge) ruleUnread(f *scan, s *syntax.Site) (ruling, string) {
	switch {
	case s.Key:
		return p.ruleKey(f, s)
	case s.Dots && !p.member && !p.reachedByDot():
		return other, ""
	case s.Dots:
		return doubt, "the expression before it was not understood"
	case p.bound(f, s):
		return other, ""
	case p.lang == syntax.JavaScript:
		return p.ruleUnreadScript(f, s)
	case p.lang == syntax.Python && (s.After == '=' || s.After == ':') && !s.First:
		if p.member {
			return p.ruleArgument(f, s)
		}
		return other, "" // the name of a parameter
	case !p.member && p.samePackage(f.file):
		return doubt, "this place was not understood"
	case !p.member && p.lang != syntax.Go && p.mentionsImport(f):
		return doubt, "this place was not understood"
	}
	return other, ""
}

// ruleRef rules on a reference.
func (p *judge) ruleRef(f *scan, s *syntax.Site, row *syntax.Ref) (ruling, string) {
	u := store.Ref{Name: p.oldName, Use: row.Use, From: row.From, Line: row.Line}
	if row.Qualifier == 0 {
		return p.ruleBare(f, s, &u)
	}
	text := p.x.Names.Text(row.Qualifier)
	y, ok := p.r.Tree.Lex.Find(text)
	if !ok {
		return p.unknownMember(f, s)
	}
	u.Qual = y
	return p.ruleMember(f, s, &u, text)
}

// ruleBare rules on a name that stands alone.
func (p *judge) ruleBare(f *scan, s *syntax.Site, u *store.Ref) (ruling, string) {
	found := p.r.Lookup(u.Name, f.file, p.r.Stands(f.file, u))
	what := p.among(found.Value.Symbols)
	if p.lang == syntax.JavaScript && slices.ContainsFunc(found.Value.Symbols, p.noScope) {
		return doubt, "it may mean a member of what is around it"
	}
	switch {
	case s.Key && what != other:
		return doubt, "it may be a key or a field"
	case found.Value.Kind != meaning.SymbolValue || what == other:
		if !p.member && p.samePackage(f.file) && p.lang == syntax.Go && !otherMeaning(found) {
			return doubt, "it was not found what this means"
		}
		return other, ""
	case what == doubt:
		return doubt, "it may mean several definitions"
	}
	if p.lang != syntax.Go {
		if alias, ok := p.alias(f.file); ok {
			return alias, "an import gives it this name"
		}
		if p.bound(f, s) { // of a name that is bound later, or only sometimes, the reader knows too little
			return doubt, "a local name is called like it"
		}
	}
	return meant, ""
}

// otherMeaning reports whether a lookup found something: a local type, a package, a definition.
func otherMeaning(f meaning.Found) bool {
	return f.Value.Kind == meaning.SymbolValue || f.Value.Kind == meaning.ModuleValue || f.Value.Kind == meaning.ExternalValue && f.Level == meaning.Imported
}

// ruleMember rules on a name behind a dot.
func (p *judge) ruleMember(f *scan, s *syntax.Site, u *store.Ref, qualifier string) (ruling, string) {
	r := p.r
	v := r.Value(u.Qual, f.file, r.Stands(f.file, u))
	switch v.Kind {
	case meaning.UnknownValue:
		return p.unknownMember(f, s)
	case meaning.ExternalValue:
		if !p.outside(f.file, r.Stands(f.file, u), qualifier) {
			return p.unknownMember(f, s)
		}
		return other, ""
	case meaning.ModuleValue:
		return p.ruleModule(f, v, u)
	case meaning.SymbolValue:
		return p.ruleStep(f, s, v, u)
	}
	if s.Key { // of a list: the name before the colon is no field
		return p.ruleBare(f, s, &store.Ref{Name: u.Name, Use: u.Use, From: u.From, Line: u.Line})
	}
	return other, "" // a list or a function has no such member
}

// ruleModule rules on a member of a module or package.
func (p *judge) ruleModule(f *scan, v meaning.Value, u *store.Ref) (ruling, string) {
	w := p.r.Step(v, u.Name)
	switch {
	case w.Kind == meaning.SymbolValue:
		what := p.among(w.Symbols)
		if what == doubt {
			return doubt, "it may mean several definitions"
		}
		return what, ""
	case p.lang == syntax.Python && !p.member && slices.Contains(v.Files, p.group[0].File):
		return doubt, "the module may have this name"
	}
	return other, ""
}

// ruleStep rules on a member of a value whose type is known.
func (p *judge) ruleStep(f *scan, s *syntax.Site, v meaning.Value, u *store.Ref) (ruling, string) {
	if v.Level >= meaning.Unique {
		return p.unknownMember(f, s)
	}
	yes, no := 0, 0
	for _, y := range v.Symbols {
		w := p.r.MemberOf(y, u.Name)
		switch {
		case w.Kind == meaning.SymbolValue && p.among(w.Symbols) == meant:
			yes++
		case w.Kind == meaning.SymbolValue && p.among(w.Symbols) == doubt:
			return doubt, "it may mean several definitions"
		case w.Kind == meaning.SymbolValue:
			no++
		case w.Kind == meaning.UnknownValue:
			return p.unknownMember(f, s)
		default:
			// A value that has such a member all the same is of another type there: by instanceof, isinstance, a kind.
			if p.lang != syntax.Go && p.member || p.mayInherit(y) && p.hasModule(f) {
				return p.unknownMember(f, s)
			}
			no++
		}
	}
	switch {
	case yes > 0 && no > 0:
		return doubt, "the value may be of several types"
	case yes > 0:
		return meant, ""
	case s.Key && p.lang == syntax.Go: // no field: perhaps the key of a map
		return p.ruleMapKey(f, s, v, u)
	}
	return other, ""
}

// mayInherit reports whether the type of y has bases of outside the tree, which have members that are not known.
func (p *subject) mayInherit(y store.DefID) bool {
	if p.lang == syntax.Go {
		return false // what an embedded type of outside has is none of the tree's
	}
	return !p.r.Def(y).Kind.Type() && p.r.Def(y).Type == 0
}

// unknownMember rules on a member of a value of which nothing is known.
func (p *judge) unknownMember(f *scan, s *syntax.Site) (ruling, string) {
	switch {
	case !p.member && p.hasModule(f):
		return doubt, "the value before the dot may be made of the module"
	case !p.member:
		return other, "" // a value has members only
	case !p.canReach(f.file):
		return other, ""
	case s.Key && p.r.Def(p.group[0]).Kind != syntax.Field:
		return other, ""
	case p.alone && p.file(f.file).Dir() == p.home:
		return meant, ""
	}
	return doubt, "nothing is known of the value before the dot"
}

// outside reports whether an expression that leads out of the tree stays there: what it gives cannot be a value of the
// tree's types, as it could be where code of others is generic.
func (p *subject) outside(n, from int32, expr string) bool {
	if p.lang != syntax.Go {
		return p.outsideScript(n, expr)
	}
	return p.leaves(n, from, expr, maxOutside)
}
