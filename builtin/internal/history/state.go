package history

import (
	"time"

	"helve/internal/change"
)

// A Digest is the SHA-256 of a content, in hexadecimal.
type Digest string

// A State is what stood at a path. The zero value is nothing.
type State struct {
	change.Entry
	Object Digest `json:"object,omitempty"` // of a file's content
	Lost   string `json:"lost,omitempty"`   // why the content is not kept; "": it is
}

// A Change is what a call did to one path.
type Change struct {
	change.Place
	Was State `json:"was,omitzero"`
	Now State `json:"now,omitzero"`
}

// A Kind is what a call was for.
type Kind string

// The kinds.
const (
	Work Kind = ""     // a tool's
	Undo Kind = "undo" // takes calls back
	Redo Kind = "redo" // takes an undo back
)

// A Call is one that changed files.
type Call struct {
	ID      string    `json:"id"`
	Time    time.Time `json:"time"`
	Tool    string    `json:"tool"`
	Title   string    `json:"title,omitempty"`
	Session string    `json:"session,omitempty"`
	Caller  string    `json:"caller,omitempty"` // the ID that whoever called gave it
	Parent  string    `json:"parent,omitempty"` // what calls have in common that are one undo; "": it is one alone
	Kind    Kind      `json:"kind,omitempty"`
	Of      []string  `json:"of,omitempty"` // the calls that it takes back
	// Left is what an undo left alone, and Only of which calls it takes back no more than some changes, by their numbers.
	Left []Left           `json:"left,omitempty"`
	Only map[string][]int `json:"only,omitempty"`
	Gaps []string         `json:"gaps,omitempty"` // what it may have done besides, in words

	Changes []Change `json:"-"`
	Dirs    []Dated  `json:"-"` // directories in which names came or went
	Undone  bool     `json:"-"` // later calls took it back, all of it
	Rest    []Change `json:"-"` // what was not taken back, where a part was; nil: no part, or all

	partly       *taking
	tried, never bool  // an undo left all of the Rest alone; no force would bring it back
	stood        int   // how many changes were in force when it was chosen
	positions    []int // the numbers of the Rest among all changes
}

// A Dated directory is one whose time a call changed by what it did in it, in nanoseconds since 1970.
type Dated struct {
	change.Place
	Was int64 `json:"was"`
	Now int64 `json:"now"`
}

// bare is an entry without what changes when the same thing is made again: its
// number, its clock, its names.
func bare(e change.Entry) change.Entry {
	e.ID = change.ID{}
	e.Changed = 0
	e.Names = 0
	if e.Type != change.File {
		e.Size = 0
	}
	if e.Type == change.Link {
		e.Mode = 0
	}
	return e
}

// same tells whether two states are one to a reader: content, or where a link leads. Modes and times
// may differ.
func (s State) same(o State) bool {
	return s.Type == o.Type && s.Object == o.Object && s.Target == o.Target
}

// equal is same, modes included.
func (s State) equal(o State) bool { return s.same(o) && s.Mode == o.Mode }
