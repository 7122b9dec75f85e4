package source

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"helve/tool"
)

// A slow source brings a tool after a while, or fails as long as it is broken.
type slow struct {
	name  string
	after time.Duration

	mu     sync.Mutex
	broken bool
	asked  int
}

func (s *slow) Name() string { return s.name }

func (s *slow) Tools(ctx context.Context) ([]tool.Tool, error) {
	select {
	case <-time.After(s.after):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	if s.broken {
		return nil, errors.New("broken")
	}
	run := func(context.Context, *tool.Call, struct{}) (*tool.Result, error) { return tool.Textf("done"), nil }
	origin := tool.Origin{Kind: tool.MCP, Server: s.name, Name: "find_" + s.name}
	return []tool.Tool{tool.New(tool.Spec{Name: origin.Name, Origin: origin, Doc: tool.Doc{Short: "Finds."}}, run)}, nil
}

func (s *slow) mended() { s.mu.Lock(); defer s.mu.Unlock(); s.broken = false }

// following is a loader in a bubble that lists sources in the background.
func following(t *testing.T, registry *tool.Registry, sources ...tool.Source) *Loader {
	l := &Loader{Registry: registry, Patience: func(string) time.Duration { return time.Minute }}
	t.Cleanup(func() { l.Close(); registry.Close() })
	l.Add(sources...)
	l.Follow()
	return l
}

// A wait for a tool ends when the tool has come, whoever else is still starting; one for a tool that names its source waits for that
// source alone; nothing waits for what has come. Time is the bubble's own.
func TestAWaitIsForTheToolThatIsWanted(t *testing.T) {
	for _, c := range []struct {
		name string
		want time.Duration
	}{
		{"find_quick", 2 * time.Second}, // by its own name: any of them may have it
		{"mcp__quick__find_quick", 2 * time.Second},
		{"quick__nothing", 2 * time.Second},
		{"functions.mcp__later__find_later", 5 * time.Second},
		{"nothing", 9 * time.Second},
		{"", 9 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			l := following(t, &tool.Registry{},
				&slow{name: "quick", after: 2 * time.Second}, &slow{name: "later", after: 5 * time.Second}, &slow{name: "last", after: 9 * time.Second})
			begin := time.Now()
			Loaders{l}.Wait(t.Context(), c.name)
			if got := time.Since(begin); got != c.want {
				t.Errorf("%q waited %v, want %v", c.name, got, c.want)
			}
		})
	}
}

// A wait is over with its context, and leaves nothing behind.
func TestAWaitIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := following(t, &tool.Registry{}, &slow{name: "slow", after: 30 * time.Second})
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
		defer stop()
		begin := time.Now()
		Loaders{l}.Wait(ctx, "slow__find_slow")
		if got := time.Since(begin); got != 10*time.Second {
			t.Errorf("waited %v", got)
		}
		starting, absent := Loaders{l}.Missing("slow__find_slow")
		if !slices.Equal(starting, []string{"slow"}) || absent != nil {
			t.Errorf("starting %v, absent %v", starting, absent)
		}
	})
}

// A source that did not come is named as absent until it comes. A call that names it asks it again; a search does not.
func TestAnAbsentSourceIsAskedAgainByName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{name: "slow", after: time.Second, broken: true}
		l := following(t, &tool.Registry{}, s, &slow{name: "there"})
		Loaders{l}.Wait(t.Context(), "")
		for _, name := range []string{"", "slow__find_slow", "unheard_of"} {
			starting, absent := Loaders{l}.Missing(name)
			if starting != nil || !slices.Equal(absent, []string{"slow"}) {
				t.Errorf("%q: starting %v, absent %v", name, starting, absent)
			}
		}
		if _, absent := (Loaders{l}).Missing("there__find"); absent != nil {
			t.Errorf("another's tool: %v", absent)
		}
		asked := s.asked
		s.mended()
		Loaders{l}.Wait(t.Context(), "")
		if s.asked != asked {
			t.Error("a search asked again")
		}
		Loaders{l}.Wait(t.Context(), "mcp__slow__find_slow")
		if _, absent := (Loaders{l}).Missing(""); absent != nil || !l.Registry.View().Has("mcp__slow__find_slow") {
			t.Errorf("asked %d times, absent %v", s.asked, absent)
		}
	})
}

// What a session lists for itself hides the common source of the same name, whatever becomes of that one.
func TestASessionsOwnSourceCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		common := &tool.Registry{}
		shared := following(t, common, &slow{name: "own", broken: true}, &slow{name: "other", broken: true})
		own := following(t, common.Branch(), &slow{name: "own", after: time.Second})
		ls := Loaders{own, shared}
		synctest.Wait()
		starting, absent := ls.Missing("")
		if !slices.Equal(starting, []string{"own"}) || !slices.Equal(absent, []string{"other"}) {
			t.Errorf("starting %v, absent %v", starting, absent)
		}
		ls.Wait(t.Context(), "find_own")
		starting, absent = ls.Missing("own__find_own")
		if starting != nil || absent != nil {
			t.Errorf("starting %v, absent %v", starting, absent)
		}
	})
}

// What a source says of itself stands after its name once, however a registry wrapped it.
func TestAFailedSourceIsNamedOnce(t *testing.T) {
	said := errors.New("mcp server x: it is dead")
	for _, err := range []error{said, fmt.Errorf("x: %w", said), errors.Join(fmt.Errorf("x: %w", said)), errors.Join(said)} {
		if e := failed("x", err); e.Source != "x" || e.Err.Error() != said.Error() {
			t.Errorf("of %q: %s: %q, want %q", err, e.Source, e.Err, said)
		}
	}
}
