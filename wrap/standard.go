package wrap

import (
	"time"

	"helve/tool"
)

const (
	// DefaultTimeout is what a tool gets that has no time-out of its own.
	DefaultTimeout = 2 * time.Minute
	// ownTimeout is for tools that end themselves: above the longest time-out that bash accepts, ten minutes.
	ownTimeout = 11 * time.Minute
	// readWindow is what read may bring, in bytes: it has a window of its own, and what stays in that is not cut.
	readWindow = 256 << 10
)

// Options are the limits of Standard. Zero fields mean the defaults.
type Options struct {
	Timeout     time.Duration // of one call; 0 means DefaultTimeout. bash has its own
	ResultBytes int           // of text to the model; 0 means DefaultResult
	Endless     bool          // tools that end themselves have no limit here: their caller ends them
}

// Standard is the stack that every kit should have: serial, time-out, limit and spill, in this order.
func Standard(o Options) []func(tool.Runner) tool.Runner {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	return []func(tool.Runner) tool.Runner{
		Serial,
		Timeout(func(j *tool.Job) time.Duration {
			if j.Spec.Calls { // it waits for persons, which costs no time
				return 0
			}
			endsItself := j.Spec.Origin.Kind == tool.Builtin && j.Spec.Kind == tool.Exec
			switch {
			case endsItself && o.Endless:
				return 0
			case endsItself:
				return ownTimeout
			}
			return o.Timeout
		}),
		Limit(func(j *tool.Job) int {
			read := tool.Origin{Kind: tool.Builtin, Name: "read"}
			if j.Spec.Origin == read {
				return max(o.ResultBytes, readWindow)
			}
			return o.ResultBytes
		}),
	}
}
