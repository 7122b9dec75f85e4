package code

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"helve/engine/code/internal/store"
)

// alikeTree defines one name so often, and refers to it so often, that no question about it is answered in one look at
// the clock.
func alikeTree(t *testing.T) *Snapshot {
	t.Helper()
	var b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&b, "class A%d extends A%d {\n void f(int a) { f(%d); this.f(1); x.f(2); }\n}\n", i+1, i, i)
	}
	s, _ := open1(t, map[string]string{"A.java": "class A0 { void f(int a) { A0 a = f(a); } }\n" + b.String()})
	return s
}

// searches are the questions that go through the tree, with whether they say that time ended them.
func searches(s *Snapshot) map[string]func(ctx context.Context) (bool, error) {
	return map[string]func(ctx context.Context) (bool, error){
		"dependents": func(ctx context.Context) (bool, error) {
			e, err := s.Dependents(ctx, "f", Page{})
			return e.Stopped, err
		},
		"dependencies": func(ctx context.Context) (bool, error) {
			e, err := s.Dependencies(ctx, "f", Page{})
			return e.Stopped, err
		},
		"impact": func(ctx context.Context) (bool, error) {
			im, err := s.ImpactOfName(ctx, "A0", Limits{})
			return im.Stopped, err
		},
		"impact of a range": func(ctx context.Context) (bool, error) {
			im, err := s.ImpactOfRanges(ctx, []Range{{Path: "A.java", From: 1, To: 9}}, Limits{})
			return im.Stopped, err
		},
		"chain": func(ctx context.Context) (bool, error) {
			c, err := s.Chain(ctx, "A2000.f", "A0")
			return c.Stopped, err
		},
		"file dependencies": func(ctx context.Context) (bool, error) {
			l, err := s.FileDependencies(ctx, "A.java", Page{})
			return l.Stopped, err
		},
	}
}

// TestAQuestionEndsWithItsTime: the deadline has passed before the question, which says so, and is no error.
func TestAQuestionEndsWithItsTime(t *testing.T) {
	ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	for what, ask := range searches(alikeTree(t)) {
		stopped, err := ask(ctx)
		if err != nil || !stopped {
			t.Errorf("%s after its time: stopped %v, error %v", what, stopped, err)
		}
	}
}

func TestAQuestionThatIsTakenBackFails(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for what, ask := range searches(alikeTree(t)) {
		if _, err := ask(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, taken back: %v", what, err)
		}
	}
}

// TestARankingThatTimeEndedLeavesNothingIncomplete: the question goes on after it, and finds what it would have found.
func TestARankingThatTimeEndedLeavesNothingIncomplete(t *testing.T) {
	s := alikeTree(t)
	over, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	ask := func(first context.Context) int {
		r := newResolver(first, s)
		group, others, err := r.Only("f")
		if err != nil || len(group)+len(others) != 2001 {
			t.Fatalf("f means %d definitions, %v", len(group)+len(others), err)
		}
		r.Clock = store.Clock{Context: t.Context()}
		m := r.MentionsOf(r.Def(group[0]).Name, store.Family(s.tree.Files[group[0].File].Lang))
		return len(m.List) + m.Nowhere + m.Elsewhere
	}
	if got, want := ask(over), ask(t.Context()); got != want || want == 0 {
		t.Errorf("%d mentions after a ranking that was ended, want %d", got, want)
	}
}
