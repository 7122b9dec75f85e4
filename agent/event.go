package agent

import (
	"time"

	"helve/tool"
)

// An Event tells a listener what the loop does: Said, Thought, Calling, Progress, Called, Turn, Again,
// Left, Compacted or Switched.
type Event interface{ event() }

type (
	// Said is a piece of the answer.
	Said struct{ Text string }
	// Thought is a piece of what the model says to itself.
	Thought struct{ Text string }
	// Calling says that a call starts. Name and Args are the tool's own.
	Calling struct {
		ID, Name string
		Args     string
	}
	// Progress is what a call reports on the way, ten times a second at most. What is new replaces what came before.
	Progress struct {
		ID string // of the call
		tool.Progress
	}
	// Called is a call with its result.
	Called struct {
		ID, Name string
		Result   *tool.Result
	}
	// Turn is the end of one answer of the model.
	Turn struct {
		Number int // from 1
		Usage  Usage
		Stop   Stop
	}
	// Again says that the answer is asked for once more, after a pause: what was Said of it since the last Turn does
	// not count.
	Again struct {
		Err     error         // why there is none; a *ServerError where the server refused the request
		Wait    time.Duration // the pause, which begins now
		Try, Of int           // the number of the request that comes, from 2, and of all that are sent at most
	}
	// Left says that plan mode was left, with the plan.
	Left struct{ Plan string }
	// Switched says that another model is asked from now on, as the one before is down.
	Switched struct {
		From, To string
		Err      error
	}
	// Compacted says that older messages were replaced.
	Compacted struct{ Before, After int } // messages
)

func (Said) event()      {}
func (Thought) event()   {}
func (Calling) event()   {}
func (Progress) event()  {}
func (Called) event()    {}
func (Turn) event()      {}
func (Again) event()     {}
func (Left) event()      {}
func (Compacted) event() {}
func (Switched) event()  {}
