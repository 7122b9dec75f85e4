package store

import (
	"context"
	"iter"

	"helve/engine/code/internal/syntax"
)

// A Checker knows what names in source mean: a language server, or what a compiler has written down. It is asked about
// references of which an index only knows what they may mean. It may fail to know anything. Safe for concurrent use.
type Checker interface {
	// Checks tells whether it may know a language. It takes no time.
	Checks(l syntax.Language) bool
	// Meanings answers what each of the places means, in their order; what ctx's end left open is not known. files are
	// all files of the tree as they are now.
	Meanings(ctx context.Context, files iter.Seq[Entry], places []Asked) []Meaning
}

// Asked is a name in a file.
type Asked struct {
	Path     string
	Language syntax.Language
	Text     []byte // of the whole file; not to be changed
	Position
}

// Position is a place in a text as language servers count: the line from 0, and in it the units of UTF-16 before it.
type Position struct{ Line, Column int }

// Meaning is where a name is defined.
type Meaning struct {
	Known bool
	At    []Definition // in the tree; none: it is defined outside of it
	// Outside: it is defined outside of the tree, too. By names what says it: a program, or a file.
	Outside bool
	By      string
}

// Definition is where a definition has its name.
type Definition struct {
	Path string // relative to the root
	Position
}
