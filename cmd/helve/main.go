// Command helve is the tool system of AI coding agents on the command line: list, describe and call tools, all under
// one policy.
package main

import (
	"os"

	"helve/cmd/internal/app"
	"helve/engine/sandbox"
)

func main() {
	sandbox.Init() // a copy of this program prepares each sandbox
	os.Exit(run())
}

func run() int {
	ctx, stop := app.Interrupted()
	defer stop()
	return app.Main(ctx, os.Args[1:], app.System())
}
