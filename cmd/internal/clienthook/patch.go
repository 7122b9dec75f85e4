package clienthook

import (
	"errors"
	"strings"
)

const (
	patchBegins = "*** Begin Patch"
	patchEnds   = "*** End Patch"
)

// patched are the files that a patch of apply_patch names: what it adds, updates, deletes, and where it moves them.
func patched(text string) ([]string, error) {
	_, body, found := strings.Cut(text, patchBegins)
	if !found {
		return nil, errors.New("the patch does not begin with " + patchBegins)
	}
	var out []string
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		for _, head := range []string{"*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:"} {
			if name, ok := strings.CutPrefix(line, head); ok {
				out = append(out, strings.TrimSpace(name))
			}
		}
	}
	if len(out) == 0 {
		return nil, errors.New("the patch names no file")
	}
	return out, nil
}

// patchInside finds a patch in a command line: Codex takes it out and applies it itself, whatever stands around it.
func (a *Act) patchInside() error {
	for _, line := range a.Lines {
		if !strings.Contains(line, patchBegins) || !strings.Contains(line, "apply_patch") {
			continue
		}
		files, err := patched(line)
		if err != nil {
			return err
		}
		a.Patch = true
		a.Paths = append(a.Paths, files...)
	}
	return nil
}
