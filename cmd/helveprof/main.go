package main

import (
	"context"
	"os"
	"os/signal"
	"runtime"
	"runtime/pprof"
	"syscall"

	"helve/internal/app"
	"helve/sandbox"
)

func main() {
	sandbox.Init()
	os.Exit(run())
}

func run() int {
	if p := os.Getenv("HELVE_PROF"); p != "" {
		runtime.SetBlockProfileRate(1000)
		runtime.SetCPUProfileRate(2000)
		f, _ := os.Create(p)
		pprof.StartCPUProfile(f)
		defer func() {
			pprof.StopCPUProfile()
			f.Close()
			runtime.GC()
			h, _ := os.Create(p + ".heap")
			pprof.Lookup("allocs").WriteTo(h, 0)
			h.Close()
		}()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return app.Main(ctx, os.Args[1:], app.System())
}
