package code

import (
	"context"
	"slices"
	"strings"

	"helve/engine/code/internal/syntax"
)

// target is what a reference may mean.
type target struct {
	symbol
	sure Confidence
}

// maxResolveDepth bounds the types looked at for one name: bases of bases, fields of fields.
const maxResolveDepth = 24

// resolver finds what references mean. It remembers what it found, for one question. Not safe for concurrent use.
type resolver struct {
	s       *Snapshot
	clock   clock
	values  map[place]value
	members map[memberKey][]symbol
	steps   map[memberKey]value
	names   map[nameKey]found
	bases   map[symbol][]symbol
	modules map[moduleKey]value
	anyone  map[uint32]*alike
	depth   int
	lost    int  // references that were given up: any type may have a member of their name
	cutoff  int  // references that mean more than is followed
	nowhere int  // references that nothing explains: no definition that they can see, and no import from elsewhere
	passed  bool // a file was left out of the search for a module because it is the one that asks

	narrowing

	interfaces map[uint32][]symbol
	satisfied  map[[2]symbol]bool
	standIns   map[symbol][]symbol
	chosen     *overload                // the one that is asked for among several; nil: none
	below      map[symbol][]symbol      // subtypes of a type
	descends   map[[2]symbol]Confidence // how sure it is that the second is a subtype of the first
	exports    map[memberKey]value      // members of modules: a file's, with -1 for the definition

	mentions  map[mentionsKey]*mentions
	mentioned int // what mentions holds
	asked     int // places that a checker was asked about
	ahead     ahead
	star      uint32 // the name "*"; 0: nothing imports all of a module
	recent    [recentFiles]recentFile
}

// recentFiles is how many files' definitions a resolver has at hand: a power of two.
const recentFiles = 128

// recentFile are the definitions of one file; nil: of none.
type recentFile struct {
	file int32
	defs []def
}

// place is where an expression stands.
type place struct {
	expr       uint32
	file, from int32
}

type memberKey struct {
	symbol
	name uint32
}

type nameKey struct {
	name       uint32
	file, from int32
}

// found is the meaning of a name that stands alone. external: something that is no part of the tree.
type found struct {
	v     value
	level Level
}

// resolver is a new one, which finds nothing more when ctx ends.
func newResolver(ctx context.Context, s *Snapshot) *resolver {
	star, _ := s.lex.find("*")
	return &resolver{
		s:     s,
		clock: clock{ctx: ctx},
		star:  star,

		values:  map[place]value{},
		members: map[memberKey][]symbol{},
		steps:   map[memberKey]value{},
		names:   map[nameKey]found{},
		bases:   map[symbol][]symbol{},
		modules: map[moduleKey]value{},
		anyone:  map[uint32]*alike{},

		narrowing: newNarrowing(s.checker != nil), // a checker tells what is meant

		interfaces: map[uint32][]symbol{},
		satisfied:  map[[2]symbol]bool{},
		standIns:   map[symbol][]symbol{},
		below:      map[symbol][]symbol{},
		descends:   map[[2]symbol]Confidence{},
		exports:    map[memberKey]value{},
		mentions:   map[mentionsKey]*mentions{},
	}
}

// mentioning is that of the snapshot until the time is over.
func (r *resolver) mentioning(y uint32, all bool, each func(n int32)) {
	r.s.mentioning(y, all, func(n int32) {
		if !r.clock.over(1) {
			each(n)
		}
	})
}

// defsOf are the definitions of file n.
func (r *resolver) defsOf(n int32) []def {
	f := &r.recent[n&(recentFiles-1)]
	if f.file != n || f.defs == nil {
		*f = recentFile{n, r.s.defsOf(n)}
	}
	return f.defs
}

func (r *resolver) def(y symbol) *def { return &r.defsOf(y.file)[y.def] }

// resolve answers what the reference u in file n may mean, the likeliest first; nothing: something outside the tree.
func (r *resolver) resolve(n int32, u *ref) []target {
	if r.clock.over(1) {
		return nil
	}
	from := r.stands(n, u)
	if u.qual == 0 {
		return r.bare(u, n, from)
	}
	v := r.value(u.qual, n, from)
	r.could = nil
	list := r.member(u, n, v)
	if len(list) == 0 && r.isKeyed(v, n) {
		return r.bare(u, n, from)
	}
	return r.explained(list, v)
}

