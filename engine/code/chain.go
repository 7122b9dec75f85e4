package code

import (
	"context"
	"math"
	"slices"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// Chain is the shortest way from one definition to another along calls and uses.
type Chain struct {
	From, To             Symbol
	FromOthers, ToOthers []Symbol // what else the names may mean
	Steps                []Edge   // from From to To, without From; empty: none was found
	Stopped              bool     // at a bound of time or size: there may be a way
	// Unknown counts, where none was found, the references of unknown receivers, or of more meanings than are followed.
	Unknown int
}

// maxChain bounds the definitions that the search for a chain looks at.
const maxChain = 50_000

// Chain answers the shortest chain of calls between two names: along calls alone, where there is such a way, else
// along all uses, and along edges of many meanings only where the others lead nowhere. Where the most used
// definitions of the two names are not connected, others of these names may be.
func (s *Snapshot) Chain(ctx context.Context, from, to string) (Chain, error) {
	ctx, cancel := context.WithTimeout(ctx, store.MaxSearch)
	defer cancel()
	r := newResolver(ctx, s)
	a, aOthers, err := r.Only(from)
	if err != nil {
		return Chain{}, err
	}
	b, bOthers, err := r.Only(to)
	if err != nil {
		return Chain{}, err
	}
	w := r.way(a, b)
	if len(w.steps) == 0 && w.whole && len(aOthers)+len(bOthers) > 0 {
		aOthers, bOthers = meanings(from, aOthers), meanings(to, bOthers)
		w = r.way(slices.Concat(a, aOthers), slices.Concat(b, bOthers))
	}
	if err := store.Canceled(ctx); err != nil {
		return Chain{}, err
	}
	c := Chain{
		From:    s.tree.Symbol(a[0]),
		To:      s.tree.Symbol(b[0]),
		Stopped: !w.whole,
		Unknown: w.unknown,
	}
	for _, st := range w.steps {
		c.Steps = append(c.Steps, s.edge(st))
	}
	if n := len(w.steps); n > 0 {
		c.From, c.To = s.tree.Symbol(w.from), s.tree.Symbol(w.steps[n-1].To)
		aOthers = besides(w.from, a, aOthers)
		bOthers = besides(w.steps[n-1].To, b, bOthers)
	}
	c.FromOthers, c.ToOthers = s.symbolsOf(aOthers), s.symbolsOf(bOthers)
	return c, nil
}

// maxChainMeanings bounds the definitions of a name between which a way is looked for.
const maxChainMeanings = 64

// meanings are the further definitions of a name between which a way is looked for; of an ID none.
func meanings(name string, others []store.DefID) []store.DefID {
	if store.ParseName(name).Path != "" {
		return nil
	}
	return others[:min(len(others), maxChainMeanings)]
}

// besides are the definitions of a name other than the one that a way leads to or from, and those that are one with it.
func besides(y store.DefID, group, others []store.DefID) []store.DefID {
	if slices.Contains(group, y) {
		return others
	}
	return slices.DeleteFunc(slices.Concat(group, others), func(o store.DefID) bool { return o == y })
}

// A way is one from some definitions to others.
type way struct {
	from  store.DefID
	steps []meaning.Arrow
	whole bool // the search came to its end

	unknown int // references of which the search did not know where they lead
}

// way is the best way there is: of calls, then of all uses, then of those of many meanings.
func (r *resolver) way(from, to []store.DefID) way {
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

// takes reports whether a way may go along an arrow.
func (p edgeChoice) takes(s *Snapshot, a meaning.Arrow) bool {
	if a.Sure.Of > p.alike {
		return false
	}
	return !p.calls || a.Use != syntax.Mention || s.tree.Def(a.To).Kind.Type()
}

// shortest searches breadth first.
func (r *resolver) shortest(from, to []store.DefID, p edgeChoice) way {
	s := r.s
	unknown := r.Lost + r.Cutoff
	came := map[store.DefID]meaning.Arrow{} // the arrow to a definition
	before := map[store.DefID]store.DefID{}
	queue := slices.Clone(from)
	for _, y := range from {
		came[y] = meaning.Arrow{}
	}
	for k := 0; k < len(queue); k++ {
		if len(came) > maxChain || r.Clock.Look() {
			return way{}
		}
		y := queue[k]
		for _, a := range r.calls(y) {
			if _, seen := came[a.To]; seen || !p.takes(s, a) {
				continue
			}
			came[a.To], before[a.To] = a, y
			if slices.Contains(to, a.To) {
				first, steps := walkBack(a.To, came, before)
				return way{from: first, steps: steps, whole: true}
			}
			if k := s.tree.Def(a.To).Kind; k.Callable() || k.Type() || k == syntax.Variable {
				queue = append(queue, a.To)
			}
		}
	}
	return way{whole: !r.Clock.Ended, unknown: r.Lost + r.Cutoff - unknown}
}

// walkBack is where a way to y began, and its steps.
func walkBack(
	y store.DefID, came map[store.DefID]meaning.Arrow, before map[store.DefID]store.DefID,
) (first store.DefID, steps []meaning.Arrow) {
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
func (r *resolver) calls(y store.DefID) []meaning.Arrow {
	if !r.Def(y).Kind.Type() {
		return r.uses(y)
	}
	var list []meaning.Arrow
	defs := r.DefsOf(y.File)
	for i := y.Def + 1; int(i) < len(defs) && defs[i].Start < defs[y.Def].End; i++ {
		d, name := &defs[i], r.s.tree.Lex.Text(defs[i].Name)
		if d.Parent == y.Def && (d.Kind == syntax.Constructor || name == "__init__" || name == "initialize") {
			list = append(list, r.uses(store.At(y.File, i))...)
		}
	}
	return meaning.Merge(r.Tree, list)
}
