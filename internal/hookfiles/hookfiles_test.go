package hookfiles_test

import (
	"testing"

	"helve/internal/hookfiles"
)

func TestWhatHasAClientAskIsKnownByItsName(t *testing.T) {
	for path, want := range map[string]bool{
		".claude/settings.json":                     true,
		"home/ann/.claude/settings.json":            true,
		".claude":                                   true, // moved away, its files are gone
		".claude/plans/x.md":                        false,
		".claude/settings.json/x":                   false,
		"sub/.codex/hooks.json":                     true,
		"home/ann/.copilot/hooks/own.json":          true,
		".github/hooks/deep/x.json":                 true,
		".github":                                   false, // most of it is no client's
		".github/workflows/ci.yml":                  false,
		"home/ann/.config/opencode/plugin/a.js":     true,
		"home/ann/.config/opencode/opencode.json":   false,
		"home/ann/.config/opencode":                 false,
		".cline/hooks/pretooluse":                   true,
		"src/settings.json":                         false,
		"x.claude/settings.json":                    false,
		"etc/claude-code/managed-settings.d/a.json": true,
	} {
		if got := hookfiles.Why(path) != ""; got != want {
			t.Errorf("%s: kept %v, want %v", path, got, want)
		}
	}
}
