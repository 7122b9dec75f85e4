package uncommitted

import (
	"slices"
	"time"

	"helve/internal/change"
)

// A Kind is why a draft was not made.
type Kind string

// The kinds.
const (
	Waits   Kind = "waits" // another program would run or follow it, and a person has to say yes
	Drafted Kind = "draft" // it is a draft by its maker's wish
)

// A State is what became of a file of a draft, or of a whole one.
type State string

// The states. A file goes from Open to Dropped, or by way of Committing to Committed or back to Open.
const (
	Open       State = "open"
	Committing State = "committing"
	Committed  State = "committed"
	Dropped    State = "dropped"
)

// A Draft is changes that were not made.
type Draft struct {
	ID   string    `json:"id"`
	Kind Kind      `json:"kind"`
	Made time.Time `json:"made"`
	// Roots are the absolute paths of the folders that the places of files are in.
	Roots []string `json:"roots"`
	// Base is the draft that it was made on. "": the folders as they are.
	Base  string `json:"base,omitempty"`
	Call  Call   `json:"call"`
	Files []File `json:"files"`
	Bytes int64  `json:"bytes"` // of contents that are kept
}

// A Call is the one that made a draft.
type Call struct {
	Tool    string `json:"tool"`
	Title   string `json:"title"`
	Session string `json:"session,omitempty"`
	Parent  string `json:"parent,omitempty"` // of calls that were made on behalf of another one
}

// A File is one change of a draft: a file, a folder or a link, as it was when the draft was made from it and as it
// would be.
type File struct {
	change.Place
	Was  change.Entry `json:"was,omitzero"`
	Will change.Entry `json:"will,omitzero"`
	// Old and New are the SHA-256 of the contents, of files alone. Of New the content is kept, of Old where KeptOld
	// says so.
	Old     string    `json:"old,omitempty"`
	New     string    `json:"new,omitempty"`
	KeptOld bool      `json:"kept_old,omitempty"`
	Why     string    `json:"why,omitempty"` // it waits
	State   State     `json:"state"`
	Since   time.Time `json:"since,omitzero"` // it has this state; zero: always
}

// State is that of the whole: what is left to decide comes first.
func (d *Draft) State() State {
	for _, s := range []State{Committing, Open, Committed} {
		if slices.ContainsFunc(d.Files, func(f File) bool { return f.State == s }) {
			return s
		}
	}
	return Dropped
}

// Count is how many files have a state.
func (d *Draft) Count(s State) int {
	n := 0
	for i := range d.Files {
		if d.Files[i].State == s {
			n++
		}
	}
	return n
}
