package later

import (
	_ "embed"
	"sync"
)

//go:embed instructs.txt
var instructsText string

// Instructs is the list of instructs.txt: texts that a person's next agent takes for instructions, and files that
// another program runs or follows by their names.
var Instructs = sync.OnceValue(func() *List { return New(parse(instructsText)...) })