// explained counts a reference that means nothing in the tree, unless v says that it means something outside.
func (r *resolver) explained(list []target, v value) []target {
	if len(list) == 0 && !v.outside {
		r.nowhere++
	}
	return list
}

// member answers what the reference u in file n to a member of v may mean.
func (r *resolver) member(u *ref, n int32, v value) []target {
	switch v.kind {
	case unknownValue:
		return r.byName(u, n)
	case symbolValue, moduleValue:
		w := r.step(v, u.name)
		r.could = nil
		switch {
		case w.kind == symbolValue:
			level := max(v.level, w.level)
			list := r.rank(r.fitting(w.syms, u.use), n, level)
			if len(v.syms) == 1 && r.def(v.syms[0]).kind.Type() && r.assignedIn(w.syms[0]) {
				for i := range list { // one field, which a base defines and the type assigns
					list[i].sure = Confidence{Level: level}
				}
			}
			return list
		case w.kind == unknownValue && v.kind == symbolValue: // a field or variable whose type nobody says
			return r.byName(u, n)
		}
	}
	return nil
}

// stands is the definition in whose scope the name of u is looked up. A base is not looked for among the members that
// it gives, nor a decorator, which stands above its definition, inside it.
func (r *resolver) stands(n int32, u *ref) int32 {
	if u.from < 0 {
		return -1
	}
	d := &r.defsOf(n)[u.from]
	if u.use == syntax.Inherit || u.line < d.line && r.s.files[n].lang == syntax.Python {
		return d.parent
	}
	return u.from
}

