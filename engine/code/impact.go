package code

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"strings"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
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
	for _, path := range []string{name, store.RawID(name)} {
		if s.tree.Number(path) >= 0 {
			return s.ImpactOfRanges(ctx, []Range{{Path: path}}, l)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, store.MaxSearch)
	defer cancel()
	r := newResolver(ctx, s)
	group, others, err := r.Only(name)
	if err != nil {
		return Impact{}, err
	}
	im, err := r.impact(r.withMembers(group), l)
	if all := r.Whole(group); len(im.Direct)+len(im.Tests) == 0 && len(all) > len(group) && err == nil {
		group = all
		im, err = r.impact(r.withMembers(group), l)
	}
	im.Changed = nil
	for _, y := range group[:min(len(group), maxLimit)] {
		im.Changed = append(im.Changed, s.tree.Symbol(y))
	}
	im.Others = s.symbolsOf(others)
	used := len(im.Direct)+len(im.Tests) > 0
	im.Unresolved = r.Unresolved(group, used)
	if !used {
		im.Alone = r.Nobody(group)
	}
	return im, err
}

// ImpactOfRanges answers what changes of parts of files may touch, such as those not yet committed.
func (s *Snapshot) ImpactOfRanges(ctx context.Context, ranges []Range, l Limits) (Impact, error) {
	ctx, cancel := context.WithTimeout(ctx, store.MaxSearch)
	defer cancel()
	r := newResolver(ctx, s)
	var starts []store.DefID
	for _, g := range ranges {
		n := s.tree.Number(g.Path)
		if n < 0 || r.Clock.Look() {
			continue
		}
		starts = append(starts, s.within(n, g)...)
	}
	im, err := r.impact(starts, l)
	for _, y := range starts[:min(len(starts), maxLimit)] {
		im.Changed = append(im.Changed, s.tree.Symbol(y))
	}
	return im, err
}

// within are the definitions of file n that a range touches: the innermost ones; for a whole file all of them.
func (s *Snapshot) within(n int32, g Range) []store.DefID {
	defs := s.tree.DefsOf(n)
	touched := map[int32]bool{}
	for i := range defs {
		d := &defs[i]
		if g.From == 0 || int(d.Line) <= g.To && int(d.EndLine) >= g.From {
			touched[int32(i)] = true
			if g.From > 0 && d.Parent >= 0 && !outsideHead(defs, d.Parent, g) {
				delete(touched, d.Parent)
			}
		}
	}
	var list []store.DefID
	for i := range defs {
		if touched[int32(i)] && defs[i].Kind != syntax.Section && defs[i].Kind != syntax.Key {
			list = append(list, store.At(n, int32(i)))
		}
	}
	return list
}

// outsideHead reports whether the range touches the first line of definition p.
func outsideHead(defs []store.Def, p int32, g Range) bool {
	return int(defs[p].Line) >= g.From && int(defs[p].Line) <= g.To
}

// withMembers adds the members of types: who changes a type changes them.
func (r *resolver) withMembers(group []store.DefID) []store.DefID {
	out := slices.Clone(group)
	for _, y := range group {
		defs := r.DefsOf(y.File)
		if !defs[y.Def].Kind.Type() {
			continue
		}
		inside := r.s.inside(y)
		for i := y.Def + 1; int(i) < len(defs) && defs[i].Start < defs[y.Def].End && !r.Clock.Over(1); i++ {
			if inside(i) && defs[i].Kind.Callable() {
				out = append(out, store.At(y.File, i))
			}
		}
	}
	return out
}

// spread is the search for what a change touches.
type spread struct {
	r     *resolver
	seen  map[store.DefID]bool
	list  []reached
	whole bool
}

// reached is a definition that the search came to.
type reached struct {
	store.DefID
	depth int
	use   syntax.Use // of via
	sure  Confidence
	via   store.DefID
}

// followed reports whether the users of x are looked for.
func (x *reached) followed() bool { return x.Def >= 0 && x.sure.Of <= maxImpactAlike }

func followedOf(list []reached) []store.DefID {
	var out []store.DefID
	for i := range list {
		if list[i].followed() {
			out = append(out, list[i].DefID)
		}
	}
	return out
}

