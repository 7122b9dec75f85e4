package main

import (
	"context"
	"os"
	"os/signal"

	"helve/cmd/internal/app"
)

// helve is the main of cmd/helve.
func helve() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(app.Main(ctx, os.Args[1:], app.System()))
}
