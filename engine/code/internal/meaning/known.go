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

// Resolver finds what references mean, and what refers to definitions. It remembers what it found, for one question.
// Not safe for concurrent use. It is its parts: who knows least of the others comes first.
type Resolver struct {
	*evaluator
	*scopes
	*members
	*modules
	*dispatch
	*checking
	*uses
}

// NewResolver is a new one, which finds nothing more when ctx ends.
func NewResolver(ctx context.Context, s *store.Snapshot) *Resolver { return newResolver(ctx, s, known) }

// newResolver is one for the languages of a table.
func newResolver(ctx context.Context, s *store.Snapshot, table *rulesTable) *Resolver {
	u := &uses{evaluator: &evaluator{}, dispatch: &dispatch{}, checking: &checking{}, ahead: &ahead{}}
	u.begin(ctx, s, table)
	return &Resolver{u.evaluator, u.scopes, u.members, u.modules, u.dispatch, u.checking, u}
}

// NewPlanner is a resolver that leaves nothing out: who changes code has to know all that may be meant.
func NewPlanner(ctx context.Context, s *store.Snapshot) *Resolver {
	r := NewResolver(ctx, s)
	r.narrowing.wide = true
	return r
}
