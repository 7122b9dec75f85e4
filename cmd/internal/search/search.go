// Package search has the commands that search a workspace for people and scripts, grep and glob, and index, which makes
// both fast.
package search

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"helve/cmd/internal/command"
	"helve/engine/search"
	"helve/engine/tree"
)

// oneShotGC lets the heap of a command that ends soon grow further before it is collected: a fifth of the time, for
// some megabytes.
const oneShotGC = 400

// engine searches a folder for one command, with the index that may be there. Call the function when done.
func engine(s command.Streams, dir string, indexed bool) (*search.Engine, func() error, error) {
	debug.SetGCPercent(oneShotGC)
	t, err := tree.At(dir, tree.Config{GlobalIgnore: tree.GitIgnoreFile(s.Getenv)})
	if err != nil {
		return nil, nil, err
	}
	if !indexed {
		return search.New(t), t.Close, nil
	}
	return search.NewIndexed(t, s.Places().CacheDir), t.Close, nil
}

// listFiles is the next step of somebody who names a path that is not there.
const listFiles = "helve glob '**' lists the files that are there"

// there makes paths relative to the workspace, and tells of those that are missing. A person may name any folder with
// -C; paths stay inside.
func there(dir string, paths []string) (out []string, missing []error, err error) {
	for _, p := range paths {
		rel, err := inside(dir, p)
		if err != nil {
			return nil, nil, err
		}
		if _, err := os.Lstat(filepath.Join(dir, rel)); err != nil {
			if at, ok := errors.AsType[*fs.PathError](err); ok {
				err = at.Err // the path as it was typed is enough
			}
			missing = append(missing, command.Usage("%s: %v", p, err))
			continue
		}
		out = append(out, rel)
	}
	return out, missing, nil
}

// inside is a path from the workspace on, with slashes.
func inside(dir, path string) (string, error) {
	if path == "" { // a variable that is not set must not mean the whole workspace
		return "", command.Usage("the path is empty")
	}
	rel := path
	if filepath.IsAbs(path) {
		var err error
		if rel, err = filepath.Rel(dir, path); err != nil {
			return "", command.Usage("%s: %v", path, err)
		}
	}
	rel = filepath.ToSlash(filepath.Clean(rel))
	if rel == ".." || strings.HasPrefix(rel, "../") {
		return "", command.Usage("%s: outside the workspace\nhint: -C names another one", path)
	}
	return rel, nil
}

// hiddenReasons is how many reasons are told why no file was searched: the first say enough.
const hiddenReasons = 3

// summed turns a summary into talk and an exit status, as grep has them: 0 found, 1 nothing, 2 an error.
func summed(s command.Streams, sum search.Summary) error {
	for _, err := range sum.Failed {
		s.Say("%v", err)
	}
	found := sum.Files > 0
	if !found && sum.Searched == 0 {
		for _, h := range sum.Hidden[:min(hiddenReasons, len(sum.Hidden))] {
			s.Say("no file was searched: %d hidden %s", h.Files, h.Reason)
		}
	}
	if sum.Capped {
		s.Say("stopped at --max; there is more")
	}
	switch {
	case found:
		return nil
	case sum.Failures > 0:
		return &command.ExitError{Status: command.ExitUsage}
	}
	return &command.ExitError{Status: command.ExitFailed}
}

// completeTypes completes to the types of files that a search knows.
func completeTypes() command.Completion { return command.OneOf(tree.TypeNames()...) }
