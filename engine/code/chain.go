package code

import (
	"context"
	"math"
	"slices"

	"helve/engine/code/internal/syntax"
)

// Chain is the shortest way from one definition to another along calls and uses.
type Chain struct {
	From, To             Symbol
	FromOthers, ToOthers []Symbol // what else the names may mean
	Steps                []Edge   // from From to To, without From; empty: none was found
	Stopped              bool     // at a bound of time or size: there may be a way
}

// maxChain bounds the definitions that the search for a chain looks at.
const maxChain = 50_000

// Chain answers the shortest chain of calls between two names. Edges of many meanings are followed only where the
// others lead nowhere.
func (s *Snapshot) Chain(ctx context.Context, from, to string) (Chain, error) {
	ctx, cancel := context.WithTimeout(ctx, maxSearch)
	defer cancel()
	r := s.resolver(ctx)
	a, aOthers, err := r.only(from)
	if err != nil {
		return Chain{}, err
	}
	b, bOthers, err := r.only(to)
	if err != nil {
		return Chain{}, err
	}
	c := Chain{
		From:       s.symbol(a[0]),
		To:         s.symbol(b[0]),
		FromOthers: s.symbolsOf(aOthers),
		ToOthers:   s.symbolsOf(bOthers),
	}
	steps, whole := s.shortest(ctx, a, b, maxImpactAlike)
	if len(steps) == 0 && whole {
		steps, whole = s.shortest(ctx, a, b, math.MaxInt)
	}
	if err := canceled(ctx); err != nil {
		return Chain{}, err
	}
	c.Stopped = !whole
	for _, st := range steps {
		c.Steps = append(c.Steps, s.edge(st))
	}
	return c, nil
}

// shortest searches breadth first along edges of at most alike meanings.
func (s *Snapshot) shortest(ctx context.Context, from, to []symbol, alike int) (steps []arrow, whole bool) {
	r := s.resolver(ctx)
	came := map[symbol]arrow{} // the arrow to a definition
	before := map[symbol]symbol{}
	queue := slices.Clone(from)
	for _, y := range from {
		came[y] = arrow{}
	}
	for k := 0; k < len(queue); k++ {
		if len(came) > maxChain || r.clock.look() {
			return nil, false
		}
		y := queue[k]
		for _, a := range r.calls(y) {
			if _, seen := came[a.to]; seen || a.sure.Of > alike {
				continue
			}
			came[a.to], before[a.to] = a, y
			if slices.Contains(to, a.to) {
				return walkBack(a.to, came, before), true
			}
			if k := s.def(a.to).kind; k.Callable() || k.Type() || k == syntax.Variable {
				queue = append(queue, a.to)
			}
		}
	}
	return nil, !r.clock.ended
}

func walkBack(y symbol, came map[symbol]arrow, before map[symbol]symbol) []arrow {
	var steps []arrow
	for {
		prev, ok := before[y]
		if !ok {
			slices.Reverse(steps)
			return steps
		}
		steps = append(steps, came[y])
		y = prev
	}
}

// calls are the definitions that running y uses: for a type, making a value of it.
func (r *resolver) calls(y symbol) []arrow {
	if !r.def(y).kind.Type() {
		return r.uses(y)
	}
	var list []arrow
	defs := r.defsOf(y.file)
	for i := y.def + 1; int(i) < len(defs) && defs[i].start < defs[y.def].end; i++ {
		d := &defs[i]
		if d.parent == y.def && (d.kind == syntax.Constructor || r.s.lex.text(d.name) == "__init__" || r.s.lex.text(d.name) == "initialize") {
			list = append(list, r.uses(symbol{y.file, i})...)
		}
	}
	return r.s.merge(list)
}
