package main

import (
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// placed FILE…: files that say ${WORK} say where the script works: an event names whole paths.
func placed(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: placed FILE…")
	}
	for _, name := range args {
		text := strings.ReplaceAll(ts.ReadFile(name), "${WORK}", ts.Getenv("WORK"))
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o644))
	}
}