func (r *resolver) impact(starts []store.DefID, l Limits) (Impact, error) {
	p := &spread{r: r, seen: map[store.DefID]bool{}, whole: true}
	level := make([]reached, 0, len(starts))
	for _, y := range starts {
		p.seen[y] = true
		level = append(level, reached{DefID: y})
	}
	for depth := 1; depth <= maxImpactDepth && len(level) > 0 && p.whole; depth++ {
		level = p.next(level, depth)
	}
	if err := store.Canceled(r.Clock.Context); err != nil {
		return Impact{}, err
	}
	p.whole = p.whole && !r.Clock.Ended
	return r.s.report(p, starts, l), nil
}

// next are the definitions one step further.
func (p *spread) next(level []reached, depth int) []reached {
	var out []reached
	for i, from := range level {
		if i%meaning.AheadOf == 0 {
			p.r.ReadAhead(followedOf(level[i:min(i+meaning.AheadOf, len(level))]))
		}
		if p.r.Clock.Over(1) {
			break
		}
		if !from.followed() {
			continue
		}
		users := p.r.Users([]store.DefID{from.DefID})
		if depth == 1 {
			users = append(users, p.r.Replacing(from.DefID)...)
		}
		for _, a := range users {
			if p.seen[a.To] {
				continue
			}
			if len(p.list) >= maxImpact {
				p.whole = false
				return nil
			}
			p.seen[a.To] = true
			x := reached{a.To, depth, a.Use, from.sure.Worse(a.Sure), from.DefID}
			p.list = append(p.list, x)
			out = append(out, x)
		}
	}
	return out
}

// report sorts what was reached into tests, direct and transitive users. Only what the limits leave is described.
func (s *Snapshot) report(p *spread, starts []store.DefID, l Limits) Impact {
	im := Impact{Stopped: !p.whole}
	var tests, direct, transitive []reached
	for _, x := range p.list {
		switch {
		case s.tree.Files[x.File].Test:
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
func (s *Snapshot) sortTests(tests []reached, starts []store.DefID) {
	stems := map[string]bool{}
	for _, y := range starts {
		stems[strings.ToLower(s.tree.Files[y.File].Stem())] = true
	}
	likely := make(map[store.DefID]int, len(tests))
	for _, x := range tests {
		likely[x.DefID] = s.likelihood(x, stems)
	}
	sort.SliceStable(tests, func(i, j int) bool {
		a, b := &tests[i], &tests[j]
		return cmp.Or(
			cmp.Compare(likely[b.DefID], likely[a.DefID]),
			strings.Compare(s.tree.Files[a.File].Path, s.tree.Files[b.File].Path),
			cmp.Compare(a.Def, b.Def),
		) < 0
	})
}

// sortNear orders what was reached: few steps, sure ones and the start of the tree first. Lines are found once: to
// unpack two large files in turn for each comparison takes minutes.
func (s *Snapshot) sortNear(list []reached) {
	line := make(map[store.DefID]int32, len(list))
	for _, x := range list {
		line[x.DefID] = s.lineOf(x.DefID)
	}
	sort.SliceStable(list, func(i, j int) bool {
		a, b := &list[i], &list[j]
		return cmp.Or(
			cmp.Compare(a.depth, b.depth),
			cmp.Compare(a.sure.Level, b.sure.Level),
			strings.Compare(s.tree.Files[a.File].Path, s.tree.Files[b.File].Path),
			cmp.Compare(line[a.DefID], line[b.DefID]),
		) < 0
	})
}

// lineOf is the line on which y begins; 1 for a file.
func (s *Snapshot) lineOf(y store.DefID) int32 {
	if y.Def < 0 {
		return 1
	}
	return s.tree.Def(y).Line
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
	stem := strings.ToLower(s.tree.Files[x.File].Stem())
	stem = strings.TrimSuffix(strings.TrimPrefix(stem, "test_"), "_test")
	stem = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(stem, ".test"), ".spec"), "test")
	if stems[stem] {
		p += 30
	}
	if x.Def >= 0 && strings.HasPrefix(strings.ToLower(s.tree.Lex.Text(s.tree.Def(x.DefID).Name)), "test") {
		p += 5
	}
	return p
}

// affected describes what was reached.
func (s *Snapshot) affected(list []reached) []Affected {
	var out []Affected
	for _, x := range list {
		a := Affected{Depth: x.depth, Use: x.use, Sure: x.sure, Via: s.tree.Symbol(x.via).ID}
		if x.Def < 0 {
			a.Symbol = s.tree.FileSymbol(x.File)
		} else {
			a.Symbol = s.tree.Symbol(x.DefID)
		}
		out = append(out, a)
	}
	return out
}
