//go:build unix

package history

import (
	"os"
	"path/filepath"
	"testing"

	"helve/internal/change"
)

// later has a plan's looks have happened when no clock could hide a change of before.
func later(p *Plan) *Plan {
	p.seen.since = p.seen.since.Add(2 * coarse)
	return p
}

func TestAPlanIsFreshWhileNothingChanged(t *testing.T) {
	denied := false
	at := func(g *ground, name string) string { return filepath.Join(g.root, name) }
	for name, happens := range map[string]func(*ground) error{
		"nothing":           func(*ground) error { return nil },
		"a file is touched": func(g *ground) error { return os.Chmod(at(g, "d/a"), 0o600) },
		"the same is written again": func(g *ground) error {
			return os.WriteFile(at(g, "d/a"), []byte("new"), 0o644)
		},
		"another file comes to its path": func(g *ground) error { return os.Rename(at(g, "d/other"), at(g, "d/a")) },
		"something is where nothing was": func(g *ground) error {
			return os.WriteFile(at(g, "d/gone"), nil, 0o644)
		},
		"something comes into its folder": func(g *ground) error {
			return os.WriteFile(at(g, "d/more"), nil, 0o644)
		},
		"a rule denies it": func(*ground) error { denied = true; return nil },
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t)
			denied = false
			g.store.o.Denied = func(p change.Place) bool { return denied && p.Path == "d/a" }
			if err := os.Mkdir(at(g, "d"), 0o755); err != nil {
				t.Fatal(err)
			}
			g.put("d/a", "old")
			g.put("d/gone", "gone")
			g.put("d/other", "other")
			g.call(file("d/a", "new"), change.Change{Path: "d/gone"})
			plan, err := g.store.PlanUndo("")
			if err != nil {
				t.Fatal(err)
			}
			if g.store.Fresh(plan) {
				t.Error("fresh although the files changed a moment ago")
			}
			if err := happens(g); err != nil {
				t.Fatal(err)
			}
			if got, want := g.store.Fresh(later(plan)), name == "nothing"; got != want {
				t.Errorf("fresh: %v", got)
			}
		})
	}
}
