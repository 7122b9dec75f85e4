package meaning

import (
	"context"

	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// known are the rules of all languages that have some.
var known = newTable(
	&golang, &python, &typeScript, &javaScript, &rust, &java, &kotlin, &cSharp, &php,
	&plainC, &cPlusPlus, &ruby, &swift, &shell, &unknown,
)

// unknown are those of languages that have no reader: definitions are guessed from the shape of a text.
var unknown = Rules{unbound: true}

// RulesOf are those of a language. They are not to be changed.
func RulesOf(l syntax.Language) *Rules { return known.of(l) }

// NewResolver is a new one, which finds nothing more when ctx ends.
func NewResolver(ctx context.Context, s *store.Snapshot) *Resolver {
	star, _ := s.Lex.Find("*")
	return &Resolver{
		Tree:  s,
		Clock: store.Clock{Context: ctx},
		Star:  star,
		table: known,

		values:  map[place]Value{},
		members: map[memberKey][]store.DefID{},
		steps:   map[memberKey]Value{},
		names:   map[nameKey]Found{},
		bases:   map[store.DefID][]store.DefID{},
		modules: map[moduleKey]Value{},
		anyone:  map[uint32]*alike{},

		narrowing: newNarrowing(s.Checker != nil), // a checker tells what is meant

		interfaces: map[uint32][]store.DefID{},
		satisfied:  map[[2]store.DefID]bool{},
		standIns:   map[store.DefID][]store.DefID{},
		below:      map[store.DefID][]store.DefID{},
		descends:   map[[2]store.DefID]Confidence{},
		exports:    map[memberKey]Value{},
		mentions:   map[mentionsKey]*mentions{},
	}
}

// NewPlanner is a resolver that leaves nothing out: who changes code has to know all that may be meant.
func NewPlanner(ctx context.Context, s *store.Snapshot) *Resolver {
	r := NewResolver(ctx, s)
	r.wide = true
	return r
}
