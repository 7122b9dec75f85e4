package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"helve/internal/testing/ordinary"
)

// everyDay are the kinds of repositories whose work is done here; scripts/ordinary does that of all.
var everyDay = []string{"git every day", "git worktrees", "shell"}

// Ordinary work in mode auto is neither held back nor asked about, ends as without helve, and leaves the same.
func TestOrdinaryWorkGoesOn(t *testing.T) {
	t.Parallel()
	d := newBase(t, 0)
	d.needHeld()
	const config = "[user]\n\tname = A Person\n\temail = a@example.com\n"
	if err := os.WriteFile(filepath.Join(d.home, ".gitconfig"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + d.home, "LC_ALL=C.UTF-8"}
	done := 0
	for _, r := range ordinary.Repositories() {
		if !slices.Contains(everyDay, r.Name) {
			continue
		}
		var deeds [2][]ordinary.Deed
		var trees [2]map[string]string
		for i, w := range []ordinary.Work{{Env: env}, {Env: env, Helve: d.helve()}} {
			dir := filepath.Join(d.work, r.Name, fmt.Sprint(i), "work")
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			var err error
			if deeds[i], err = w.Do(t.Context(), r, dir); err != nil {
				t.Fatal(err)
			}
			if trees[i], err = ordinary.Tree(t.Context(), dir); err != nil {
				t.Fatal(err)
			}
		}
		for i, with := range deeds[1] {
			done++
			if with.Asked || len(with.Held) > 0 || with.Status != deeds[0][i].Status {
				t.Errorf("%s: %s: %+v, without helve %+v", r.Name, with.Line, with, deeds[0][i])
			}
		}
		for _, line := range ordinary.Differences(trees[0], trees[1]) {
			t.Errorf("%s: %s", r.Name, line)
		}
	}
	if done < 25 {
		t.Errorf("only %d commands were run", done)
	}
}
