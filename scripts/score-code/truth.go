package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// edgeTruth is what an oracle knows of a folder: its definitions, each use of one, and which methods stand in for
// which. It is what the programs in oracles/ write.
type edgeTruth struct {
	Files   []string    `json:"files"` // that the oracle has read; slashes, below the folder
	Defs    []trueDef   `json:"defs"`
	Uses    []trueUse   `json:"uses"`
	Over    [][2]int    `json:"over"`    // overrider, overridden: numbers of defs
	Imports [][2]string `json:"imports"` // file, the file that it imports
}

// trueDef is a definition. Line is that of its name.
type trueDef struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Name string `json:"name"`
	Kind string `json:"kind"`
}

// trueUse is a place where a name is used. To are the definitions that it may mean; none: the oracle does not know what
// it means, and denies nothing.
type trueUse struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Name string `json:"name"`
	Call bool   `json:"call"`
	To   []int  `json:"to"`
}

// callable tells whether a definition is one that calls and is called.
func (d *trueDef) callable() bool {
	return d.Kind == "function" || d.Kind == "method" || d.Kind == "constructor"
}

// readTruth reads a truth file.
func readTruth(path string) (*edgeTruth, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	t := &edgeTruth{}
	if err := json.Unmarshal(data, t); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, t.check()
}

// write keeps a truth for readTruth: a language server takes minutes.
func (t *edgeTruth) write(path string) error {
	data, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600)
}

// runOracle runs a program that writes a truth file to its standard output.
func runOracle(ctx context.Context, name string, args ...string) (*edgeTruth, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stderr = os.Stderr
	data, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	t := &edgeTruth{}
	if err := json.Unmarshal(data, t); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, t.check()
}

// check tells what is wrong with a truth: one that says nothing would make every answer right.
func (t *edgeTruth) check() error {
	if len(t.Defs) == 0 || len(t.Uses) == 0 {
		return errors.New("the oracle knows no definitions or no uses")
	}
	known := func(n int) bool { return n >= 0 && n < len(t.Defs) }
	for _, u := range t.Uses {
		for _, n := range u.To {
			if !known(n) {
				return fmt.Errorf("%s:%d: a use of definition %d of %d", u.Path, u.Line, n, len(t.Defs))
			}
		}
	}
	for _, o := range t.Over {
		if !known(o[0]) || !known(o[1]) {
			return fmt.Errorf("definition %d overrides %d of %d", o[0], o[1], len(t.Defs))
		}
	}
	return nil
}
