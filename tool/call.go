package tool

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"strings"
	"time"
)

// A Call is a model's wish, as it came. The kit never modifies the caller's Call: it works on a
// copy.
type Call struct {
	ID   string          `json:"id,omitempty"`   // the model's own
	Name string          `json:"name"`           // public name, alias or any historical spelling
	Args json.RawMessage `json:"args,omitempty"` // JSON as the model wrote it; empty means {}

	Session *Session        `json:"-"`                // nil: one call, no memory
	Dir     string          `json:"dir,omitempty"`    // working directory for relative paths; "" means the first root
	Meta    json.RawMessage `json:"meta,omitempty"`   // the protocol's _meta, passed on
	Resume  *Resume         `json:"resume,omitempty"` // nil: the first round

	// Parent is the same in all calls that are made on behalf of one other, such as a script's; AsParent makes it. They
	// are one undo, of which it is the ID, and records have it. "": the call is nobody's part.
	Parent string `json:"parent,omitempty"`

	// Unseen says that whoever calls was not shown the tool's schema, as in a deferred list: wrong
	// arguments are answered with it. Tools that KitOptions.Show leaves out are always answered so.
	Unseen bool `json:"unseen,omitempty"`

	// Whole says that the caller is a program, and how many bytes of Result.Data it takes: limits for models do not
	// apply, and what does not fit fails the call instead of bringing a part. At most MaxWhole; 0: the caller is a
	// model, or a program that wants what a model would read.
	Whole int `json:"whole,omitempty"`

	// Gateway is the host that judged the call and has it on its record, where this host only runs it for that one.
	// "": nobody judged it before.
	Gateway string `json:"-"`

	// Progress receives what the tool reports on the way. The kit makes it safe: it never blocks
	// the tool, is called at most ten times a second and never after Call returned. nil: nobody
	// listens; inside Run it is never nil.
	Progress func(Progress) `json:"-"`

	// By is who decided that the job may run. The kit sets it; before Run it is zero.
	By Approver `json:"-"`

	// Leaves is what becomes of what a command leaves for others, by the policy. The kit sets it; before Run it is zero.
	Leaves Leaves `json:"-"`

	// Ask asks about something that showed only when the job had run; see Late. An Answer with a Need
	// goes to the caller as the result's Need, with a state by which the tool knows what it was
	// about: the answer comes back in Resume, and Ask then returns it. The kit sets it: inside Run it
	// is never nil.
	Ask func(context.Context, Late) (Answer, error) `json:"-"`

	// Ahead asks about calls that are certain before any of them is made, for tools that make calls (Spec.Calls). The
	// kit sets it; nil: nobody could agree to anything.
	Ahead func(context.Context, Ahead) (Agreement, error) `json:"-"`

	// Consent is the yes to calls of which this may be one. nil: it is asked about where it needs approval.
	Consent *Consent `json:"-"`

	// Draft is where the call works: what it changes stands there, and what it reads is seen as it stands there. nil: it
	// works on the files as they are on disk, as every tool does for which the draft has no other.
	Draft Draft `json:"-"`

	// Kit is the one through which the call came: calls on its behalf go there, under the same policy. The kit sets it.
	Kit *Kit `json:"-"`

	// Waiting is told true when the call begins to wait for whoever is asked about it, and false when it goes on, for
	// callers whose time runs. nil: nobody wants to know.
	Waiting func(bool) `json:"-"`

	concludes Tool // see Kit.Conclude; nil: the call is of a tool that the kit offers

	// Task is called by a tool that goes on for long, at most once it knows: the caller then stops waiting and asks
	// later what has become of the call. nil: the caller waits.
	Task func() `json:"-"`
}

const (
	// parentLength is how many letters of a parent are its own, of 5 bits each: few enough to be typed.
	parentLength = 8
	// parentOf is how long an ID may be that stands in a parent, in bytes: a model can make one as long as it likes.
	parentOf = 64
)

// AsParent is a Parent for calls that are made on behalf of c: that of c if it has one, so that a family has one name,
// else a new one, which ends with the ID of c. Who makes such calls asks for it once and gives it to all of them.
func (c *Call) AsParent() string {
	if c.Parent != "" {
		return c.Parent
	}
	own := strings.ToLower(rand.Text()[:parentLength])
	if c.ID == "" || len(c.ID) > parentOf {
		return own
	}
	return own + "-" + c.ID
}

// Progress is how far a running call has come.
type Progress struct {
	Done, Total float64 // Total 0: unknown
	Message     string
}

// A Need is what a call wants before it can go on. The caller answers by calling again with a
// Resume.
type Need struct {
	State    []byte          `json:"state"`    // to be sent back untouched; a server seals it
	Requests json.RawMessage `json:"requests"` // for the client: what to ask, in the protocol's own form

	// Here says that what waits for the answer is in this process, and State means nothing to another one: of several
	// replicas, the answer has to come to this one.
	Here bool `json:"here,omitempty"`

	// SoFar says what was done already, for the model: whoever gives the call up instead of answering adds it to what
	// it says. "": nothing was.
	SoFar string `json:"so_far,omitempty"`
}

// A Resume is what a caller sends back to a call that had a Need.
type Resume struct {
	State   []byte          `json:"state"`
	Answers json.RawMessage `json:"answers"`

	// Took is the time between the question and the answer, as far as it is known: a program
	// answers faster than a person. 0: not known.
	Took time.Duration `json:"took,omitempty"`
}
