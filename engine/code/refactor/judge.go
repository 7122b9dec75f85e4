package refactor

import (
	"fmt"
	"slices"
	"strings"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// A ruling is what became of a token.
type ruling int

const (
	other ruling = iota // it means something else
	meant               // it means the definition
	doubt               // nobody can say
)

// A ruled place is one on which a ruling was made.
type ruled struct {
	*syntax.Site
	in   *scan
	what ruling
	why  string // of a doubt
}

// judge decides what each mention means. Every token that is the name has to be explained: as one that means the
// subject, or as one that does not. What cannot be explained is a reason to refuse.
type judge struct {
	*mentions
	alone    bool          // in its package no other type has a member of that name
	together []store.DefID // what one place means besides the subject: they can only be renamed together
	joins    int           // how often such may be added to the group
	rulings  []ruled       // on all places of the name
	next     string        // what to do about those that stay open, where it is more than to edit them by hand
}

// decide rules on every place of the name.
func (p *judge) decide() error {
	p.alone = p.onlyMember()
	for again := true; again; {
		open := len(p.open)
		p.rulings = nil
		for _, f := range p.found {
			p.ruleOn(f, nil)
			p.lang.hides(p.mentions, f)
		}
		p.settle(false)
		if again = len(p.together) > 0; again {
			p.open = p.open[:open]
			if err := p.join(); err != nil {
				return err
			}
		}
	}
	for _, r := range p.rulings {
		if r.what == meant {
			r.in.uses = append(r.in.uses, r.Site)
		}
	}
	return nil
}

// ruleOn rules on every place of the old name in a file but those that skip passes over. Doubts wait for settle.
func (p *judge) ruleOn(f *scan, skip func(*syntax.Site) bool) {
	for s := range f.named(p.old) {
		if skip == nil || !skip(s) {
			what, why := p.rule(f, s)
			p.rulings = append(p.rulings, ruled{s, f, what, why})
		}
	}
}

// join adds to the group what places mean besides it: a value may be of either type.
func (p *judge) join() error {
	p.joins--
	before := len(p.group)
	for _, y := range p.together {
		p.add(y)
	}
	p.together = nil
	if err := p.lang.overrides(p.subject); err != nil {
		return err
	}
	if err := p.hazards(); err != nil {
		return err
	}
	var names []string
	for _, y := range p.group[before:] {
		names = append(names, p.r.Tree.Symbol(y).ID)
	}
	slices.Sort(names)
	p.note("renamed with it, since values may be of several types: " + strings.Join(names, ", "))
	return nil
}

// several turns what is said of values of a union into doubts: it is said of one of their types. What an object has
// itself is of one type.
func (p *judge) several() {
	if !p.unions.mixed() {
		return
	}
	for i := range p.rulings {
		r := &p.rulings[i]
		key := p.lang.property(r.in, r.Site)
		if !r.Dots && !key || r.Def >= 0 || r.what == doubt {
			continue
		}
		switch nameBefore(r.in.src, r.Start-1) {
		case "this", "self", "super":
		default:
			r.what, r.why = doubt, "the value may be of several types"
		}
	}
}

// refusedOpen refuses for the places that are open, if any; why is given their number and the definition.
func (p *judge) refusedOpen(why string) error {
	if len(p.open) == 0 {
		return nil
	}
	sortPlaces(p.open)
	p.open = slices.Compact(p.open)
	return &RefusedError{
		Why:    fmt.Sprintf(why, len(p.open), p.id()),
		Places: p.open,
		Next:   strings.TrimSpace("Nothing was changed. Edit it by hand, these places too. " + p.next),
	}
}

// rule says what the place s of the old name means, and where that is in doubt, why.
func (p *judge) rule(f *scan, s *syntax.Site) (ruling, string) {
	if s.Def >= 0 && p.in[store.At(f.file, s.Def)] {
		return meant, ""
	}
	if what, why, ok := p.lang.special(p, f, s); ok {
		return what, why
	}
	switch {
	case s.Def >= 0 && len(s.Refs) == 0:
		return other, ""
	case s.Def < 0 && p.local:
		return p.ruleLocal(f, s)
	case s.Label:
		return other, ""
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
	case s.Dots && !p.member && p.private:
		return other, ""
	case s.Dots:
		return doubt, "the expression before it was not understood"
	case !s.Key && p.bound(f, s):
		return other, ""
	}
	return p.lang.unread(p, f, s)
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
	return p.lang.bare(p, f, s, p.r.Lookup(u.Name, f.file, p.r.Stands(f.file, u)))
}

// ruleFound rules on what a name that stands alone was found to be.
func (p *judge) ruleFound(s *syntax.Site, found meaning.Found) (ruling, string) {
	what := p.among(found.Value.Symbols)
	switch {
	case s.Key && what != other:
		return doubt, "it may be a key or a field"
	case found.Value.Kind != meaning.SymbolValue:
		return other, ""
	case what == doubt:
		return doubt, "it may mean several definitions"
	}
	return what, ""
}

// ruleMember rules on a name behind a dot.
func (p *judge) ruleMember(f *scan, s *syntax.Site, u *store.Ref, qualifier string) (ruling, string) {
	r := p.r
	v := r.Value(u.Qual, f.file, r.Stands(f.file, u))
	switch v.Kind {
	case meaning.UnknownValue:
		return p.unknownMember(f, s)
	case meaning.ExternalValue:
		if !p.lang.outside(p.subject, f.file, r.Stands(f.file, u), qualifier) {
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
	case p.lang.opens(p.subject, v):
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
		known := w.Kind == meaning.SymbolValue
		switch {
		case known && p.among(w.Symbols) == meant:
			yes++
		case known && p.among(w.Symbols) == doubt:
			return doubt, "it may mean several definitions"
		case !known && (w.Kind == meaning.UnknownValue || p.lang.loose(p.subject, f, y)):
			// A value that has such a member all the same is of another type there: by instanceof, isinstance, a kind.
			return p.unknownMember(f, s)
		default:
			no++
		}
	}
	switch {
	case yes > 0 && no > 0:
		return doubt, "the value may be of several types"
	case yes > 0:
		return meant, ""
	case s.Key: // no field: perhaps the key of a map
		return p.ruleMapKey(f, s, v, u)
	}
	return other, ""
}

// unknownMember rules on a member of a value of which nothing is known.
func (p *judge) unknownMember(f *scan, s *syntax.Site) (ruling, string) {
	switch {
	case !p.member && p.lang.passes(p.subject, f):
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

// ruleMapKey rules on a key of a literal whose type has no such field.
func (p *judge) ruleMapKey(f *scan, s *syntax.Site, v meaning.Value, u *store.Ref) (ruling, string) {
	for _, y := range v.Symbols {
		if p.r.Def(y).Kind == syntax.Struct {
			return other, ""
		}
	}
	if p.member {
		return other, ""
	}
	bare := &store.Ref{Name: u.Name, Use: u.Use, From: u.From, Line: u.Line}
	return p.ruleBare(f, &syntax.Site{Name: s.Name, From: s.From}, bare)
}

// counted rules on a number of things of which some are meant.
func counted(meantOnes, all int) ruling {
	switch meantOnes {
	case 0:
		return other
	case all:
		return meant
	}
	return doubt
}
