//go:build unix

package history

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"helve/internal/change"
)

// Of two undos at once, one takes the call back, and the other is told so: it does not take back another one.
func TestTwoUndosAtOnceTakeOneCallBack(t *testing.T) {
	g := newGround(t)
	g.put("f", "0")
	g.call(file("f", "1"))
	g.call(file("f", "2"))
	var plans []*Plan
	for range 4 {
		plan, err := g.store.PlanUndo("")
		if err != nil {
			t.Fatal(err)
		}
		plans = append(plans, plan)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	done, late := 0, 0
	for i, plan := range plans {
		wg.Go(func() {
			out, err := g.store.Apply(context.Background(), Call{ID: "u" + strconv.Itoa(i)}, plan, false)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case errors.Is(err, ErrLate):
				late++
			case err != nil:
				t.Error(err)
			case len(out.Done) == 1:
				done++
			}
		})
	}
	wg.Wait()
	if done != 1 || late != 3 || g.get("f") != "1" {
		t.Errorf("%d did it, %d were late, it is %q", done, late, g.get("f"))
	}
}

// A clock that was set back for a while makes no call old, nor those before it.
func TestAClockThatWentBackForgetsNothing(t *testing.T) {
	g := newGround(t)
	now := time.Now()
	for i, at := range []time.Time{now, time.Unix(0, 0), now} {
		r, err := g.store.Begin(Call{ID: "c" + strconv.Itoa(i), Time: at})
		if err != nil {
			t.Fatal(err)
		}
		name := change.Name("f" + strconv.Itoa(i))
		if _, err := r.Add(change.Place{Path: name}, change.Entry{Type: change.Dir}, nil); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(r.Commit(), os.Mkdir(g.path(string(name)), 0o755), r.Done()); err != nil {
			t.Fatal(err)
		}
		r.Close()
	}
	if p, err := g.store.Prune(now.Add(-DefaultAge), DefaultBytes); err != nil || p.Calls != 0 {
		t.Errorf("%+v were forgotten: %v", p, err)
	}
	if p, err := g.store.Prune(now.Add(time.Hour), DefaultBytes); err != nil || p.Calls != 3 {
		t.Errorf("%+v were forgotten: %v", p, err)
	}
}

// What rules deny meanwhile is neither read nor changed, by no force; the rest of the call is undone.
func TestWhatIsDeniedMeanwhileIsLeftAlone(t *testing.T) {
	g := newGround(t)
	g.put("a", "old")
	g.put("secret", "old")
	g.call(file("a", "new"), file("secret", "new"))
	g.store.o.Denied = func(at change.Place) bool { return at.Path == "secret" }
	plan, err := g.store.PlanUndo("")
	if err != nil {
		t.Fatal(err)
	}
	out, err := g.store.Apply(context.Background(), Call{ID: "u"}, plan, true)
	if err != nil || len(out.Refused) != 1 || !out.Refused[0].Denied() || len(out.Done) != 1 {
		t.Errorf("%v: %+v", err, out)
	}
	if g.get("a") != "old" || g.get("secret") != "new" {
		t.Errorf("a is %q, secret %q", g.get("a"), g.get("secret"))
	}
}

// A file that became a directory since is left alone; by force the directory goes, and can be had again.
func TestAFileThatBecameADirectoryIsNotLost(t *testing.T) {
	g := newGround(t)
	g.put("f", "old")
	g.call(file("f", "new"))
	if err := errors.Join(os.Remove(g.path("f")), os.MkdirAll(g.path("f/d"), 0o755)); err != nil {
		t.Fatal(err)
	}
	g.put("f/d/mine", "text")
	plan, err := g.store.PlanUndo("")
	if err != nil {
		t.Fatal(err)
	}
	if c := plan.Conflicts(); len(c) != 1 || !strings.Contains(c[0].Conflict, "a directory now") {
		t.Fatalf("conflicts %+v", c)
	}
	out, err := g.store.Apply(context.Background(), Call{ID: "u1"}, plan, false)
	if err != nil || len(out.Done) != 0 || g.get("f/d/mine") != "text" {
		t.Fatalf("%v: %+v", err, out)
	}
	if _, err := g.store.Apply(context.Background(), Call{ID: "u2"}, plan, true); err != nil || g.get("f") != "old" {
		t.Fatalf("by force: %v, it is %q", err, g.get("f"))
	}
	g.apply(g.store.PlanRedo())
	if g.get("f/d/mine") != "text" {
		t.Errorf("it did not come back: %q", g.get("f/d/mine"))
	}
}

// A session takes back its own calls only, and what a person did between them stays.
func TestASessionTakesBackItsOwnCalls(t *testing.T) {
	g := newGround(t)
	for i, session := range []string{"s", "other"} {
		name := "f" + strconv.Itoa(i)
		c := Call{ID: session, Time: time.Now(), Session: session}
		if _, err := g.store.make(context.Background(), c, &change.Set{Changes: []change.Change{file(name, "x")}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := g.store.Choose(Wish{ID: "other", Session: "s"}); !errors.Is(err, ErrNotOwn) {
		t.Errorf("another's call: %v", err)
	}
	plan, err := g.store.Plan(Wish{Session: "s"})
	if err != nil || plan.Calls[0].ID != "s" {
		t.Fatalf("%v: %+v", err, plan)
	}
	g.apply(plan, nil)
	if _, err := g.store.Plan(Wish{Session: "s"}); !errors.Is(err, ErrNothing) {
		t.Errorf("its only call is undone: %v", err)
	}
	if g.get("f1") != "x" {
		t.Error("the other's file went")
	}
}

// Everything can be forgotten, also what cannot be read.
func TestAHistoryThatCannotBeReadIsForgotten(t *testing.T) {
	g := newGround(t)
	g.call(file("a", "x"))
	b, err := line{Version: version + 1}.encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(g.store.journal(), b, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := g.store.Forget(); err != nil {
		t.Fatal(err)
	}
	list, err := g.store.List(0)
	if err != nil || len(list.Calls) != 0 {
		t.Errorf("%v, %d calls", err, len(list.Calls))
	}
	g.call(file("a", "y"))
	g.apply(g.store.PlanUndo(""))
	if g.get("a") != "x" {
		t.Errorf("it is %q", g.get("a"))
	}
}
