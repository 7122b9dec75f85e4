package workspace

import (
	"context"
	"slices"
	"strings"
	"testing"

	"helve/tool"
	"helve/wrap"
)

// passes is a middleware that notes that a call passed it.
func passes(name string, by *[]string) func(tool.Caller) tool.Caller {
	return func(next tool.Caller) tool.Caller {
		return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
			*by = append(*by, name)
			return next(ctx, c)
		}
	}
}

func (s *stand) kits() *kits {
	s.t.Helper()
	g := s.guard()
	all := newSources(&tool.Registry{}, &brought{}, false, g.conf.opened, s.say())
	kept := newRecords(s.o.State, s.say())
	s.t.Cleanup(func() {
		if err := all.close(); err != nil {
			s.t.Error(err)
		}
		if err := kept.close(); err != nil {
			s.t.Error(err)
		}
	})
	k := newKits(&s.o, g, all.brought)
	k.surround(&s.o, &calls{}, kept, all, &wrap.Hooks{})
	return k
}

// A call passes what a program put around everything first, and what one kit has around its calls last.
func TestMiddlewaresStandInTheirOrder(t *testing.T) {
	s := stands(t)
	var by []string
	s.o.Outermost = []func(tool.Caller) tool.Caller{passes("outermost", &by)}
	s.o.Around = []func(tool.Caller) tool.Caller{passes("around", &by)}
	k := s.kits()
	o, err := k.options(KitOptions{Around: []func(tool.Caller) tool.Caller{passes("kit", &by)}})
	if err != nil {
		t.Fatal(err)
	}
	call := tool.Caller(func(_ context.Context, c *tool.Call) (*tool.Result, error) {
		by = append(by, "call")
		return &tool.Result{}, nil
	})
	for _, around := range slices.Backward(o.Around) {
		call = around(call)
	}
	if _, err := call(t.Context(), &tool.Call{Name: "echo"}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"outermost", "around", "kit", "call"}; !slices.Equal(by, want) {
		t.Errorf("passed %q, want %q", by, want)
	}
}

// Every kit has the workspace's approvals and asks whom the workspace asks, unless it says whom; and it is of a profile
// that there is.
func TestKitsAskWhomTheWorkspaceAsks(t *testing.T) {
	s := stands(t)
	answers := func(note string) tool.Asker {
		return func(context.Context, *tool.Question) (tool.Answer, error) { return tool.Answer{Note: note}, nil }
	}
	s.o.Ask = answers("workspace")
	k := s.kits()
	for _, c := range []struct {
		own  tool.Asker
		want string
	}{{nil, "workspace"}, {answers("own"), "own"}} {
		o, err := k.options(KitOptions{Ask: c.own})
		if err != nil {
			t.Fatal(err)
		}
		if a, _ := o.Ask(t.Context(), nil); a.Note != c.want || o.Grants != k.guard.grants {
			t.Errorf("%s is asked, want %s", a.Note, c.want)
		}
	}
	if _, err := k.options(KitOptions{Profile: "nobody"}); err == nil {
		t.Error("a kit of a profile that there is not")
	}
}

// Whoever has others do its work lists tools itself: what is listed of them here would be another definition.
func TestKitsOfAWorkerListDefinitionsAsTheyAre(t *testing.T) {
	for _, worker := range []bool{false, true} {
		s := stands(t)
		s.o.Worker = worker
		o, err := s.kits().options(KitOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if (o.Listing == nil) != worker {
			t.Errorf("worker %v: listing %v", worker, o.Listing)
		}
	}
}

// A hook is a command for the calls that it names, and one that is none is an error with its place: what it was to
// prevent would happen.
func TestHooksAreCommandsForSomeCalls(t *testing.T) {
	s := stands(t)
	s.user(`{"hooks":[{"on":"after","command":"true","match":"bash"},` + "\n" + `{"on":"before","command":"'"}]}`)
	if _, err := hooksOf(s.guard(), nil); err == nil || !strings.Contains(err.Error(), `:2: hooks: "'" is no command`) {
		t.Errorf("a hook that is no command: %v", err)
	}
	s.user(`{"hooks":[{"on":"after","command":"true ~/x","match":"bash"}]}`)
	hooks, err := hooksOf(s.guard(), nil)
	if err != nil {
		t.Fatal(err)
	}
	h := hooks.List[0]
	if !h.After || !slices.Equal(h.Argv, []string{"true", s.home + "/x"}) || !h.Match(&tool.Spec{Name: "bash"}) || h.Match(&tool.Spec{Name: "read"}) {
		t.Errorf("%+v", h)
	}
}
