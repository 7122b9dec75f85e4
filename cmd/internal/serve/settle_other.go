//go:build !linux

package serve

import "time"

func dropProgram() {}

// processorTime is 0: nothing is given back that way here.
func processorTime() time.Duration { return 0 }
