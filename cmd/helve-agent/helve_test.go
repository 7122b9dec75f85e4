package main

import (
	"context"
	"os"

	"helve/internal/app"
)

// helve is the main of cmd/helve.
func helve() {
	os.Exit(app.Main(context.Background(), os.Args[1:], app.System()))
}
