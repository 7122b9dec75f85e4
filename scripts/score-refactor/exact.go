package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"helve/engine/code"
	"helve/engine/exact"
	"helve/engine/sandbox"
	"helve/scripts/internal/scoring"
)

// patience is how long a server may read the project before it is scored.
const patience = 2 * time.Minute

// checker is one whose servers have read the project: that it takes a while is no reason for a refusal here.
func (s *score) checker(ctx context.Context, tree *scoring.Folder) (*exact.Checker, error) {
	c := exact.New(exact.Options{
		Dir:     absolute(s.dir),
		Environ: os.Environ(),
		Sandbox: sandbox.Options{Readable: []string{s.readable}},
		Notice:  func(program string, err error) { os.Stderr.WriteString(program + ": " + err.Error() + "\n") },
	})
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, e := range tree.Entries() {
		l := code.LanguageOf(e.Path, nil)
		if !c.Checks(l) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(s.dir, e.Path))
		if err != nil {
			return c, err
		}
		place := code.Asked{Path: e.Path, Language: l, Text: text}
		for range 3 { // it answers, or says that there is no name here
			c.Meanings(ctx, slices.Values(tree.Entries()), []code.Asked{place})
		}
		return c, nil
	}
	c.Close()
	return nil, errors.New("no server in PATH knows what is there")
}
