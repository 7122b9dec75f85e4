//go:build unix

package history

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"helve/internal/change"
)

// try plans a wish and does it as far as it goes.
func (g *ground) try(w Wish) (*Outcome, error) {
	g.t.Helper()
	calls, err := g.store.Choose(w)
	if err != nil {
		return nil, err
	}
	w.Calls = calls
	plan, err := g.store.Plan(w)
	if err != nil {
		g.t.Fatal(err)
	}
	g.calls++
	call := Call{ID: "call" + strconv.Itoa(g.calls), Time: time.Unix(int64(g.calls), 0), Tool: "undo"}
	out, err := g.store.Apply(context.Background(), call, plan, w.Force)
	if err != nil {
		g.t.Fatal(err)
	}
	return out, nil
}

// of is a call as the history has it.
func (g *ground) of(id string) Call {
	g.t.Helper()
	calls, err := g.store.Find(id)
	if err != nil {
		g.t.Fatal(err)
	}
	return calls[0]
}

func (g *ground) wantText(name, want string) {
	g.t.Helper()
	if got := g.get(name); got != want {
		g.t.Errorf("%s is %q, want %q", name, got, want)
	}
}

func TestAnUndoInPartLeavesTheRestToForce(t *testing.T) {
	for _, named := range []bool{false, true} {
		g := newGround(t)
		g.put("a", "a")
		g.put("f", "f")
		older := g.call(file("old", "old"))
		id := g.call(file("a", "A"), file("f", "F"))
		g.put("f", "mine")
		if out, err := g.try(Wish{}); err != nil || len(out.Refused) != 1 {
			t.Fatalf("undo: %+v, %v; want one path left alone", out, err)
		}
		if c := g.of(id); c.Undone || len(c.Rest) != 1 || c.Rest[0].Path != "f" {
			t.Fatalf("the call is undone: %v, its rest %v; want f", c.Undone, c.Rest)
		}
		g.put("a", "a, and mine since") // it was taken back: nothing of it is the call's any more
		w := Wish{Force: true}
		if named {
			w.ID = id
		}
		if _, err := g.try(w); err != nil {
			t.Fatal(err)
		}
		g.wantText("f", "f")
		g.wantText("a", "a, and mine since")
		if c := g.of(id); !c.Undone {
			t.Errorf("the call is not undone after the rest was: %v", c.Rest)
		}
		if c := g.of(older); c.Undone {
			t.Error("the call before it is undone")
		}
		g.apply(g.store.Plan(Wish{Kind: Redo})) // the rest
		g.wantText("f", "mine")
		if c := g.of(id); len(c.Rest) != 1 {
			t.Errorf("after redo of the rest, what is in force is %v; want f", c.Rest)
		}
	}
}

func TestWithoutForceUndoGoesOnToTheCallBefore(t *testing.T) {
	g := newGround(t)
	g.call(file("old", "old"))
	g.put("f", "f")
	g.call(file("a", "A"), file("f", "F"))
	g.put("f", "mine")
	if _, err := g.try(Wish{}); err != nil {
		t.Fatal(err)
	}
	if _, err := g.try(Wish{}); err != nil {
		t.Fatal(err)
	}
	g.wantText("f", "mine")
	if _, err := g.try(Wish{}); !errors.Is(err, ErrForce) {
		t.Errorf("a third undo: %v, want %v", err, ErrForce)
	}
}

func TestARedoInPartLeavesBothHalvesToBeTaken(t *testing.T) {
	g := newGround(t)
	g.put("a", "a")
	g.put("f", "f")
	id := g.call(file("a", "A"), file("f", "F"))
	g.apply(g.store.Plan(Wish{}))
	g.put("f", "mine")
	if out, err := g.try(Wish{Kind: Redo}); err != nil || len(out.Refused) != 1 {
		t.Fatalf("redo: %+v, %v; want one path left alone", out, err)
	}
	if c := g.of(id); len(c.Rest) != 1 || c.Rest[0].Path != "a" {
		t.Fatalf("in force of the call is %v; want a", c.Rest)
	}
	if _, err := g.try(Wish{Kind: Redo}); !errors.Is(err, ErrForce) {
		t.Errorf("a second redo: %v, want %v", err, ErrForce)
	}
	if _, err := g.try(Wish{Kind: Redo, Force: true}); err != nil {
		t.Fatal(err)
	}
	g.wantText("f", "F")
	if c := g.of(id); c.Undone || c.Rest != nil {
		t.Errorf("after the rest was redone the call is undone %v, its rest %v", c.Undone, c.Rest)
	}
}