// fitting leaves out what cannot be called when the reference is a call and something else can.
func (r *resolver) fitting(list []symbol, use syntax.Use) []symbol {
	if len(list) < 2 {
		return list
	}
	var out []symbol
	for _, y := range list {
		k := r.def(y).kind
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
func (r *resolver) rank(list []symbol, n int32, level Level) []target {
	if r.clock.over(len(list)) {
		return nil
	}
	list = r.declaredFields(r.built(list, n))
	switch len(list) {
	case 0:
		return nil
	case 1:
		return []target{{list[0], Confidence{Level: level}}}
	}
	groups := 0
	seen := map[int32]bool{}
	for _, y := range list {
		if !seen[y.file] {
			seen[y.file] = true
			groups++
		}
	}
	sure := Confidence{Level: level}
	if groups > 1 {
		sure = Confidence{Level: Ambiguous, Of: groups}
	}
	from := r.s.files[n]
	sortBy(list, func(y symbol) int { return -r.nearness(from, y) })
	out := make([]target, 0, min(len(list), maxTargets))
	for _, y := range list[:min(len(list), maxTargets)] {
		out = append(out, target{y, sure})
	}
	return out
}

// nearness is how likely file from means y rather than another definition of that name.
func (r *resolver) nearness(from *file, y symbol) int {
	f := r.s.files[y.file]
	score := 4 * commonPrefix(from.Path, f.Path)
	if f == from {
		score += 1000
	}
	if f.test && !from.test {
		score -= 500
	}
	if f.foreign && !from.foreign {
		score -= 300
	}
	d := r.def(y)
	if d.body < d.end {
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

// built leaves out Go definitions of files for other systems than that of file n, and prefers definitions with a body
// over mere declarations of the same name.
func (r *resolver) built(list []symbol, n int32) []symbol {
	if len(list) < 2 {
		return list
	}
	from := r.s.files[n]
	var out []symbol
	bodies := false
	for _, y := range list {
		f := r.s.files[y.file]
		if from.lang == syntax.Go && !sameSystem(from.Path, f.Path) {
			continue
		}
		d := r.def(y)
		bodies = bodies || d.kind.Callable() && d.body < d.end
		out = append(out, y)
	}
	if !bodies || from.lang == syntax.Go {
		return out
	}
	with := out[:0:0]
	for _, y := range out {
		if d := r.def(y); !d.kind.Callable() || d.body < d.end {
			with = append(with, y)
		}
	}
	return with
}

var systems = set("linux windows darwin freebsd netbsd openbsd plan9 solaris aix dragonfly js wasip1 android ios illumos")

var machines = set("amd64 arm64 386 arm ppc64 ppc64le ppc64x mips mipsle mips64 mips64le mipsx mips64x riscv64 " +
	"s390x wasm loong64")

// sameSystem reports whether two Go files may be built together, by their names.
func sameSystem(a, b string) bool {
	as, am := system(a)
	bs, bm := system(b)
	return (as == "" || bs == "" || as == bs) && (am == "" || bm == "" || am == bm)
}

func system(p string) (system, machine string) {
	if !strings.HasSuffix(p, ".go") {
		return "", ""
	}
	p = strings.TrimSuffix(strings.TrimSuffix(p, ".go"), "_test")
	for range 2 {
		i := strings.LastIndexByte(p, '_')
		if i < 0 {
			break
		}
		switch word := p[i+1:]; {
		case machines[word] && machine == "":
			machine = word
		case systems[word]:
			return word, machine
		default:
			return system, machine
		}
		p = p[:i]
	}
	return system, machine
}

// byName answers all members of that name in the language of file n, for a receiver of unknown type.
func (r *resolver) byName(u *ref, n int32) []target {
	from := r.s.files[n]
	if commonMember(from.lang, r.s.lex.text(u.name)) {
		r.lost++
		return nil
	}
	key := u.name<<6 | uint32(family(from.lang))<<1
	if u.use == syntax.Call {
		key |= 1
	}
	known, ok := r.anyone[key]
	if !ok {
		known = r.membersOf(u, n)
		r.anyone[key] = known
	}
	list := r.guess(known, u, n)
	r.could = nil // what bases mean was looked for
	switch {
	case len(list) == 0 && len(known.all) > 0:
		r.lost++
	case len(list) < len(known.all):
		r.could = known.list
	}
	return list
}

// membersOf are all members of the name of u in the language of file n.
func (r *resolver) membersOf(u *ref, n int32) *alike {
	of := family(r.s.files[n].lang)
	var list []symbol
	r.mentioning(u.name, false, func(m int32) {
		if family(r.s.files[m].lang) != of {
			return
		}
		defs := r.defsOf(m)
		r.clock.over(len(defs))
		for i := range defs {
			d := &defs[i]
			if d.name == u.name && r.isMember(m, d) && (u.use != syntax.Call || d.kind.Callable() || d.kind == syntax.Field) {
				list = append(list, symbol{m, int32(i)})
			}
		}
	})
	list = r.fitting(list, u.use)
	out := r.rank(list, n, Unique)
	if owners := r.owners(r.built(list, n)); owners > 1 {
		for i := range out {
			out[i].sure = Confidence{Level: Ambiguous, Of: owners}
		}
	}
	return &alike{list: list, all: out}
}

// owners counts the types that members belong to: two of one file are two, other than for names that stand alone.
func (r *resolver) owners(list []symbol) int {
	type owner struct {
		file int32
		name string
	}
	seen := map[owner]bool{}
	for _, y := range list {
		name := r.s.qualified(y)
		seen[owner{y.file, name[:max(0, strings.LastIndexByte(name, '.'))]}] = true
	}
	return len(seen)
}

// isMember reports whether d, in file n, belongs to a type.
func (r *resolver) isMember(n int32, d *def) bool {
	return d.owner != 0 || d.parent >= 0 && r.defsOf(n)[d.parent].kind.Type() && d.kind != syntax.Member ||
		d.kind == syntax.Method
}

// declaredFields leaves out of several definitions those that a class of C++ declares, too: const int A::limit = 1. References lead
// to the class.
func (r *resolver) declaredFields(list []symbol) []symbol {
	if len(list) < 2 || family(r.s.files[list[0].file].lang) != syntax.C {
		return list
	}
	defined := func(y symbol) bool { d := r.def(y); return d.kind == syntax.Field && d.owner != 0 }
	declared := slices.DeleteFunc(slices.Clone(list), defined)
	if len(declared) == 0 {
		return list
	}
	return declared
}
