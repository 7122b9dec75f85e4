package policy_test

import (
	"errors"
	"testing"

	"helve/policy"
	"helve/tool"
)

func TestWhatASessionApprovedIsShownAndTakenBack(t *testing.T) {
	store := policy.Memory()
	g := policy.NewGrants(policy.GrantOptions{Workspace: "/here", Store: store})
	elsewhere := policy.NewGrants(policy.GrantOptions{Workspace: "/there", Store: store})
	me := &tool.Session{ID: "1", Principal: "me"}
	you := &tool.Session{ID: "2", Principal: "you"}
	remember := func(j *tool.Job, span tool.Span) {
		t.Helper()
		if err := g.Remember(j, tool.Answer{Yes: true, For: span}); err != nil {
			t.Fatal(err)
		}
	}
	mine, yours := asked(edit, me, `{}`, "", "a"), asked(edit, you, `{}`, "", "a")
	lasting := asked(edit, me, `{}`, "", "b")
	remember(mine, tool.ThisSession)
	remember(yours, tool.ThisSession)
	remember(lasting, tool.Always)

	list := g.Session(me)
	if len(list) != 1 || list[0].Title != mine.Title || list[0].Principal != "me" {
		t.Fatalf("%+v", list)
	}
	if err := g.Revoke(me, list[0].ID); err != nil {
		t.Fatal(err)
	}
	if granted(g, mine) || len(g.Session(me)) != 0 || !granted(g, yours) || !granted(g, lasting) {
		t.Error("it still holds, or another does not")
	}
	if err := g.Revoke(me, list[0].ID); !errors.Is(err, policy.ErrNoGrant) {
		t.Errorf("a second time: %v", err)
	}

	// For always: of this workspace and this principal only.
	id, _ := g.Granted(lasting)
	for _, c := range []struct {
		g *policy.Grants
		s *tool.Session
	}{{g, you}, {g, nil}, {elsewhere, me}} {
		if err := c.g.Revoke(c.s, id); !errors.Is(err, policy.ErrNoGrant) || !granted(g, lasting) {
			t.Errorf("another took it back: %v", err)
		}
	}
	if err := g.Revoke(me, id); err != nil || granted(g, lasting) {
		t.Errorf("%v, or it still holds", err)
	}
	if list := g.Session(nil); list != nil {
		t.Errorf("no session has %v", list)
	}
}

// A conversation that goes on in another process has there what was approved in it, and nobody else has it.
func TestASessionsApprovalsCanBeKeptWhereOtherProcessesFindThem(t *testing.T) {
	kept := map[string]policy.GrantStore{}
	storeOf := func(s *tool.Session) policy.GrantStore {
		if s.ID == "alone" {
			return nil
		}
		if kept[s.ID] == nil {
			kept[s.ID] = policy.Memory()
		}
		return kept[s.ID]
	}
	replica := func() *policy.Grants { return policy.NewGrants(policy.GrantOptions{Session: storeOf}) }
	job := func(id string) *tool.Job { return asked(edit, &tool.Session{ID: id, Principal: "me"}, `{}`, "", "a") }
	yes := tool.Answer{Yes: true, For: tool.ThisSession}

	one, other := replica(), replica()
	if err := one.Remember(job("shared"), yes); err != nil {
		t.Fatal(err)
	}
	if !granted(other, job("shared")) || granted(other, job("another")) {
		t.Error("the other replica asks again, or another conversation has it")
	}
	if list := other.Session(job("shared").Call.Session); len(list) != 1 {
		t.Errorf("shown: %v", list)
	} else if err := other.Revoke(job("shared").Call.Session, list[0].ID); err != nil || granted(one, job("shared")) {
		t.Errorf("taken back at the other: %v, or it still holds", err)
	}
	if err := one.Remember(job("alone"), yes); err != nil || granted(other, job("alone")) {
		t.Errorf("a session without such a place: %v", err)
	}

	kept["lost"] = broken{}
	if err := one.Remember(job("lost"), yes); err == nil || granted(one, job("lost")) {
		t.Errorf("a place that fails remembers: %v", err)
	}
}
