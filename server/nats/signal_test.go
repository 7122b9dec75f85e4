package natsbus_test

import (
	"context"
	"os/signal"
	"syscall"
)

// termed is done when this program is asked to end.
func termed() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), syscall.SIGTERM)
}
