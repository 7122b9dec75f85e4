package app

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"helve/internal/journal"
	"helve/internal/state"
	"helve/policy"
	"helve/wrap"
)

const (
	// maxGrantFile bounds the file of grants: a thousand of them have some 500 KB.
	maxGrantFile = 4 << 20
	// maxStatsFile bounds the counts: some thousand tools.
	maxStatsFile = 1 << 20
)

// grantFile keeps grants in the state folder. What cannot be read grants nothing.
type grantFile struct {
	path string
	warn func(format string, args ...any)
}

var _ policy.GrantStore = grantFile{}

func (a *app) grantFile() grantFile {
	return grantFile{filepath.Join(a.stateDir(), "grants.json"), func(format string, args ...any) { a.note("warning: "+format, args...) }}
}

func (g grantFile) Load() ([]policy.Grant, error) {
	b, err := state.Read(g.path, maxGrantFile)
	if err != nil {
		g.warn("approvals: %v: nothing is approved", err)
		return nil, nil
	}
	return g.parse(b), nil
}

func (g grantFile) parse(b []byte) []policy.Grant {
	var list []policy.Grant
	if len(b) == 0 {
		return nil
	}
	if err := json.Unmarshal(b, &list); err != nil {
		g.warn("approvals: %s cannot be read: nothing is approved", g.path)
		return nil
	}
	return list
}

func (g grantFile) Update(change func([]policy.Grant) ([]policy.Grant, error)) error {
	if err := state.MakeDir(filepath.Dir(g.path)); err != nil {
		return err
	}
	return state.Update(g.path, maxGrantFile, func(old []byte) ([]byte, error) {
		list, err := change(g.parse(old))
		if err != nil {
			return nil, err
		}
		return json.MarshalIndent(list, "", "  ")
	})
}

func (a *app) journal() *journal.File {
	return &journal.File{Path: filepath.Join(a.stateDir(), "audit.jsonl")}
}

func (a *app) statsPath() string { return filepath.Join(a.stateDir(), "stats.json") }

// usage reads the counts of all runs.
func (a *app) usage() (map[string]wrap.Usage, error) {
	b, err := state.Read(a.statsPath(), maxStatsFile)
	if err != nil {
		return nil, err
	}
	return parseUsage(b), nil
}

// parseUsage starts anew where the file cannot be read: counts are no reason to fail.
func parseUsage(b []byte) map[string]wrap.Usage {
	all := map[string]wrap.Usage{}
	if json.Unmarshal(b, &all) != nil {
		return map[string]wrap.Usage{}
	}
	return all
}

// saveUsage adds this run's counts to those of all runs.
func (a *app) saveUsage(c *wrap.Counter) error {
	mine := c.Usage()
	if len(mine) == 0 {
		return nil
	}
	if err := state.MakeDir(a.stateDir()); err != nil {
		return err
	}
	err := state.Update(a.statsPath(), maxStatsFile, func(old []byte) ([]byte, error) {
		all := parseUsage(old)
		for _, u := range mine {
			all[u.Tool] = u.Plus(all[u.Tool])
		}
		return json.MarshalIndent(all, "", "  ")
	})
	if err != nil {
		return fmt.Errorf("stats: %w", err)
	}
	return nil
}
