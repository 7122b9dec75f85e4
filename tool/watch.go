package tool

import "context"

// A Step is how far a call has come.
type Step uint8

const (
	Understood Step = iota // the job is known: its title, its effects
	Judged                 // and what the policy says of it
	Asked                  // whoever approves is asked now
	Answered               // and said yes or no, or that the client must be asked first
	Began                  // the job runs now
)

var stepNames = [...]string{"understood", "judged", "asked", "answered", "began"}

func (s Step) String() string {
	if int(s) < len(stepNames) {
		return stepNames[s]
	}
	return "unknown"
}

// An Event is one step of a call, for KitOptions.Watch. It shares what it points at with the call,
// which goes on when Watch returns: nothing of it may be changed.
type Event struct {
	Step     Step
	Job      *Job      // with the call as it was checked
	Verdict  Verdict   // from Judged on
	Approver Approver  // of Began: who decided, or why nobody needed to
	Question *Question // of Asked and Answered: what was shown
	Answer   Answer    // of Answered
}

// tell tells whoever watches. The event is made where somebody does.
func (k *Kit) tell(ctx context.Context, e Event) {
	if k.o.Watch != nil {
		k.o.Watch(ctx, e)
	}
}
