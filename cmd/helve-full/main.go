// Command helve-full is helve with the providers' libraries and the bus linked in: the same command line, and every
// command answered by the program itself. helve hands over to it what it cannot do, such as run and worker.
package main

import (
	"io"
	"log"
	"os"

	"helve/cmd/internal/app"
	"helve/engine/sandbox"
	"helve/script/interpreter"
)

func main() {
	sandbox.Init()     // a copy of this program prepares each sandbox
	interpreter.Init() // and another one runs each script
	os.Exit(run())
}

// run is main as far as it can return: os.Exit runs no deferred call.
func run() int {
	ctx, stop := app.Interrupted()
	defer stop()
	log.SetOutput(io.Discard) // a provider's library writes there what it returns as an error, too
	env := app.System()
	env.Models, env.Telemetry, env.Bus, env.Scripts = model, tell, bus{}, true
	return app.Main(ctx, os.Args[1:], env)
}
