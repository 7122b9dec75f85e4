//go:build unix

package check_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helve/internal/change/check"
)

// newInterpreters is a ground with an interpreter outside, which a whole environment leads to, and programs that are none.
func newInterpreters(t *testing.T) (g *ground, made string) {
	g = newGround(t)
	for _, name := range []string{"python3.11", "make", "cache/python3"} {
		at := filepath.Join(g.home, "usr", name)
		must(t, os.MkdirAll(filepath.Dir(at), 0o755))
		must(t, os.WriteFile(at, []byte("#!/bin/sh\n"), 0o755))
	}
	made = fmt.Sprintf(`mkdir -p V/bin V/lib/python3.11/site-packages/pip V/include; ln -s lib V/lib64; echo "home = %[1]s" >V/pyvenv.cfg
ln -s %[1]s/python3.11 V/bin/python3; ln -s python3 V/bin/python; ln -s python V/bin/python3.11
echo activate >V/bin/activate; echo pip >V/bin/pip; echo x >V/lib/python3.11/site-packages/distutils-precedence.pth
echo x >V/lib/python3.11/site-packages/pip/__init__.py`, filepath.Join(g.home, "usr"))
	return g, made
}

// named has a script speak of an environment.
func named(script, env string) string {
	return "V=" + env + "; " + strings.ReplaceAll(script, "V/", "$V/")
}

// TestAWholeEnvironmentIsMadeAndOneThatStoodStays: what editors run when they open a folder with a virtual environment
// of Python.
func TestAWholeEnvironmentIsMadeAndOneThatStoodStays(t *testing.T) {
	for _, c := range []struct {
		stood, command string
		found          string // below the environment; "": nothing
	}{
		{"", "MAKE", ""},
		{"", "MAKE; rm V/bin/python3; echo evil >V/bin/python3; chmod +x V/bin/python3", "bin/python3"},
		{"", "MAKE; ln -sf OUT/make V/bin/python", "bin/python"},
		{"", "MAKE; ln -sf OUT/gone/python3 V/bin/python", "bin/python"},
		{"", "MAKE; ln -sf OUT/cache/python3 V/bin/python", "bin/python"},
		{"", "MAKE; ln -s OUT/python3.11 python3; ln -sf ../../python3 V/bin/python", "bin/python"},
		{"", "MAKE; ln -sf python V/bin/python3", "bin/python"},
		{"", "MAKE; mv V/bin evil; ln -s ../evil V/bin", "bin"},
		{"", "mkdir -p V/bin; echo evil >V/bin/python3.12; touch V/pyvenv.cfg", "bin/python3.12"},
		{"MAKE", "rm -r V; MAKE", ""},
		{"MAKE", "echo command = python3 -m venv --clear x >>V/pyvenv.cfg", ""},
		{"MAKE", "rm -r V", ""},
		{"MAKE", "mkdir -p V/lib/python3.11/site-packages/x V/share/man V/bin/__pycache__; echo x | tee V/lib/python3.11/site-packages/x/__init__.py V/share/man/x V/bin/__pycache__/x.pyc >V/x", ""},
		{"MAKE", "echo more >>V/lib/python3.11/site-packages/pip/__init__.py", ""},
		{"MAKE", "echo evil >>V/bin/activate", "bin/activate"},
		{"MAKE", "echo evil >V/bin/git; chmod +x V/bin/git", "bin/git"},
		{"MAKE", "chmod 755 V/bin/pip", "bin/pip"},
		{"MAKE", "ln -sf OUT/make V/bin/python3", "bin/python3"},
		{"MAKE", "rm V/bin/python; echo evil >V/bin/python", "bin/python"},
		{"MAKE", "echo home = evil >V/pyvenv.cfg", "pyvenv.cfg"},
		{"MAKE; rm V/pyvenv.cfg", "echo evil >V/pyvenv.cfg", "pyvenv.cfg"},
		{"MAKE", "echo import evil >V/lib/python3.11/site-packages/a.pth", "lib/python3.11/site-packages/a.pth"},
		{"MAKE", "echo evil >V/lib/python3.11/site-packages/sitecustomize.py", "lib/python3.11/site-packages/sitecustomize.py"},
		{"MAKE", "mkdir V/lib/python3.11/site-packages/usercustomize; echo evil >V/lib/python3.11/site-packages/usercustomize/__init__.py", "lib/python3.11/site-packages/usercustomize/__init__.py"},
		{"MAKE", "mv V/lib evil; ln -s ../evil V/lib", "lib"},
		{"MAKE", "mv V/lib/python3.11 evil; ln -s ../../evil V/lib/python3.11", "lib/python3.11"},
		{"MAKE", "mv V/lib/python3.11/site-packages evil; ln -s ../../../evil V/lib/python3.11/site-packages", "lib/python3.11/site-packages"},
		{"MAKE", "mv V/bin evil; echo evil >evil/python; ln -s ../evil V/bin", "bin"},
		{"MAKE; ln -s V/bin way", "echo evil >way/python.evil", "bin/python.evil"},
	} {
		for _, env := range []string{".venv", "deep/Env"} {
			g, made := newInterpreters(t)
			script := func(s string) string {
				s = strings.ReplaceAll(strings.ReplaceAll(s, "MAKE", made), "OUT", filepath.Join(g.home, "usr"))
				return named(strings.ReplaceAll(s, "rm -r V", "rm -r V/"), env)
			}
			g.sh("mkdir -p deep x; " + script(c.stood))
			set := g.after(script(c.command))
			o := g.unasked()
			o.New.Writable = []string{filepath.Join(g.home, "usr", "cache")}
			found, err := check.Check(t.Context(), o, set)
			must(t, err)
			var got []string
			for _, f := range found {
				got = append(got, string(f.Path))
			}
			if c.found == "" && len(found) > 0 || c.found != "" && !slices.Contains(got, env+"/"+c.found) {
				t.Errorf("%s: %q after %q: found %v, want %s", env, c.command, c.stood, found, c.found)
			}
		}
	}
}
