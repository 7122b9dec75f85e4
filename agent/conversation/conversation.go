// Package conversation keeps what agents and models say to each other: from one run to the next, for people to find
// again, and for as long as they want.
//
// A [Store] holds conversations by their IDs. [Folder] is the one on the disk, each conversation in a folder of its
// own, private to the user; a program with a database brings a Store of its own. [Continue] has an agent go on where a
// conversation ended, or begin one:
//
//	kept, err := conversation.Continue(conversation.Folder{Dir: dir}, conversation.About{ID: id}, a, nil)
//	defer kept.Close()
//	out, err := a.Run(ctx, "And now?")
//
// One process at a time holds a conversation. What it says is written message by message, so that a process that is
// killed loses no more than what it was about to say, and the next one tells what became of the calls that were under
// way.
package conversation

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"helve/agent"
)

// About is what is known of a conversation without reading it.
type About struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Workspace string    `json:"workspace"` // the folder that it is about; "": it is not known
	Started   time.Time `json:"started"`
	Updated   time.Time `json:"updated"`
	Turns     int       `json:"turns"` // prompts
	Model     string    `json:"model"`
	Mode      string    `json:"mode"`
	Bytes     int64     `json:"bytes"` // that it takes
	State     State     `json:"state"`
	Holder    *Holder   `json:"holder,omitempty"` // of one that is running
	Pinned    bool      `json:"pinned"`           // it is never forgotten by itself
	From      string    `json:"from,omitempty"`   // the conversation that it was forked from
}

// A State is what happens with a conversation.
type State string

const (
	Idle        State = "idle"
	Running     State = "running"
	Interrupted State = "interrupted" // its last process was killed in the middle of a run
)

// A Holder is the process that a conversation runs in.
type Holder struct {
	PID   int       `json:"pid"`
	Since time.Time `json:"since"`
}

// A Store keeps conversations. Its methods are safe for concurrent use, by several processes too.
type Store interface {
	// List are all conversations, those that were updated last first.
	List() ([]About, error)
	// Open reads what was said, as agent.Read takes it. An unknown ID is an fs.ErrNotExist.
	Open(id string) (io.ReadCloser, error)
	// Hold makes the conversation a.ID if there is none, with what a says, and holds it until it is closed. Of one that
	// is there, a says nothing but the ID. One that another process holds is a *HeldError.
	Hold(a About) (Conversation, error)
	// Delete forgets a conversation. One that is held is a *HeldError.
	Delete(id string) error
}

// A Conversation is one that this process holds. What is written are lines of its log.
type Conversation interface {
	io.WriteCloser
	// About is what is known of it.
	About() About
	// Change changes what is known of it.
	Change(func(*About)) error
}

// A HeldError says that another process holds the conversation.
type HeldError struct {
	ID     string
	Holder Holder // PID 0: it cannot be told who
}

func (e *HeldError) Error() string {
	if e.Holder.PID == 0 {
		return fmt.Sprintf("another process holds the conversation %s", e.ID)
	}
	since := e.Holder.Since.Local().Format(time.DateTime)
	return fmt.Sprintf("the process %d holds the conversation %s since %s", e.Holder.PID, e.ID, since)
}

// idLength is how many letters an ID has: short enough to be typed, and nobody meets another's by chance.
const idLength = 10

// NewID is the ID of a new conversation: ten lower-case letters and digits.
func NewID() string { return strings.ToLower(rand.Text()[:idLength]) }

// An AmbiguousError says that several conversations begin so.
type AmbiguousError struct {
	Begin string
	List  []About
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%d conversations begin with %q", len(e.List), e.Begin)
}

// ErrNone says that no conversation begins so.
var ErrNone = errors.New("there is no such conversation")

// Find is the conversation whose ID begins so.
func Find(s Store, begin string) (About, error) {
	all, err := s.List()
	if err != nil {
		return About{}, err
	}
	var found []About
	for _, a := range all {
		if a.ID == begin {
			return a, nil
		}
		if begin != "" && strings.HasPrefix(a.ID, begin) {
			found = append(found, a)
		}
	}
	switch len(found) {
	case 0:
		return About{}, ErrNone
	case 1:
		return found[0], nil
	}
	return About{}, &AmbiguousError{begin, found}
}

// Read is what was said in a conversation, with the calls that were interrupted left for Log.Settle.
func Read(s Store, id string) (*agent.Log, error) {
	r, err := s.Open(id)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return agent.ReadOpen(r)
}

// Continue has an agent go on with the conversation about.ID, or begin it if it is not there; "" begins one with a new
// ID. It holds the conversation until the caller closes it. fate says what became of calls that were interrupted; nil:
// what the log alone tells.
func Continue(s Store, about About, a *agent.Agent, fate func(*agent.Interrupted) agent.Fate) (Conversation, error) {
	if about.ID == "" {
		about.ID = NewID()
	}
	held, err := s.Hold(about)
	if err != nil {
		return nil, err
	}
	past, err := Read(s, about.ID)
	if err != nil {
		return nil, errors.Join(err, held.Close())
	}
	past.Settle(fate)
	a.Resume(past)
	a.Log = held
	return held, nil
}
