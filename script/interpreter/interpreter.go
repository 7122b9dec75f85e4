// Package interpreter lets a program run scripts: copies of the program are the children in which the scripts of
// package script run. Whoever does not import it has no run_script, and no Starlark in the program.
package interpreter

import (
	"os"

	"helve/script/internal/child"
	"helve/script/internal/wire"
)

// Init must be called first in main, after sandbox.Init or helve.Init. In a child it does not return. Elsewhere it only
// notes that it was called.
func Init() {
	if os.Getenv(wire.Variable) == wire.Child {
		os.Exit(child.Main(os.Stdin, os.Stdout))
	}
	wire.Linked.Store(true)
}
