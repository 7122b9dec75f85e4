package policy_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"

	"helve/policy"
	"helve/tool"
)

func rulesOff(t *testing.T, names ...string) *policy.Rules {
	t.Helper()
	l := policy.Layer{Name: "user"}
	for _, n := range names {
		l.Disabled = append(l.Disabled, policy.Name{Name: n})
	}
	r, err := policy.New(policy.Options{Mode: policy.Auto, Own: []string{"a", "b"}}, l)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAKitFollowsRulesThatAreExchanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		live := policy.NewLive(rulesOff(t))
		reg := &tool.Registry{}
		work := func(context.Context, *tool.Call, struct{}) (*tool.Result, error) { return tool.Textf("done"), nil }
		for _, name := range []string{"a", "b"} {
			if err := reg.Add(tool.New(tool.Spec{Name: name, Kind: tool.Read, ReadOnly: true}, work)); err != nil {
				t.Fatal(err)
			}
		}
		k := reg.Kit(tool.KitOptions{Policy: live})
		ctx, stop := context.WithCancel(t.Context())
		seen := make(chan int, 10)
		go func() {
			defer close(seen)
			for v := range k.Watch(ctx) {
				seen <- v.Len()
			}
		}()
		runs := func(name string) bool {
			res, err := k.Call(t.Context(), &tool.Call{Name: name})
			return err == nil && res.Err == nil
		}
		synctest.Wait()
		if n := <-seen; n != 2 || !runs("b") {
			t.Errorf("%d tools, or b does not run", n)
		}
		live.Set(rulesOff(t, "b"))
		synctest.Wait()
		if n := <-seen; n != 1 || runs("b") || !runs("a") {
			t.Errorf("%d tools, or b runs, or a does not", n)
		}
		live.Set(rulesOff(t))
		synctest.Wait()
		if n := <-seen; n != 2 || !runs("b") {
			t.Errorf("%d tools, or b does not run again", n)
		}
		stop()
		for range seen { // closed when the watch has ended
		}
	})
}

func TestRulesAreExchangedWhileCallsAreJudged(t *testing.T) {
	on, off := rulesOff(t), rulesOff(t, "b")
	live := policy.NewLive(on)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 500 {
				live.Set(off)
				before := live.Revision()
				if r := live.Rules(); r != on && r != off || live.Revision() < before {
					t.Error("rules of nobody, or a revision that goes back")
				}
				live.Set(on)
			}
		})
	}
	wg.Wait()
	if live.Revision() != 4000 || live.Rules() != on {
		t.Errorf("revision %d", live.Revision())
	}
}
