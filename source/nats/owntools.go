package natsbus

import (
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

// ownTools are the tools that only the workers have. The crew's lock guards them.
type ownTools struct {
	*crew
	calls *calls

	moved   map[string]bool   // origins of tools that are ours, and whose work is done there
	known   map[string]*own   // by the digest of their definition
	bytes   int               // of known
	refused map[string]string // why a definition is not used, by its digest

	list    []*own          // as it stands, by the origins
	found   map[string]bool // what was said of it already
	joined  time.Time
	asked   bool          // who is there, and something came back
	version int           // of list
	told    int           // the version that was listed last
	changed chan struct{} // closed when another list stands
}

func newOwnTools(c *crew, k *calls) *ownTools {
	return &ownTools{
		crew:    c,
		calls:   k,
		moved:   map[string]bool{},
		known:   map[string]*own{},
		refused: map[string]string{},
		found:   map[string]bool{},
		joined:  time.Now(),
		changed: make(chan struct{}),
	}
}

// heardAll tells whether the workers that answered have told of their tools, or had the time to.
func (o *ownTools) heardAll() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	since := time.Since(o.joined)
	if since > tellTime {
		return true
	}
	for _, m := range o.members {
		if m.set == "" || m.fetching {
			return false
		}
	}
	return len(o.members) > 0 || o.asked && since > joinTime
}

// lacks tells whether the pool wants to know more of the tools in a set. mu is held.
func (o *ownTools) lacks(set string) bool {
	if !o.o.OwnTools {
		return false
	}
	for origin, digest := range o.sets[set] {
		if o.wants(origin) && o.known[digest] == nil && o.refused[digest] == "" {
			return true
		}
	}
	return false
}

// wants tells whether a tool of a worker is one that we have not. mu is held.
func (o *ownTools) wants(origin string) bool {
	return !o.moved[origin] && !strings.HasPrefix(origin, string(tool.Builtin)+":")
}

// learn takes definitions. Each has the digest by which workers say that they have it.
func (o *ownTools) learn(offered []wire.Offered) {
	for i := range offered {
		of := &offered[i]
		t, digest, err := ownTool(o.calls, of)
		o.mu.Lock()
		switch {
		case !o.wants(of.Origin) || o.known[digest] != nil:
		case err != nil:
			o.refuse(digest, of.Origin, err.Error())
		case len(o.known) >= mostOwn || o.bytes+of.Size() > mostOwnBytes:
			o.refuse(digest, of.Origin, "the workers bring too many tools")
		default:
			o.known[digest] = t
			o.bytes += of.Size()
		}
		o.mu.Unlock()
	}
}

// refuse notes that a definition is not used, and says why, once. mu is held.
func (o *ownTools) refuse(digest, origin, why string) {
	if len(o.refused) >= mostRefused {
		clear(o.refused)
	}
	if digest != "" {
		o.refused[digest] = why
	}
	o.say(origin, why+": left out")
}

// say warns of a tool, once. mu is held.
func (o *ownTools) say(origin, text string) {
	key := origin + "\x00" + text
	if o.found[key] {
		return
	}
	if len(o.found) >= mostRefused {
		clear(o.found)
	}
	o.found[key] = true
	o.o.Log.Warn("pool "+o.o.Pool+": "+text, "tool", visible.Line(origin))
}

// relist makes the list anew from what the workers have, and forgets definitions that nobody has. mu is held.
func (o *ownTools) relist() {
	if !o.o.OwnTools {
		return
	}
	o.stale = false
	have := o.have()
	stands := map[string]string{}
	for _, t := range o.list {
		stands[t.from] = t.definition
	}
	var list []*own
	named := map[string]string{}
	used := map[string]bool{}
	for _, origin := range slices.Sorted(maps.Keys(have)) {
		t := o.pick(origin, have[origin], stands[origin])
		for digest := range have[origin] {
			used[digest] = true
		}
		if t == nil {
			continue
		}
		if other, taken := named[t.spec.Origin.Name]; taken {
			o.say(origin, "it is called as "+visible.Line(other)+" is: left out")
			continue
		}
		named[t.spec.Origin.Name] = origin
		list = append(list, t)
	}
	o.forgetUnused(used)
	if slices.Equal(list, o.list) {
		return
	}
	o.list = list
	o.version++
	close(o.changed)
	o.changed = make(chan struct{})
}

// have are the definitions of the tools that we have not, by their origins: how many workers have each. Those of
// workers that went a moment ago count. mu is held.
func (o *ownTools) have() map[string]map[string]int {
	sets := map[string]int{}
	for _, m := range o.members {
		if m.Workspace == o.o.Workspace {
			sets[m.set]++
		}
	}
	for id, g := range o.gone {
		if time.Since(g.since) > forgetTime || o.members[id] != nil {
			delete(o.gone, id)
			continue
		}
		sets[g.set]++
	}
	out := map[string]map[string]int{}
	for set, n := range sets {
		for origin, digest := range o.sets[set] {
			if !o.wants(origin) {
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
func (o *ownTools) pick(origin string, count map[string]int, stands string) *own {
	var best *own
	for _, digest := range slices.Sorted(maps.Keys(count)) {
		t := o.known[digest]
		switch {
		case t == nil || t.from != origin:
		case best == nil || count[digest] > count[best.definition]:
			best = t
		case count[digest] == count[best.definition] && digest == stands:
			best = t
		}
	}
	if best != nil && len(count) > 1 {
		o.say(origin, "workers have different definitions of it: those of which fewest have it are not used for it")
	}
	return best
}

// forgetUnused forgets definitions that no worker has. mu is held.
func (o *ownTools) forgetUnused(used map[string]bool) {
	for digest, t := range o.known {
		if !used[digest] {
			o.bytes -= t.size
			delete(o.known, digest)
		}
	}
}

// tell is the list as it stands, which whoever asks has from now on.
func (o *ownTools) tell() []tool.Tool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.told = o.version
	out := make([]tool.Tool, len(o.list))
	for i, t := range o.list {
		out[i] = t
	}
	return out
}

// news tells whether another list stands than was told last, and what is closed when one does.
func (o *ownTools) news() (behind bool, next <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.version != o.told, o.changed
}

// ours notes that tools are ours: what workers say of them is no other tool, nor is what they have said already.
func (o *ownTools) ours(tools []tool.Tool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, t := range tools {
		o.moved[t.Spec().Origin.String()] = true
	}
	o.relist()
}

// answered notes that who is there was asked, and something came back.
func (o *ownTools) answered() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked = true
}
