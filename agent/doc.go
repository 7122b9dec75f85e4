// Package agent runs a model against a kit: the loop of a coding agent.
//
// An [Agent] declares the kit's tools in the model's dialect, streams its answer, runs the calls through the kit's door
// and sends the results back, in order, until the model has nothing more to call or a limit is reached. What a call
// does wrong goes to the model; only a done context, a model that cannot be reached and a failed approval stop the
// host.
//
//	a := &agent.Agent{Model: model, Kit: kit, Session: session}
//	out, err := a.Run(ctx, "Why does the test fail?")
//
// Calls that only read run side by side, the others alone and in order. A reply that breaks off is asked for again
// before any of its calls has run, so no call runs twice. The models of agent/model/… adapt the official libraries, one
// package each; this package brings none of them.
package agent
