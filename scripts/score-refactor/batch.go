package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"helve/engine/code"
	"helve/engine/code/refactor"
	"helve/scripts/internal/scoring"
)

// A checker answers how often a project has each diagnostic; line numbers are left out, since edits move them.
type checker func() (map[string]int, error)

var scriptLine = regexp.MustCompile(`(?m)^([^\s(]+)\(\d+,\d+\): error (.*)$`)

// scriptDiagnostics are those of tsc over the project's own configuration.
func scriptDiagnostics(dir, program string) (map[string]int, error) {
	_, text := scriptBuilds(dir, program)
	found := map[string]int{}
	for _, m := range scriptLine.FindAllStringSubmatch(text, -1) {
		found[m[1]+": "+m[2]]++
	}
	if text != "" && len(found) == 0 {
		return nil, errors.New(text)
	}
	return found, nil
}

// pythonDiagnostics are those of pyright over the project's own configuration.
func pythonDiagnostics(dir, program string) (map[string]int, error) {
	cmd := exec.Command("node", program, "--outputjson", ".")
	cmd.Dir = dir
	out, err := cmd.Output() // it fails where it finds something
	var answer struct {
		GeneralDiagnostics []struct{ File, Severity, Message, Rule string }
	}
	if jsonErr := json.Unmarshal(out, &answer); jsonErr != nil {
		return nil, errors.Join(err, jsonErr)
	}
	found := map[string]int{}
	for _, d := range answer.GeneralDiagnostics {
		if d.Severity == "error" {
			found[strings.TrimPrefix(d.File, absolute(dir)+"/")+": "+d.Rule+" "+d.Message]++
		}
	}
	return found, nil
}

// batch is a score of changes of which many are made at once: those that touch other places. Where something new is
// said, the halves of them are made, down to the ones that are wrong.
type batch struct {
	*changing
	check  checker
	before map[string]int
	plans  []plan
}

// maxRounds is how often changes that touch no others are built together. What is left then is not scored.
const maxRounds = 5

// plan is a change that would be made.
type plan struct {
	of, what string
	changes  *refactor.Changes
}

// scoreBatch plans so many changes of definitions of a language, and makes all of them that are not refused.
func scoreBatch(ctx context.Context, c *changing, tree *scoring.Folder, how planned, count int) error {
	b := &batch{changing: c}
	lang := code.TypeScript
	b.check = func() (map[string]int, error) { return scriptDiagnostics(c.dir, c.server) }
	if strings.Contains(c.server, "pyright") {
		lang = code.Python
		b.check = func() (map[string]int, error) { return pythonDiagnostics(c.dir, c.server) }
	}
	var err error
	if b.before, err = b.check(); err != nil {
		return err
	}
	list := c.definitions(tree, lang)
	c.rand.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
	asked := 0
	for _, y := range list {
		if asked == count {
			break
		}
		started := time.Now()
		changes, what, err := how(ctx, c, y)
		if errors.Is(err, errNone) {
			continue
		}
		asked++
		c.planning = append(c.planning, time.Since(started))
		if err != nil {
			c.refuse(y, what, err)
			continue
		}
		b.plans = append(b.plans, plan{y.ID, what, changes})
	}
	for round := 0; len(b.plans) > 0; round++ {
		if round == maxRounds {
			fmt.Fprintf(c.out, "%d changes touch others and are not built\n", len(b.plans))
			c.left = len(b.plans)
			break
		}
		now, later := apart(b.plans)
		if err := b.try(now); err != nil {
			return err
		}
		b.plans = later
	}
	c.report(asked)
	return nil
}

// apart splits plans into some whose edits do not touch, and the others.
func apart(list []plan) (now, later []plan) {
	taken := map[string][]refactor.TextEdit{}
	for _, p := range list {
		if !slices.ContainsFunc(p.changes.Files, func(f refactor.FileEdits) bool { return touches(f, taken[f.Path]) }) {
			now = append(now, p)
			for _, f := range p.changes.Files {
				taken[f.Path] = append(taken[f.Path], f.Edits...)
			}
			continue
		}
		later = append(later, p)
	}
	return now, later
}

// touches tells whether an edit of a file meets one of those that are made there.
func touches(f refactor.FileEdits, made []refactor.TextEdit) bool {
	if f.New {
		return len(made) > 0
	}
	return slices.ContainsFunc(f.Edits, func(e refactor.TextEdit) bool {
		return slices.ContainsFunc(made, func(t refactor.TextEdit) bool { return e.Start <= t.End && t.Start <= e.End })
	})
}

// try makes plans, and halves them where something is wrong.
func (b *batch) try(list []plan) error {
	said, err := b.said(list)
	if b.verbose {
		fmt.Fprintf(b.out, "%d changes together: %d new diagnostics\n%s\n", len(list), len(said), strings.Join(said, "\n"))
	}
	switch {
	case err != nil:
		return err
	case len(said) == 0:
		b.done += len(list)
	case len(list) == 1:
		b.wrong++
		fmt.Fprintf(b.out, "WRONG %s %s\n  %s\n", list[0].of, list[0].what, strings.Join(said, "\n  "))
	default:
		half := len(list) / 2
		return errors.Join(b.try(list[:half]), b.try(list[half:]))
	}
	return nil
}

// said is what the checker says of plans that it did not say before.
func (b *batch) said(list []plan) ([]string, error) {
	files := map[string]*refactor.FileEdits{}
	for _, p := range list {
		for _, f := range p.changes.Files {
			if files[f.Path] == nil {
				files[f.Path] = &refactor.FileEdits{Path: f.Path, Before: f.Before, New: f.New}
			}
			files[f.Path].Edits = append(files[f.Path].Edits, f.Edits...)
		}
	}
	for path, f := range files {
		slices.SortFunc(f.Edits, func(a, b refactor.TextEdit) int { return cmp.Or(a.Start-b.Start, a.End-b.End) })
		full := filepath.Join(b.dir, path)
		if err := os.WriteFile(full, f.After(), 0o644); err != nil {
			return nil, err
		}
		defer func() {
			if f.New {
				os.Remove(full)
			} else {
				os.WriteFile(full, f.Before, 0o644)
			}
		}()
	}
	after, err := b.check()
	var said []string
	for d, n := range after {
		if n > b.before[d] {
			said = append(said, d)
		}
	}
	slices.Sort(said)
	return said, err
}

// newRand is the same at every run.
func newRand() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }
