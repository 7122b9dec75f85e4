package later

import (
	_ "embed"
	"sync"
)

// instructsText has texts that tell a person's next agent what to do, and files that another program runs or follows
// though their names are not hidden. An agent that writes one with a tool for files is asked about it; what a command
// makes of one in mode auto waits for a person.
//
//go:embed instructs.txt
var instructsText string

// Instructs is the list of instructs.txt: texts that a person's next agent takes for instructions, and files that
// another program runs or follows by their names.
var Instructs = sync.OnceValue(func() *List { return New(parse(instructsText)...) })
