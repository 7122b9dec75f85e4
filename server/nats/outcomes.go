package natsbus

import (
	"time"

	"helve/internal/wire"
)

const (
	// mostKept is how many runs that are over are known: a second delivery of one is dropped.
	mostKept = 4096
	// bytesKept is how much their results may take, in bytes; the last one is kept whatever it takes.
	bytesKept = 16 << 20
)

// outcomes are the runs that are over, oldest first. runs.mu is held.
type outcomes struct {
	order []*run
	bytes int

	// past is how those ended whose results take too much to be kept: a gateway whose results are on their way, behind
	// others, hears that they are, and no run comes a second time.
	past map[string]wire.State
	ids  []string // of past, oldest first
}

func (o *outcomes) add(r *run, all map[string]*run) {
	o.order = append(o.order, r)
	o.bytes += r.size()
	for len(o.order) > 1 && (len(o.order) > mostKept || o.bytes > bytesKept) {
		o.remember(o.order[0])
		o.drop(all)
	}
}

// remember notes how a run ended.
func (o *outcomes) remember(r *run) {
	if o.past == nil {
		o.past = map[string]wire.State{}
	}
	if len(o.ids) >= mostKept {
		delete(o.past, o.ids[0])
		o.ids = o.ids[1:]
	}
	o.past[r.msg.Run] = r.ended
	o.ids = append(o.ids, r.msg.Run)
}

// expire lets go what ended before a time.
func (o *outcomes) expire(all map[string]*run, before time.Time) {
	for len(o.order) > 0 && o.order[0].when.Before(before) {
		o.drop(all)
	}
}

func (o *outcomes) drop(all map[string]*run) {
	r := o.order[0]
	o.order[0] = nil
	o.order = o.order[1:]
	o.bytes -= r.size()
	delete(all, r.msg.Run)
}

// size is what the end of a run takes. It does not change when it is over.
func (r *run) size() int { return len(r.msg.Call) + len(r.msg.Args) + len(r.last.body) }
