package code

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"helve/engine/code/internal/syntax"
)

// Range is a part of a file that changed.
type Range struct {
	Path     string
	From, To int // lines from 1, both included; 0 and 0: the whole file
}

// Affected is a definition that a change may touch.
type Affected struct {
	Symbol
	Depth int        // 1: it uses what changed itself
	Use   syntax.Use // how it is connected with Via
	Sure  Confidence // of the least sure edge on the way
	Via   string     // the ID of what it uses
}

// Impact is what a change may touch. Tests come by likelihood: near, sure and of the same name first.
type Impact struct {
	Changed    []Symbol
	Others     []Symbol // what else the name may mean
	Tests      []Affected
	Direct     []Affected
	Transitive []Affected
	// MoreDirect, MoreTransitive and MoreTests count what the limits left out.
	MoreDirect, MoreTransitive, MoreTests int
	Stopped                               bool  // at a bound of time or size
	Unresolved                            int   // as in Edges, for the definition of that name
	Alone                                 Alone // as in Edges
}

// Limits bound an Impact. Zeros mean 50, 100 and 20.
type Limits struct{ Direct, Transitive, Tests int }

const (
	// maxImpactDepth bounds the steps from a change: beyond, everything depends on everything.
	maxImpactDepth = 4
	// maxImpact bounds the definitions followed.
	maxImpact = 3000
	// maxImpactAlike bounds the ambiguity of edges that are followed further.
	maxImpactAlike = 4
)

