package tool

import (
	"context"
	"fmt"
	"strings"
)

// A Policy decides what is listed and what may run. Both methods are pure, quick and safe for
// concurrent use; a panic in one denies. A tool denied for listing is denied for every call: the
// door asks Lists first.
type Policy interface {
	Lists(*Spec) Verdict
	Judge(*Job) Verdict
}

// A Reviser is a Policy whose answers change. A kit asks for the revision at every View and lists
// anew when it differs.
type Reviser interface {
	Revision() uint64
}

// An Announcer is a Reviser that tells when its revision changes, so that those who watch a kit
// hear of it. Changed is closed when the revision is another than at the call.
type Announcer interface {
	Reviser
	Changed() <-chan struct{}
}

// A Decision is one word of a policy. The zero value denies.
type Decision uint8

const (
	Deny Decision = iota
	Ask
	Allow
)

var decisionNames = [...]string{"deny", "ask", "allow"}

func (d Decision) String() string {
	if int(d) < len(decisionNames) {
		return decisionNames[d]
	}
	return fmt.Sprintf("decision(%d)", d)
}

// MarshalText writes deny, ask or allow.
func (d Decision) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what MarshalText wrote. Any other word denies.
func (d *Decision) UnmarshalText(b []byte) error {
	*d = Deny
	for i, n := range decisionNames {
		if n == string(b) {
			*d = Decision(i)
		}
	}
	return nil
}

// A Verdict is a decision with what it rests on. The zero value denies.
type Verdict struct {
	Decision Decision
	Reason   string // a sentence for people and models; "" for the obvious
	Rule     string // the rule that decided, as it is written
	Layer    string // where that rule stands: flags, project, user, managed, default
	File     string // the file that it stands in, "" for flags and defaults
	Line     int    // in File, from 1; 0: not known

	// Confined says of a call that it is allowed only where it can change, send and learn nothing:
	// the kit calls Job.Confine before Run, and refuses a job that has none.
	Confined bool

	// Review says of a call that it is allowed only if a person sees what it changed before any of that is made: the
	// kit calls Job.Review before Run, and refuses a job that has none.
	Review bool

	// Deferred says of a Review that it stands in place of a question before the call, as the job is Drafted: what would
	// have answered that one answers it, too.
	Deferred bool

	// IfChanged says of a question that it is about what the call would change, and nothing beside it: where the preview
	// says that this is nothing (Diff.Unchanged), the call runs without it.
	IfChanged bool

	// Leaves says of a command what becomes of what it leaves for others; the kit hands it to the job in Call.Leaves.
	Leaves Leaves

	// Off says of a denied listing that somebody switched the tool off; otherwise it merely is not
	// offered here. The words that the model reads differ.
	Off bool
}

// Leaves says what becomes of what a command leaves, which shows when it ran.
type Leaves struct {
	Steer Leaving // what another program would run or follow
	New   Leaving // new hidden names, and texts for models
}

// A Leaving is what becomes of something that a command left.
type Leaving uint8

// What becomes of it.
const (
	LeftUnsaid  Leaving = iota // the tool judges: what steers is asked about, what is new where nobody was asked
	LeftMade                   // it is made
	LeftAsked                  // a person is asked at once, or it waits for one
	LeftRefused                // it is not made, whoever says yes
)

// concluded is the verdict on what Conclude is to do.
var concluded = Verdict{Decision: Allow, Reason: "the calls that it ends were judged", Layer: "kit"}

// Why is the verdict in one line: the reason, the rule, its layer and place.
func (v Verdict) Why() string {
	if v.Rule == "" {
		return v.Reason
	}
	rule := "rule " + v.Rule
	if v.Layer != "" {
		rule += ", " + v.Layer + " layer"
	}
	if v.File != "" {
		rule += fmt.Sprintf(", %s:%d", v.File, v.Line)
	}
	return strings.TrimSpace(v.Reason + " (" + rule + ")")
}

