// Command helve is the tool system of AI coding agents: it lists, describes and calls tools on the command line, serves
// them over MCP, runs agents and scripts, and works for others on a bus, all under one policy.
package main

import (
	"io"
	"log"
	"os"

	"helve/cmd/internal/app"
	"helve/cmd/internal/command"
	"helve/engine/sandbox"
	"helve/script/interpreter"
)

func main() {
	sandbox.Init()     // a copy of this program prepares each sandbox
	interpreter.Init() // and another one runs each script
	os.Exit(run(system()))
}

// run is main as far as it can return: os.Exit runs no deferred call.
func run(env command.Environment) int {
	ctx, stop := command.Interrupted()
	defer stop()
	log.SetOutput(io.Discard) // a provider's library writes there what it returns as an error, too
	return app.Main(ctx, os.Args[1:], env)
}

// system is the process's own environment, with all that this program links.
func system() command.Environment {
	env := app.System()
	env.Models, env.Telemetry, env.Bus, env.Keyring = model, tell, bus{}, systemRing{}
	return env
}