func TestAnUndoThatSomebodyDidByHandGoesOn(t *testing.T) {
	g := newGround(t)
	g.call(file("old", "old"))
	g.put("f", "f")
	g.call(file("f", "F"))
	g.put("f", "f")
	for range 2 {
		if _, err := g.try(Wish{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := g.store.Choose(Wish{}); !errors.Is(err, ErrNothing) {
		t.Errorf("a third undo: %v, want %v", err, ErrNothing)
	}
}

func TestWhatNoForceBringsBackIsNotWaitedFor(t *testing.T) {
	g := newGround(t)
	id := g.call(file("a", "A"), file("secret", "S"))
	g.store.o.Denied = func(at change.Place) bool { return at.Path == "secret" }
	if _, err := g.try(Wish{}); err != nil {
		t.Fatal(err)
	}
	if c := g.of(id); c.Undone || len(c.Rest) != 1 {
		t.Errorf("the call is undone: %v, its rest %v; want secret", c.Undone, c.Rest)
	}
	if _, err := g.try(Wish{Force: true}); !errors.Is(err, ErrNothing) {
		t.Errorf("undo with force: %v, want %v", err, ErrNothing)
	}
	g.store.o.Denied = nil
	if _, err := g.try(Wish{ID: id}); err != nil {
		t.Fatal(err)
	}
	if c := g.of(id); !c.Undone {
		t.Error("named after the rule went, it is not undone")
	}
}

// Whatever calls, people, undos and redos did: force takes back the rest of everything, in a bounded number of steps,
// and so it is after the journal was written anew.
func TestForceComesToAnEndWhateverHappened(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 1))
		g := newGround(t)
		name := func() string { return string(rune('a' + r.IntN(4))) }
		for step := range 25 {
			text := fmt.Sprintf("%d of %d", step, seed)
			switch r.IntN(6) {
			case 0, 1:
				first := r.IntN(3)
				g.call(file(string(rune('a'+first)), text), file(string(rune('b'+first)), text))
			case 2:
				g.put(name(), "mine "+text)
			case 3:
				g.try(Wish{Kind: Redo, Force: r.IntN(2) == 0})
			case 4:
				g.try(Wish{Force: r.IntN(2) == 0})
			case 5:
				g.try(Wish{ID: "call" + strconv.Itoa(1+r.IntN(g.calls+1))})
			}
		}
		before, _ := g.store.List(0)
		if _, err := g.store.prune(time.Time{}, 1<<40, true); err != nil {
			t.Fatal(err)
		}
		after, _ := g.store.List(0)
		for i, c := range before.Calls {
			now := after.Calls[i]
			if c.Undone != now.Undone || len(c.Rest) != len(now.Rest) {
				t.Errorf("seed %d: %s was undone %v but for %d, and after the journal was written anew %v but for %d",
					seed, c.ID, c.Undone, len(c.Rest), now.Undone, len(now.Rest))
			}
		}
		g.forceAll(seed)
	}
}

// forceAll takes everything back, and wants that no more steps are needed than there are changes.
func (g *ground) forceAll(seed uint64) {
	g.t.Helper()
	for range 200 {
		_, err := g.try(Wish{Force: true})
		if errors.Is(err, ErrNothing) {
			return
		}
		if err != nil {
			g.t.Fatalf("seed %d: %v", seed, err)
		}
	}
	g.t.Errorf("seed %d: undo with force finds no end", seed)
}