// An Answer is what a person, or a client in their name, said to a question.
type Answer struct {
	Yes  bool
	For  Span
	Rule string // what to remember if For is longer than Once; "" means exactly this job
	Note string // words for the model, with a no as with a yes
	Need *Need  // not yet: the client must be asked in a second round

	// Each says of a question about several calls that each is to be asked about when it is made. It is no yes.
	Each bool

	// Unasked says of a no that no person gave it: there was nobody to ask. The refusal says so,
	// with Note in place of a person's words.
	Unasked bool

	By Approver // who answered; zero: the program
}

// An Approver is who decided about a call where the policy asked, or why nobody needed to. Records
// keep it.
type Approver struct {
	Kind  ApproverKind `json:"kind"`
	Via   string       `json:"via,omitempty"`   // how a person or a client said it: terminal, elicitation, profile …
	Grant string       `json:"grant,omitempty"` // the ID of the remembered yes

	Client string `json:"client,omitempty"` // by way of which client, as that calls itself
}

// An ApproverKind says what an Approver is.
type ApproverKind string

const (
	ByPerson  ApproverKind = "person"  // somebody who saw the question
	ByFlag    ApproverKind = "flag"    // --yes: whoever started the program, before the question
	ByClient  ApproverKind = "client"  // the client is taken to have asked, or nobody could be asked and it is trusted
	ByGrant   ApproverKind = "grant"   // an earlier yes that was to be remembered
	ByConsole ApproverKind = "console" // a person at the console
	ByProgram ApproverKind = "program" // an Asker that does not say who it is
	ByRule    ApproverKind = "rule"    // nobody was asked: a rule allowed it; the verdict says which
	ByMode    ApproverKind = "mode"    // nobody was asked: without a rule, the mode allows it
)

// Span is how long an answer holds.
type Span uint8

const (
	Once Span = iota
	ThisSession
	Always
)

// A Question is a job that somebody is to decide about, with all that there is to show them. Who
// asks shows what it holds and judges nothing anew: the reason is the one that the kit's own policy
// gave.
type Question struct {
	// Job is what would run, Job.Call the call that it was made of. In a second round
	// Job.Call.Resume holds the answers to the Need of the first, and only if the job is still the
	// same.
	Job     *Job
	Verdict Verdict  // why it is asked about; Verdict.Why says it in one line
	Preview Display  // what would happen; nil: there is nothing to show beyond Job.Title
	Repairs []string // what was mended in the arguments on the way, one sentence each

	// Calls are what is asked about where Job is made of several calls: a yes is one to each of them, once, and Preview
	// lists them. nil: it is about Job alone.
	Calls []*Job

	// Late says that it showed only when the job had run. No earlier word counts as an answer, such
	// as a client's own prompt or a --yes: who gave it has not seen this. A yes holds once.
	Late bool

	// Deferred says of what showed late that it stands in place of questions about calls, before they were made: words
	// that would have answered those answer it.
	Deferred bool
}

// Asker asks somebody. An error stops the host.
type Asker func(ctx context.Context, q *Question) (Answer, error)

// Grants remember answers, so that nobody is asked twice. Both methods are safe for concurrent use.
type Grants interface {
	Granted(*Job) (id string, ok bool) // was this, or what covers it, approved before? By which grant?
	Remember(*Job, Answer) error       // called for a yes that is to hold longer than once
}

// careful is the policy of kits that have none: reading is free, everything else is asked about.
type careful struct{ asks bool } // somebody can be asked, or was

// Lists leaves out what would only be refused. Tools of servers stay: their word that they only
// read is nothing to go by.
func (c careful) Lists(s *Spec) Verdict {
	if s.Origin.Kind != MCP && !s.ReadOnly && !s.Calls && !c.asks {
		return Verdict{Off: true, Reason: "it does more than read, and nobody can be asked", Layer: "default"}
	}
	return Verdict{Decision: Allow}
}

func (c careful) Judge(j *Job) Verdict {
	if j.Spec.Kind == Read || ours(j.Spec) && j.remembersOnly() {
		return Verdict{Decision: Allow}
	}
	return Verdict{Decision: Ask, Reason: "only reading is allowed without asking", Layer: "default"}
}
