// Command helve-agent is helve with the agent loop and the providers' libraries in it. helve run hands over to it; every other command is
// the same.
package main

import (
	"context"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"

	"helve/cmd/internal/app"
	"helve/engine/sandbox"
)

func main() {
	sandbox.Init() // a copy of this program prepares each sandbox
	os.Exit(run())
}

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	log.SetOutput(io.Discard) // a provider's library writes there what it returns as an error, too
	env := app.System()
	env.Models = model
	return app.Main(ctx, os.Args[1:], env)
}
