package natsbus

import (
	"slices"
	"time"
)

// A want is what a call needs of a worker.
type want struct {
	who        string // whose call it is: nobody waits behind all that another one wants
	origin     string // of the tool
	definition string
	pin        *pin // the conversation; nil: none
	apart      bool // only workers have the tool: where the conversation's has not, another one does it
	slot       bool // for a run: a free slot, which is taken
	bounced    bool // it waited at a worker, in vain: it takes a free slot only
}

// An end is what an attempt came to.
type end uint8

const (
	ended     end = iota // there is a result
	full                 // it did not begin: no slot
	notBegun             // it did not begin, and the worker is gone
	lostTrack            // it began, and nothing more is heard
	given                // the caller gave up, and nothing more was heard
	cutOff               // the bus is gone for long, and nothing more was heard
)

// A pin says which worker a conversation's calls go to: it has what was read there, lists, long outputs and commands in
// the background. crew.mu guards it.
type pin struct {
	key      string
	instance string   // "": none yet
	runs     int      // how many of its calls have a slot there
	settled  bool     // one of them was run there: from now on what it knows is there
	had      []string // all that ever heard of it
	moved    bool     // since the last result: what a former worker kept is lost
	*lasting          // nil: no other gateway has the conversation
}

// heard notes that a worker was asked about a call, and knows the conversation. crew.mu is held.
func (p *pin) heard(instance string) {
	if !slices.Contains(p.had, instance) {
		p.had = append(p.had, instance)
	}
}

// move has the calls go to a worker from now on. crew.mu is held.
func (p *pin) move(instance string) {
	p.runs++
	if p.instance == instance {
		return
	}
	p.moved = p.moved || p.settled
	p.instance, p.runs, p.settled = instance, 1, false
}

// left notes that a call is not at a worker any more. One that could not take the first has nothing of the
// conversation: another one can. crew.mu is held.
func (p *pin) left(instance string, ran bool) {
	if p.instance != instance {
		return
	}
	p.runs--
	p.settled = p.settled || ran
	if p.runs == 0 && !p.settled {
		p.instance = ""
	}
}

// A lasting pin is that of a conversation that other gateways go on with. crew.mu guards what changes.
type lasting struct {
	place   Documents
	claimed string    // the worker that the place named when it was looked at
	looked  time.Time // when that was
}

// Documents are what gateways that go on with one conversation have in common. Where a tool.Session's Store has these
// methods, too, the conversation is at the same worker whichever gateway its calls come through: the worker's name is a
// document. Update changes one as a whole, as helve.Documents says.
type Documents interface {
	Read(name string) ([]byte, error)
	Update(name string, change func(old []byte) ([]byte, error)) error
}
