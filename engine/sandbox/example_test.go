//go:build linux

package sandbox_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"helve/engine/sandbox"
)

// A command that nobody approved runs where it can read the workspace and change nothing. A program calls Init first
// in main: the sandbox is prepared by a second copy of it.
func Example() {
	sandbox.Init()

	dir, err := os.MkdirTemp("", "example-*")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	os.WriteFile(dir+"/notes.txt", []byte("three notes\n"), 0o644)

	ctx := context.Background()
	options := sandbox.Options{Level: sandbox.ReadOnly, Roots: []string{dir}}
	command := sandbox.Spec{
		Argv: []string{"/bin/sh", "-c", "cat notes.txt; rm notes.txt 2>/dev/null || echo kept"},
		Dir:  dir,
	}
	p, reached, err := sandbox.Start(ctx, options, command)
	if err != nil {
		log.Fatal(err) // ErrLevel where this machine cannot keep the level: it never runs with less
	}
	defer p.Close()
	exit, err := p.Wait(ctx)
	if err != nil {
		log.Fatal(err)
	}
	output, _, _ := p.Stdout.HeadTail(1000)
	fmt.Printf("%s%s, status %d\n", output, reached.Level, exit.Code)
	// Output:
	// three notes
	// kept
	// read-only, status 0
}
