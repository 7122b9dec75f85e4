package wire

import "sync/atomic"

// Variable has the value Child in the environment of a copy of this program that runs a script.
const (
	Variable = "HELVE_SCRIPT"
	Child    = "child"
)

// Linked says that this program has an interpreter, and its main function lets copies of it run scripts.
var Linked atomic.Bool

// What a child may hold above what it holds when it waits, in bytes, and how long it may compute, in seconds.
const (
	Memory     = 56 << 20
	CPUSeconds = 20
)
