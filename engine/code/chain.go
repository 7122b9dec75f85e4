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
	Unknown              int      // where none was found: references of unknown receivers, or of more meanings than are followed
}

// maxChain bounds the definitions that the search for a chain looks at.
const maxChain = 50_000

// Chain answers the shortest chain of calls between two names: along calls alone, where there is such a way, else along all
// uses, and along edges of many meanings only where the others lead nowhere. Where the most used definitions of the two
// names are not connected, others of these names may be.
func (s *Snapshot) Chain(ctx context.Context, from, to string) (Chain, error) {
	ctx, cancel := context.WithTimeout(ctx, maxSearch)
	defer cancel()
	r := newResolver(ctx, s)
	a, aOthers, err := r.only(from)
	if err != nil {
		return Chain{}, err
	}
	b, bOthers, err := r.only(to)
	if err != nil {
		return Chain{}, err
	}
	w := r.way(a, b)
	if len(w.steps) == 0 && w.whole && len(aOthers)+len(bOthers) > 0 {
		aOthers, bOthers = meanings(from, aOthers), meanings(to, bOthers)
		w = r.way(slices.Concat(a, aOthers), slices.Concat(b, bOthers))
	}
	if err := canceled(ctx); err != nil {
		return Chain{}, err
	}
	c := Chain{
		From:    s.symbol(a[0]),
		To:      s.symbol(b[0]),
		Stopped: !w.whole,
		Unknown: w.unknown,
	}
	for _, st := range w.steps {
		c.Steps = append(c.Steps, s.edge(st))
	}
	if n := len(w.steps); n > 0 {
		c.From, c.To = s.symbol(w.from), s.symbol(w.steps[n-1].to)
		aOthers = besides(w.from, a, aOthers)
		bOthers = besides(w.steps[n-1].to, b, bOthers)
	}
	c.FromOthers, c.ToOthers = s.symbolsOf(aOthers), s.symbolsOf(bOthers)
	return c, nil
}

// maxChainMeanings bounds the definitions of a name between which a way is looked for.
const maxChainMeanings = 64

// meanings are the further definitions of a name between which a way is looked for; of an ID none.
func meanings(name string, others []symbol) []symbol {
	if parseName(name).path != "" {
		return nil
	}
	return others[:min(len(others), maxChainMeanings)]
}

// besides are the definitions of a name other than the one that a way leads to or from, and those that are one with it.
func besides(y symbol, group, others []symbol) []symbol {
	if slices.Contains(group, y) {
		return others
	}
	return slices.DeleteFunc(slices.Concat(group, others), func(o symbol) bool { return o == y })
}

// A way is one from some definitions to others.
type way struct {
	from  symbol
	steps []arrow
	whole bool // the search came to its end

	unknown int // references of which the search did not know where they lead
}

// way is the best way there is: of calls, then of all uses, then of those of many meanings.
func (r *resolver) way(from, to []symbol) way {
	var w way
	for _, p := range []edgeChoice{{true, maxImpactAlike}, {false, maxImpactAlike}, {false, math.MaxInt}} {
		w = r.shortest(from, to, p)
		if len(w.steps) > 0 || !w.whole {
			break
		}
	}
	return w
}

// An edgeChoice is which edges a way may take.
type edgeChoice struct {
	calls bool // calls only
	alike int  // edges of at most so many meanings
}

// shortest searches breadth first.
func (r *resolver) shortest(from, to []symbol, p edgeChoice) way {
	s := r.s
	unknown := r.lost + r.cutoff
	came := map[symbol]arrow{} // the arrow to a definition
	before := map[symbol]symbol{}
	queue := slices.Clone(from)
	for _, y := range from {
		came[y] = arrow{}
	}
	for k := 0; k < len(queue); k++ {
		if len(came) > maxChain || r.clock.look() {
			return way{}
		}
		y := queue[k]
		for _, a := range r.calls(y) {
			if _, seen := came[a.to]; seen || a.sure.Of > p.alike || p.calls && a.use == syntax.Mention && !s.def(a.to).kind.Type() {
				continue
			}
			came[a.to], before[a.to] = a, y
			if slices.Contains(to, a.to) {
				first, steps := walkBack(a.to, came, before)
				return way{from: first, steps: steps, whole: true}
			}
			if k := s.def(a.to).kind; k.Callable() || k.Type() || k == syntax.Variable {
				queue = append(queue, a.to)
			}
		}
	}
	return way{whole: !r.clock.ended, unknown: r.lost + r.cutoff - unknown}
}

// walkBack is where a way to y began, and its steps.
func walkBack(y symbol, came map[symbol]arrow, before map[symbol]symbol) (first symbol, steps []arrow) {
	for {
		prev, ok := before[y]
		if !ok {
			slices.Reverse(steps)
			return y, steps
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
	return merge(r.s, list)
}
