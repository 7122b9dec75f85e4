//go:build !unix

package terminal

import (
	"context"
	"os"
	"time"
)

// quiet drops what was typed before a question.
func quiet(_ context.Context, in *os.File) error {
	flush(in)
	return nil
}

// ready lets a read wait: nothing here tells whether it would.
func ready(context.Context, *os.File, time.Duration) (bool, error) { return true, nil }
