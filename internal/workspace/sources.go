package workspace

import (
	"errors"
	"slices"
	"sync"
	"time"

	"helve/source"
	"helve/tool"
)

// waitExtra is what the listing of a source may take beyond its own start time-out. The source ends it itself, says why
// and remembers it; on a machine that is busy ending its server may take seconds.
const waitExtra = 20 * time.Second

// defaultPatience is how long a listing of a source is waited for that does not say: that of an MCP server.
const defaultPatience = 10 * time.Second

// sources list the tools that come from elsewhere: for all in one registry, and for a session on its own where servers
// list for it alone.
type sources struct {
	registry   *tool.Registry
	brought    *brought
	loader     *source.Loader
	resident   bool
	dropUnused time.Duration // after which tools that nobody calls are put away; 0: never
	say        messages

	views  sessionViews
	unused unused
	watch  sync.Once
}

// newSources makes what lists the sources of parts, before there are any.
func newSources(in *tool.Registry, from *brought, resident bool, s *settings, say messages) *sources {
	out := &sources{
		registry:   in,
		brought:    from,
		resident:   resident,
		dropUnused: time.Duration(s.DropUnused),
		say:        say,
	}
	out.loader = &source.Loader{
		Registry: in,
		Patience: out.patience,
		Away:     source.IsAway,
		Late:     func(err *source.Error) { say.log.Error(err.Err.Error()) },
	}
	return out
}

// close ends the listing, then what the parts have begun.
func (s *sources) close() error {
	return errors.Join(s.loader.Close(), s.brought.end(), s.registry.Close())
}

// add adds what the parts have brought.
func (s *sources) add() error {
	s.loader.Add(s.brought.sources...)
	if s.brought.later == nil {
		return nil
	}
	more, err := s.brought.later()
	s.loader.Add(more...)
	return err
}

// follow lists the sources in the background.
func (s *sources) follow() <-chan struct{} {
	s.watch.Do(s.watchUnused)
	return s.loader.Follow()
}

// followAllBut is follow without the servers that a session lists for itself.
func (s *sources) followAllBut(own []tool.Source) {
	s.watch.Do(s.watchUnused)
	s.loader.FollowOnly(func(t tool.Source) bool {
		return !slices.ContainsFunc(own, func(o tool.Source) bool { return o.Name() == t.Name() })
	})
}

// patience is how long a listing of this source is waited for.
func (s *sources) patience(name string) time.Duration {
	own, ok := s.brought.patience[name]
	if !ok {
		own = defaultPatience
	}
	return own + waitExtra
}
