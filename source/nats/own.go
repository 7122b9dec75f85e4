package natsbus

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"helve/internal/visible"
	"helve/internal/wire"
	"helve/tool"
)

const (
	// mostOwn is how many tools of their own a pool's workers may bring, and mostOwnBytes how much their definitions
	// may take together.
	mostOwn      = 5000
	mostOwnBytes = 64 << 20
	// mostRefused is how many definitions are remembered that were refused.
	mostRefused = 10_000
	// joinTime is how long the first listing waits for our workers where others have answered who is there, or nobody
	// is.
	joinTime = 500 * time.Millisecond
	// tellTime is how long it waits for the first answer, and for a worker that is there to tell of its tools.
	tellTime = 5 * time.Second
	// askEvery is how often a worker is asked for definitions that it did not tell.
	askEvery = 10 * time.Second
	// settledTime is for how long a list stands still before anybody is told: workers come one after another.
	settledTime = 100 * time.Millisecond
)

// ownTools are the tools that only the workers have. Pool.mu guards them.
type ownTools struct {
	moved   map[string]bool    // origins of tools that are ours, and whose work is done there
	known   map[string]*own    // by the digest of their definition
	bytes   int                // of known
	refused map[string]string  // why a definition is not used, by its digest
	gone    map[string]*parted // workers that have not been gone for long, by their names

	list    []*own          // as it stands, by the origins
	stale   bool            // workers came, went or have other tools since it was made
	found   map[string]bool // what was said of it already
	joined  time.Time
	asked   bool          // who is there, and something came back
	version int           // of list
	told    int           // the version that was listed last
	changed chan struct{} // closed when another list stands
}

// A parted worker may come back: its tools are listed for a while.
type parted struct {
	set   string
	since time.Time
}

func newOwnTools() ownTools {
	return ownTools{
		moved:   map[string]bool{},
		known:   map[string]*own{},
		refused: map[string]string{},
		gone:    map[string]*parted{},
		found:   map[string]bool{},
		joined:  time.Now(),
		changed: make(chan struct{}),
	}
}

var (
	_ tool.Source  = (*Pool)(nil)
	_ tool.Watcher = (*Pool)(nil)
)

// Name is that of the pool as a source of tools: those that only its workers have.
func (p *Pool) Name() string { return tool.Origin{Kind: tool.Remote, Server: p.o.Pool}.Source() }

// Tools are the tools that only the workers have, as they are known now. The first listing waits a moment for workers
// to tell of themselves.
func (p *Pool) Tools(ctx context.Context) ([]tool.Tool, error) {
	tick := time.NewTicker(joinTime / 50)
	defer tick.Stop()
	for !p.heardAll() {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-p.life.Done():
			return nil, fmt.Errorf("pool %s is left", p.o.Pool)
		case <-tick.C:
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.own.told = p.own.version
	out := make([]tool.Tool, len(p.own.list))
	for i, t := range p.own.list {
		out[i] = t
	}
	return out, nil
}

// heardAll tells whether the workers that answered have told of their tools, or had the time to.
func (p *Pool) heardAll() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	since := time.Since(p.own.joined)
	if since > tellTime {
		return true
	}
	for _, m := range p.members {
		if m.set == "" || m.fetching {
			return false
		}
	}
	return len(p.members) > 0 || p.own.asked && since > joinTime
}

// Watch tells when the workers have other tools.
func (p *Pool) Watch(ctx context.Context, changed func()) {
	for {
		p.mu.Lock()
		behind, next := p.own.version != p.own.told, p.own.changed
		p.mu.Unlock()
		if !behind {
			select {
			case <-next:
			case <-ctx.Done():
				return
			case <-p.life.Done():
				return
			}
		}
		select {
		case <-time.After(settledTime):
		case <-ctx.Done():
			return
		}
		changed()
	}
}

// lacks tells whether the pool wants to know more of the tools in a set. mu is held.
func (p *Pool) lacks(set string) bool {
	if !p.o.OwnTools {
		return false
	}
	for origin, digest := range p.sets[set] {
		if p.wants(origin) && p.own.known[digest] == nil && p.own.refused[digest] == "" {
			return true
		}
	}
	return false
}

// wants tells whether a tool of a worker is one that we have not. mu is held.
func (p *Pool) wants(origin string) bool {
	return !p.own.moved[origin] && !strings.HasPrefix(origin, string(tool.Builtin)+":")
}

// fetchOwnTime is how long a worker may take to tell the definitions of its own tools.
const fetchOwnTime = 10 * time.Second

// fetchOwn asks a worker for the definitions of its own tools that nobody told yet.
func (p *Pool) fetchOwn(instance string) error {
	ctx, stop := context.WithTimeout(p.life, fetchOwnTime)
	defer stop()
	for from, size := 0, 0; ; {
		msg, err := p.requestOf(ctx, instance, wire.VerbTools, wire.Encode(wire.ToolsFrom{From: from}))
		if err != nil {
			return err
		}
		body, err := openReply(msg.Data)
		if err != nil {
			return err
		}
		page, err := wire.ParseTools(body, from)
		if err != nil {
			return err
		}
		p.learn(page.Tools)
		size += len(body)
		if page.Next == 0 || size > mostOwnBytes {
			return nil
		}
		from = page.Next
	}
}