// ImpactOfName answers what a change of the definition called name, or of the file of that path, may touch.
func (s *Snapshot) ImpactOfName(ctx context.Context, name string, l Limits) (Impact, error) {
	for _, path := range []string{name, rawID(name)} {
		if s.number(path) >= 0 {
			return s.ImpactOfRanges(ctx, []Range{{Path: path}}, l)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, maxSearch)
	defer cancel()
	r := newResolver(ctx, s)
	group, others, err := r.only(name)
	if err != nil {
		return Impact{}, err
	}
	im, err := r.impact(r.withMembers(group), l)
	if all := r.whole(group); len(im.Direct)+len(im.Tests) == 0 && len(all) > len(group) && err == nil {
		group = all
		im, err = r.impact(r.withMembers(group), l)
	}
	im.Changed = nil
	for _, y := range group[:min(len(group), maxLimit)] {
		im.Changed = append(im.Changed, s.symbol(y))
	}
	im.Others = s.symbolsOf(others)
	used := len(im.Direct)+len(im.Tests) > 0
	im.Unresolved = r.unresolved(group, used)
	if !used {
		im.Alone = r.nobody(group)
	}
	return im, err
}

// ImpactOfRanges answers what changes of parts of files may touch, such as those not yet committed.
func (s *Snapshot) ImpactOfRanges(ctx context.Context, ranges []Range, l Limits) (Impact, error) {
	ctx, cancel := context.WithTimeout(ctx, maxSearch)
	defer cancel()
	r := newResolver(ctx, s)
	var starts []symbol
	for _, g := range ranges {
		n := s.number(g.Path)
		if n < 0 || r.clock.look() {
			continue
		}
		starts = append(starts, s.within(n, g)...)
	}
	im, err := r.impact(starts, l)
	for _, y := range starts[:min(len(starts), maxLimit)] {
		im.Changed = append(im.Changed, s.symbol(y))
	}
	return im, err
}

// within are the definitions of file n that a range touches: the innermost ones; for a whole file all of them.
func (s *Snapshot) within(n int32, g Range) []symbol {
	defs := s.defsOf(n)
	touched := map[int32]bool{}
	for i := range defs {
		d := &defs[i]
		if g.From == 0 || int(d.line) <= g.To && int(d.endLine) >= g.From {
			touched[int32(i)] = true
			if g.From > 0 && d.parent >= 0 && !outsideHead(defs, d.parent, g) {
				delete(touched, d.parent)
			}
		}
	}
	var list []symbol
	for i := range defs {
		if touched[int32(i)] && defs[i].kind != syntax.Section && defs[i].kind != syntax.Key {
			list = append(list, symbol{n, int32(i)})
		}
	}
	return list
}

// outsideHead reports whether the range touches the first line of definition p.
func outsideHead(defs []def, p int32, g Range) bool {
	return int(defs[p].line) >= g.From && int(defs[p].line) <= g.To
}

// withMembers adds the members of types: who changes a type changes them.
func (r *resolver) withMembers(group []symbol) []symbol {
	out := slices.Clone(group)
	for _, y := range group {
		defs := r.defsOf(y.file)
		if !defs[y.def].kind.Type() {
			continue
		}
		inside := r.s.inside(y)
		for i := y.def + 1; int(i) < len(defs) && defs[i].start < defs[y.def].end && !r.clock.over(1); i++ {
			if inside(i) && defs[i].kind.Callable() {
				out = append(out, symbol{y.file, i})
			}
		}
	}
	return out
}

// spread is the search for what a change touches.
type spread struct {
	r     *resolver
	seen  map[symbol]bool
	list  []reached
	whole bool
}

// reached is a definition that the search came to.
type reached struct {
	symbol
	depth int
	use   syntax.Use // of via
	sure  Confidence
	via   symbol
}

// followed reports whether the users of x are looked for.
func (x *reached) followed() bool { return x.def >= 0 && x.sure.Of <= maxImpactAlike }

func followedOf(list []reached) []symbol {
	var out []symbol
	for i := range list {
		if list[i].followed() {
			out = append(out, list[i].symbol)
		}
	}
	return out
}

func (r *resolver) impact(starts []symbol, l Limits) (Impact, error) {
	p := &spread{r: r, seen: map[symbol]bool{}, whole: true}
	level := make([]reached, 0, len(starts))
	for _, y := range starts {
		p.seen[y] = true
		level = append(level, reached{symbol: y})
	}
	for depth := 1; depth <= maxImpactDepth && len(level) > 0 && p.whole; depth++ {
		level = p.next(level, depth)
	}
	if err := canceled(r.clock.ctx); err != nil {
		return Impact{}, err
	}
	p.whole = p.whole && !r.clock.ended
	return r.s.report(p, starts, l), nil
}

// next are the definitions one step further.
func (p *spread) next(level []reached, depth int) []reached {
	var out []reached
	for i, from := range level {
		if i%aheadOf == 0 {
			p.r.readAhead(followedOf(level[i:min(i+aheadOf, len(level))]))
		}
		if p.r.clock.over(1) {
			break
		}
		if !from.followed() {
			continue
		}
		users := p.r.users([]symbol{from.symbol})
		if depth == 1 {
			users = append(users, p.r.replacing(from.symbol)...)
		}
		for _, a := range users {
			if p.seen[a.to] {
				continue
			}
			if len(p.list) >= maxImpact {
				p.whole = false
				return nil
			}
			p.seen[a.to] = true
			x := reached{a.to, depth, a.use, from.sure.worse(a.sure), from.symbol}
			p.list = append(p.list, x)
			out = append(out, x)
		}
	}
	return out
}

// report sorts what was reached into tests, direct and transitive users. Only what the limits leave is described.
func (s *Snapshot) report(p *spread, starts []symbol, l Limits) Impact {
	im := Impact{Stopped: !p.whole}
	var tests, direct, transitive []reached
	for _, x := range p.list {
		switch {
		case s.files[x.file].test:
			tests = append(tests, x)
		case x.depth == 1:
			direct = append(direct, x)
		default:
			transitive = append(transitive, x)
		}
	}
	s.sortTests(tests, starts)
	s.sortNear(direct)
	s.sortNear(transitive)
	tests, im.MoreTests = head(tests, l.Tests, 20)
	direct, im.MoreDirect = head(direct, l.Direct, 50)
	transitive, im.MoreTransitive = head(transitive, l.Transitive, 100)
	im.Tests, im.Direct, im.Transitive = s.affected(tests), s.affected(direct), s.affected(transitive)
	return im
}

// sortTests orders tests by how likely they fail when what a change of starts reaches is broken.
func (s *Snapshot) sortTests(tests []reached, starts []symbol) {
	stems := map[string]bool{}
	for _, y := range starts {
		stems[strings.ToLower(s.files[y.file].stem())] = true
	}
	likely := make(map[symbol]int, len(tests))
	for _, x := range tests {
		likely[x.symbol] = s.likelihood(x, stems)
	}
	slices.SortStableFunc(tests, func(a, b reached) int {
		return cmp.Or(
			cmp.Compare(likely[b.symbol], likely[a.symbol]),
			strings.Compare(s.files[a.file].Path, s.files[b.file].Path),
			cmp.Compare(a.def, b.def),
		)
	})
}

// sortNear orders what was reached: few steps, sure ones and the start of the tree first. Lines are found once: to
// unpack two large files in turn for each comparison takes minutes.
func (s *Snapshot) sortNear(list []reached) {
	line := make(map[symbol]int32, len(list))
	for _, x := range list {
		line[x.symbol] = s.lineOf(x.symbol)
	}
	slices.SortStableFunc(list, func(a, b reached) int {
		return cmp.Or(
			cmp.Compare(a.depth, b.depth),
			cmp.Compare(a.sure.Level, b.sure.Level),
			strings.Compare(s.files[a.file].Path, s.files[b.file].Path),
			cmp.Compare(line[a.symbol], line[b.symbol]),
		)
	})
}

// lineOf is the line on which y begins; 1 for a file.
func (s *Snapshot) lineOf(y symbol) int32 {
	if y.def < 0 {
		return 1
	}
	return s.def(y).line
}

// head is the start of list, and how many more there are.
func head[T any](list []T, limit, usual int) ([]T, int) {
	if limit <= 0 {
		limit = usual
	}
	if len(list) <= limit {
		return list, 0
	}
	return list[:limit], len(list) - limit
}

// likelihood is how likely a test fails when what it reaches is broken.
func (s *Snapshot) likelihood(x reached, stems map[string]bool) int {
	p := 100 - 20*x.depth - 5*int(x.sure.Level)
	stem := strings.ToLower(s.files[x.file].stem())
	stem = strings.TrimSuffix(strings.TrimPrefix(stem, "test_"), "_test")
	stem = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(stem, ".test"), ".spec"), "test")
	if stems[stem] {
		p += 30
	}
	if x.def >= 0 && strings.HasPrefix(strings.ToLower(s.lex.text(s.def(x.symbol).name)), "test") {
		p += 5
	}
	return p
}

// affected describes what was reached.
func (s *Snapshot) affected(list []reached) []Affected {
	var out []Affected
	for _, x := range list {
		a := Affected{Depth: x.depth, Use: x.use, Sure: x.sure, Via: s.symbol(x.via).ID}
		if x.def < 0 {
			a.Symbol = s.fileSymbol(x.file)
		} else {
			a.Symbol = s.symbol(x.symbol)
		}
		out = append(out, a)
	}
	return out
}
