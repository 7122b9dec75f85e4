// Package command has what the commands of helve share: the streams that they read, print to and talk on, the flags
// that all of them take, the workspace that these mean, and the statuses with which they end. What is printed is data
// on standard output and talk on standard error.
package command

import (
	"context"
	"io"
	"slices"
	"strings"

	"helve/agent"
	"helve/internal/workspace"
)

// An Environment is what a run sees of the world: tests bring their own.
type Environment struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Environ        []string // as os.Environ
	Dir            string   // the working directory
	Managed        string   // the administrator's folder; "" means the system's

	// Models makes the model of a run, Telemetry what sends spans and metrics to a collector, and Bus joins gateways
	// and workers. The program brings them: their libraries stay out of this package's tests, which leave nil what
	// their command lines do not ask for.
	Models    func(context.Context, ModelRequest) (agent.Model, error)
	Telemetry func(context.Context, TelemetryRequest) (*Telemetry, error)
	Bus       Bus
	Keyring   Keyring // the system's; nil: there is none

	// Options changes how each workspace is opened whose tools are called; nil: nothing.
	Options func(*workspace.Options)
}

// Getenv is one variable; the last of several counts.
func (e Environment) Getenv(name string) string {
	for _, kv := range slices.Backward(e.Environ) {
		if k, v, _ := strings.Cut(kv, "="); k == name {
			return v
		}
	}
	return ""
}

// Providers are the providers whose models a run can ask for without a configuration.
func Providers() []string { return []string{"openai", "anthropic", "gemini"} }

// KeyVariables are the variables that may hold a provider's key, the usual one first; nil: the provider is not known.
// The providers' own libraries read them too.
func KeyVariables(provider string) []string {
	switch provider {
	case "openai", "openai-responses":
		return []string{"OPENAI_API_KEY"}
	case "anthropic":
		return []string{"ANTHROPIC_API_KEY"}
	case "gemini":
		return []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}
	}
	return nil
}