// learn takes definitions. Each has the digest by which workers say that they have it.
func (p *Pool) learn(offered []wire.Offered) {
	for i := range offered {
		o := &offered[i]
		t, digest, err := p.ownTool(o)
		p.mu.Lock()
		switch {
		case !p.wants(o.Origin) || p.own.known[digest] != nil:
		case err != nil:
			p.refuse(digest, o.Origin, err.Error())
		case len(p.own.known) >= mostOwn || p.own.bytes+o.Size() > mostOwnBytes:
			p.refuse(digest, o.Origin, "the workers bring too many tools")
		default:
			p.own.known[digest] = t
			p.own.bytes += o.Size()
		}
		p.mu.Unlock()
	}
}

// refuse notes that a definition is not used, and says why, once. mu is held.
func (p *Pool) refuse(digest, origin, why string) {
	if len(p.own.refused) >= mostRefused {
		clear(p.own.refused)
	}
	if digest != "" {
		p.own.refused[digest] = why
	}
	p.say(origin, why+": left out")
}

// say warns of a tool, once. mu is held.
func (p *Pool) say(origin, text string) {
	key := origin + "\x00" + text
	if p.own.found[key] {
		return
	}
	if len(p.own.found) >= mostRefused {
		clear(p.own.found)
	}
	p.own.found[key] = true
	p.o.Log.Warn("pool "+p.o.Pool+": "+text, "tool", visible.Line(origin))
}

// relist makes the list anew from what the workers have, and forgets definitions that nobody has. mu is held.
func (p *Pool) relist() {
	if !p.o.OwnTools {
		return
	}
	p.own.stale = false
	have := p.have()
	stands := map[string]string{}
	for _, t := range p.own.list {
		stands[t.from] = t.definition
	}
	var list []*own
	named := map[string]string{}
	used := map[string]bool{}
	for _, origin := range slices.Sorted(maps.Keys(have)) {
		t := p.pick(origin, have[origin], stands[origin])
		for digest := range have[origin] {
			used[digest] = true
		}
		if t == nil {
			continue
		}
		if other, taken := named[t.spec.Origin.Name]; taken {
			p.say(origin, "it is called as "+visible.Line(other)+" is: left out")
			continue
		}
		named[t.spec.Origin.Name] = origin
		list = append(list, t)
	}
	p.forgetUnused(used)
	if slices.Equal(list, p.own.list) {
		return
	}
	p.own.list = list
	p.own.version++
	close(p.own.changed)
	p.own.changed = make(chan struct{})
}

// have are the definitions of the tools that we have not, by their origins: how many workers have each. Those of
// workers that went a moment ago count. mu is held.
func (p *Pool) have() map[string]map[string]int {
	sets := map[string]int{}
	for _, m := range p.members {
		if m.Workspace == p.o.Workspace {
			sets[m.set]++
		}
	}
	for id, g := range p.own.gone {
		if time.Since(g.since) > forgetTime || p.members[id] != nil {
			delete(p.own.gone, id)
			continue
		}
		sets[g.set]++
	}
	out := map[string]map[string]int{}
	for set, n := range sets {
		for origin, digest := range p.sets[set] {
			if !p.wants(origin) {
				continue
			}
			if out[origin] == nil {
				out[origin] = map[string]int{}
			}
			out[origin][digest] += n
		}
	}
	return out
}

// pick is the definition of a tool that most workers have: those that have another are not used for it. One that stands
// is not replaced by one that as many have. nil: none is known. mu is held.
func (p *Pool) pick(origin string, count map[string]int, stands string) *own {
	var best *own
	for _, digest := range slices.Sorted(maps.Keys(count)) {
		t := p.own.known[digest]
		switch {
		case t == nil || t.from != origin:
		case best == nil || count[digest] > count[best.definition]:
			best = t
		case count[digest] == count[best.definition] && digest == stands:
			best = t
		}
	}
	if best != nil && len(count) > 1 {
		p.say(origin, "workers have different definitions of it: those of which fewest have it are not used for it")
	}
	return best
}

// forgetUnused forgets definitions that no worker has. mu is held.
func (p *Pool) forgetUnused(used map[string]bool) {
	for digest, t := range p.own.known {
		if !used[digest] {
			p.own.bytes -= t.size
			delete(p.own.known, digest)
		}
	}
}

// part notes that a worker went. mu is held.
func (p *Pool) part(m *member) {
	if p.o.OwnTools && m.set != "" && len(p.own.gone) < mostMembers {
		p.own.gone[m.id] = &parted{m.set, time.Now()}
		p.own.stale = true
	}
}
