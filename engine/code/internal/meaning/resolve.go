package meaning

import (
	"context"
	"slices"
	"strings"

	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// Target is what a reference may mean.
type Target struct {
	store.DefID
	Sure Confidence
}

// maxResolveDepth bounds the types looked at for one name: bases of bases, fields of fields.
const maxResolveDepth = 24

// An evaluator finds what references and expressions mean. It remembers what it found, for one question, and its parts
// do so of what they are asked. Not safe for concurrent use.
type evaluator struct {
	Tree  *store.Snapshot
	Clock store.Clock
	table *rulesTable

	parts

	values map[place]Value
	steps  map[memberKey]Value
	depth  int

	Lost    int // references that were given up: any type may have a member of their name
	Cutoff  int // references that mean more than is followed
	nowhere int // references that nothing explains: no definition that they can see, and no import from elsewhere

	Star   uint32 // the name "*"; 0: nothing imports all of a module
	recent [recentFiles]recentFile
}

// parts are those of an evaluator. Each asks it, and by way of it the others: what a name means depends on members,
// these on the bases of types, and these on names.
type parts struct {
	scopes    *scopes    // what names mean that stand alone
	members   *members   // what names mean behind a value or a type
	modules   *modules   // what imports bring
	narrowing *narrowing // what a member of an unknown receiver may be
}

// begin forgets all that was found. Nothing more is found when ctx ends.
func (r *evaluator) begin(ctx context.Context, s *store.Snapshot, table *rulesTable) {
	star, _ := s.Lex.Find("*")
	if r.scopes == nil {
		r.parts = parts{&scopes{}, &members{}, &modules{}, &narrowing{}}
	}
	*r = evaluator{
		Tree:   s,
		Clock:  store.Clock{Context: ctx},
		table:  table,
		parts:  r.parts,
		values: map[place]Value{},
		steps:  map[memberKey]Value{},
		Star:   star,
	}
	*r.scopes = scopes{evaluator: r, names: map[nameKey]Found{}}
	*r.members = newMembers(r)
	*r.modules = modules{evaluator: r, files: map[moduleKey]Value{}, exports: map[memberKey]Value{}}
	*r.narrowing = newNarrowing(r, s.Checker != nil) // a checker tells what is meant
}

// recentFiles is how many files' definitions a resolver has at hand: a power of two.
const recentFiles = 128

// recentFile are the definitions of one file; nil: of none.
type recentFile struct {
	file int32
	defs []store.Def
}

// place is where an expression stands.
type place struct {
	expr       uint32
	file, from int32
}

type memberKey struct {
	store.DefID
	name uint32
}

// Found is the meaning of a name that stands alone. external: something that is no part of the tree.
type Found struct {
	Value Value
	Level Level
}

// Mentioning is that of the snapshot until the time is over.
func (r *evaluator) Mentioning(y uint32, all bool, each func(n int32)) {
	r.Tree.Mentioning(y, all, func(n int32) {
		if !r.Clock.Over(1) {
			each(n)
		}
	})
}

// DefsOf are the definitions of file n.
func (r *evaluator) DefsOf(n int32) []store.Def {
	f := &r.recent[n&(recentFiles-1)]
	if f.file != n || f.defs == nil {
		*f = recentFile{n, r.Tree.DefsOf(n)}
	}
	return f.defs
}

func (r *evaluator) callable(y store.DefID) bool { return r.Def(y).Kind.Callable() }

func (r *evaluator) Def(y store.DefID) *store.Def { return &r.DefsOf(y.File)[y.Def] }

// traits are those of the language of file n.
func (r *evaluator) traits(n int32) *syntax.Traits { return r.Tree.Files[n].Lang.Traits() }

// rules are those of the language of file n.
func (r *evaluator) rules(n int32) *Rules { return r.table.of(r.Tree.Files[n].Lang) }

// Resolve answers what the reference u in file n may mean, the likeliest first; nothing: something outside the tree.
func (r *evaluator) Resolve(n int32, u *store.Ref) []Target {
	if r.Clock.Over(1) {
		return nil
	}
	from := r.Stands(n, u)
	if u.Qual == 0 {
		return r.bare(u, n, from)
	}
	v := r.Value(u.Qual, n, from)
	r.narrowing.could = nil
	list := r.member(u, n, v)
	if len(list) == 0 && r.isKeyed(v, n) {
		return r.bare(u, n, from)
	}
	return r.explained(list, v)
}

// isKeyed reports whether v is a named map or list. What stands before a colon in a literal of it is no field
// of it, as it is of a structure, but a name that stands alone.
func (r *evaluator) isKeyed(v Value, n int32) bool {
	if !r.rules(n).keyed || v.Kind != SymbolValue || len(v.Symbols) != 1 {
		return false
	}
	d := r.Def(v.Symbols[0])
	return d.Kind == syntax.Alias && strings.HasPrefix(r.Tree.Lex.Text(d.Type), "[")
}

// bare answers what the name of u means where it stands alone.
func (r *evaluator) bare(u *store.Ref, n, from int32) []Target {
	f := r.scopes.Lookup(u.Name, n, from)
	return r.explained(r.rank(r.fitting(f.Value.Symbols, u.Use), n, f.Level), f.Value)
}

// explained counts a reference that means nothing in the tree, unless v says that it means something outside.
func (r *evaluator) explained(list []Target, v Value) []Target {
	if len(list) == 0 && !v.outside {
		r.nowhere++
	}
	return list
}

// member answers what the reference u in file n to a member of v may mean.
func (r *evaluator) member(u *store.Ref, n int32, v Value) []Target {
	switch v.Kind {
	case UnknownValue:
		return r.narrowing.byName(u, n)
	case SymbolValue, ModuleValue:
		w := r.Step(v, u.Name)
		r.narrowing.could = nil
		switch {
		case w.Kind == SymbolValue:
			level := max(v.Level, w.Level)
			list := r.rank(r.fitting(w.Symbols, u.Use), n, level)
			if len(v.Symbols) == 1 && r.Def(v.Symbols[0]).Kind.Type() && r.members.assignedIn(w.Symbols[0]) {
				for i := range list { // one field, which a base defines and the type assigns
					list[i].Sure = Confidence{Level: level}
				}
			}
			return list
		case w.Kind == UnknownValue && v.Kind == SymbolValue: // a field or variable whose type nobody says
			return r.narrowing.byName(u, n)
		}
	}
	return nil
}

// Stands is the definition in whose scope the name of u is looked up. A base is not looked for among the members that
// it gives, nor a decorator, which stands above its definition, inside it.
func (r *evaluator) Stands(n int32, u *store.Ref) int32 {
	if u.From < 0 {
		return -1
	}
	d := &r.DefsOf(n)[u.From]
	if u.Use == syntax.Inherit || u.Line < d.Line && r.rules(n).decorated {
		return d.Parent
	}
	return u.From
}

// fitting leaves out what cannot be called when the reference is a call and something else can.
func (r *evaluator) fitting(list []store.DefID, use syntax.Use) []store.DefID {
	if len(list) < 2 {
		return list
	}
	var out []store.DefID
	for _, y := range list {
		k := r.Def(y).Kind
		if use == syntax.Call && (k.Callable() || k.Type()) || use == syntax.Inherit && k.Type() {
			out = append(out, y)
		}
	}
	if len(out) == 0 || use == syntax.Mention {
		return list
	}
	return out
}

// rank orders the definitions that a reference in file n may mean and tells how sure each is. Definitions of one
// name in one file are one: overloads, or branches of conditional compilation.
func (r *evaluator) rank(list []store.DefID, n int32, level Level) []Target {
	if r.Clock.Over(len(list)) {
		return nil
	}
	list = r.declaredFields(r.built(list, n))
	switch len(list) {
	case 0:
		return nil
	case 1:
		return []Target{{list[0], Confidence{Level: level}}}
	}
	groups := 0
	seen := map[int32]bool{}
	for _, y := range list {
		if !seen[y.File] {
			seen[y.File] = true
			groups++
		}
	}
	sure := Confidence{Level: level}
	if groups > 1 {
		sure = Confidence{Level: Ambiguous, Of: groups}
	}
	from := r.Tree.Files[n]
	store.SortBy(list, func(y store.DefID) int { return -r.nearness(from, y) })
	out := make([]Target, 0, min(len(list), store.MaxTargets))
	for _, y := range list[:min(len(list), store.MaxTargets)] {
		out = append(out, Target{y, sure})
	}
	return out
}

// nearness is how likely file from means y rather than another definition of that name.
func (r *evaluator) nearness(from *store.File, y store.DefID) int {
	f := r.Tree.Files[y.File]
	score := 4 * commonPrefix(from.Path, f.Path)
	if f == from {
		score += 1000
	}
	if f.Test && !from.Test {
		score -= 500
	}
	if f.Foreign && !from.Foreign {
		score -= 300
	}
	d := r.Def(y)
	if d.Body < d.End {
		score += 2 // a definition rather than a declaration
	}
	return score
}

// commonPrefix counts the directories that two paths share.
func commonPrefix(a, b string) int {
	n := 0
	for i := 0; i < len(a) && i < len(b) && a[i] == b[i]; i++ {
		if a[i] == '/' {
			n++
		}
	}
	return n
}

// built leaves out definitions of files for other systems than that of file n, and prefers definitions with a body
// over mere declarations of the same name.
func (r *evaluator) built(list []store.DefID, n int32) []store.DefID {
	if len(list) < 2 {
		return list
	}
	from, rules := r.Tree.Files[n], r.rules(n)
	var out []store.DefID
	bodies := false
	for _, y := range list {
		f := r.Tree.Files[y.File]
		if rules.sameSystem != nil && !rules.sameSystem(from.Path, f.Path) {
			continue
		}
		d := r.Def(y)
		bodies = bodies || d.Kind.Callable() && d.Body < d.End
		out = append(out, y)
	}
	if !bodies || rules.bodyless {
		return out
	}
	with := out[:0:0]
	for _, y := range out {
		if d := r.Def(y); !d.Kind.Callable() || d.Body < d.End {
			with = append(with, y)
		}
	}
	return with
}

// IsMember reports whether d, in file n, belongs to a type.
func (r *evaluator) IsMember(n int32, d *store.Def) bool {
	return d.Owner != 0 || d.Parent >= 0 && r.DefsOf(n)[d.Parent].Kind.Type() && d.Kind != syntax.Member ||
		d.Kind == syntax.Method
}

// declaredFields leaves out of several definitions those that a class declares, too: const int A::limit = 1. References
// lead to the class.
func (r *evaluator) declaredFields(list []store.DefID) []store.DefID {
	if len(list) < 2 || !r.traits(list[0].File).Headers {
		return list
	}
	defined := func(y store.DefID) bool { d := r.Def(y); return d.Kind == syntax.Field && d.Owner != 0 }
	declared := slices.DeleteFunc(slices.Clone(list), defined)
	if len(declared) == 0 {
		return list
	}
	return declared
}
