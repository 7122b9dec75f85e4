package shell

import "mvdan.cc/sh/v3/syntax"

// An inner is what a command runs besides itself.
type inner struct {
	as    role
	args  args   // of a command
	dir   *word  // in which the command runs; nil: where the outer one does
	text  string // of a script
	pos   syntax.Pos
	given []string // the positional parameters of a script
}

// A role is how a command gives another one to be run.
type role int

const (
	asCommand role = iota // as if it stood in the line
	asFed                 // with words that are read at run time: looked at for a disaster alone
	asScript              // a text for a shell
	asMaybe               // a text that may be no script at all
	asHere                // a text for the shell of the script itself
	asQuoted              // a text for a shell, by a way that is seldom certain: refused where it alone would be, else nothing
	asRemoval             // the rest of a call that removes a tree, in another language
)
