package source

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"helve/tool"
)

var errAway = errors.New("away")

// gone is a source that is known to be away: its first listing says so, later ones take their time.
type gone struct{ slow }

func (g *gone) Tools(ctx context.Context) ([]tool.Tool, error) {
	g.mu.Lock()
	g.asked++
	first := g.asked == 1
	g.mu.Unlock()
	if first {
		return nil, errAway
	}
	return g.slow.Tools(ctx)
}

// Nobody who lists waits for a source that is known to be away: it is absent at once, with a word, and not asked.
func TestAFollowerDoesNotWaitForWhatIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &gone{slow{name: "gone", after: 10 * time.Second}}
		var told []string
		l := &Loader{
			Registry: &tool.Registry{},
			Patience: func(string) time.Duration { return time.Minute },
			Away:     func(err error) bool { return errors.Is(err, errAway) },
			Late:     func(e *Error) { told = append(told, e.Error()) },
		}
		defer l.Registry.Close()
		defer l.Close()
		l.Add(g, &slow{name: "there"})
		begin := time.Now()
		<-l.Follow()
		Loaders{l}.Wait(t.Context(), "")
		Loaders{l}.WaitFirst(t.Context(), 2*time.Second)
		if took := time.Since(begin); took != 0 {
			t.Errorf("it was waited for %v", took)
		}
		starting, absent := Loaders{l}.Missing("")
		if starting != nil || !slices.Equal(absent, []string{"gone"}) || g.asked != 1 || !slices.Equal(told, []string{"gone: away"}) {
			t.Errorf("starting %v, absent %v, asked %d times, told %q", starting, absent, g.asked, told)
		}
	})
}

// A list waits for a source from when that began to start, and no second list waits again.
func TestTheFirstWaitIsCountedFromTheBeginning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := following(t, &tool.Registry{}, &slow{name: "slow", after: 30 * time.Second}, &slow{name: "quick", after: time.Second})
		begin := time.Now()
		for _, want := range []time.Duration{2 * time.Second, 2 * time.Second, 2 * time.Second} {
			Loaders{l}.WaitFirst(t.Context(), 2*time.Second)
			if got := time.Since(begin); got != want {
				t.Errorf("waited until %v, want %v", got, want)
			}
		}
	})
}
