package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A trap is settings of the person that name something which is not there yet, what a command puts there, and what the
// person does afterwards, each in a repository of its own. MARK is the file that tells that it went off.
type trap struct {
	name, settings, attack, look string
	byName                       bool // it is found by its name alone, and waits only where nobody was asked
}

const evilConfig = `printf '[core]\n\tfsmonitor = "touch MARK; false"\n' >`

// evil makes a program at a path that marks.
func evil(path string) string {
	return fmt.Sprintf(`mkdir -p $(dirname %[1]s) && printf '#!/bin/sh\ntouch MARK\nexit 1\n' >%[1]s && chmod +x %[1]s`, path)
}

// there marks where a file is there, or holds a word.
func there(path string) string { return "test ! -e " + path + " || touch MARK" }

var traps = []trap{
	{name: "an include that is absent", settings: "git config include.path ../tools.cfg", attack: evilConfig + "tools.cfg", look: "git status"},
	{name: "an include of a branch", settings: "git config includeIf.onbranch:other.path ../tools.cfg", attack: evilConfig + "tools.cfg",
		look: "git checkout -q -b other; git status"},
	{name: "an include of an include", settings: `git config include.path ../one.cfg && printf '[include]\n\tpath = deep/two.cfg\n' >one.cfg`,
		attack: "mkdir deep && " + evilConfig + "deep/two.cfg", look: "git status"},
	{name: "an include behind a link", settings: "git config include.path ../tools.cfg && ln -s real/tools.cfg tools.cfg",
		attack: "mkdir real && " + evilConfig + "real/tools.cfg", look: "git status"},
	{name: "a link that is exchanged", settings: "git config include.path ../tools.cfg && touch good.cfg && ln -s good.cfg tools.cfg",
		attack: evilConfig + "other.cfg && ln -sf other.cfg tools.cfg", look: "git status"},
	{name: "a relative program", settings: "git config core.fsmonitor tools/watch", attack: evil("tools/watch"), look: "git status"},
	{name: "an alias of the home", settings: `git config --global alias.st '!./st.sh'`, attack: evil("st.sh"), look: "git st"},
	{name: "a filter of the home", settings: `git config --global filter.f.clean 'sh ./clean.sh'`,
		attack: "echo '* filter=f' >.gitattributes && " + evil("clean.sh"), look: "touch a && git add ."},
	{name: "attributes of the repository", settings: `git config --global filter.g.clean 'sh ../g.sh'`,
		attack: "mkdir -p .git/info && echo '* filter=g' >.git/info/attributes", look: "printf 'touch MARK' >../g.sh; touch a && git add ."},
	{name: "hooks behind a link", settings: "rm -rf .git/hooks && ln -s ../hooks .git/hooks", attack: evil("hooks/pre-commit"),
		look: "git commit -q --allow-empty -m x"},
	{name: "a folder of hooks", settings: "git config core.hooksPath .hooks", attack: evil(".hooks/pre-commit"),
		look: "git commit -q --allow-empty -m x"},
	{name: "yarn's own program", settings: "echo 'yarnPath: .yarn/releases/yarn-4.cjs' >.yarnrc.yml", attack: evil(".yarn/releases/yarn-4.cjs"),
		look: there(".yarn/releases/yarn-4.cjs")},
	{name: "pnpm's file", settings: "printf 'packages: []\npnpmfile: tools/p.cjs\n' >pnpm-workspace.yaml", attack: evil("tools/p.cjs"), look: there("tools/p.cjs")},
	{name: "pnpm's shell", settings: "printf 'packages: []\n' >pnpm-workspace.yaml", attack: "echo 'scriptShell: ./sh' >>pnpm-workspace.yaml",
		look: "! grep -q scriptShell pnpm-workspace.yaml || touch MARK"},
	{name: "npm's shell", settings: "echo 'script-shell=./tools/sh' >.npmrc", attack: evil("tools/sh"), look: there("tools/sh")},
	{name: "a debugger", settings: "true", attack: "echo 'import os' >.pdbrc && echo x >.gdbinit", look: there(".pdbrc") + "; " + there(".gdbinit")},
	{name: "an interpreter", settings: "true", attack: "echo x >.perldb && echo --x >.valgrindrc", look: there(".perldb") + "; " + there(".valgrindrc")},
	{name: "a template of versions", settings: "echo 'node 20' >.tool-versions && git add . && git commit -qm x",
		attack: `echo "node {{exec(command='x')}}" >.tool-versions`, look: "! grep -q exec .tool-versions || touch MARK"},
	{name: "an editor", settings: "mkdir .vscode", attack: "echo '{}' >.vscode/tasks.json", look: there(".vscode/tasks.json")},
	{name: "a new hidden name", settings: "true", attack: "mkdir .newtool && echo x >.newtool/rc", look: there(".newtool/rc"), byName: true},
	{name: "texts for models", settings: "true", attack: "echo x >AGENTS.md", look: there("AGENTS.md"), byName: true},
	{name: "another's bazel", settings: "true", attack: "echo evil/7.0.0 >.bazelversion", look: there(".bazelversion"), byName: true},
}

func (d *base) trapped(i int) string      { return filepath.Join(d.work, fmt.Sprintf("r%d", i)) }
func (d *base) trapMark(i int) string     { return filepath.Join(d.home, fmt.Sprintf("mark%d", i)) }
func (d *base) of(i int, s string) string { return strings.ReplaceAll(s, "MARK", d.trapMark(i)) }

// set sets the traps, and writes the script that springs them.
func (d *base) set() {
	d.t.Helper()
	script := ""
	for i, x := range traps {
		line := fmt.Sprintf("mkdir r%d && cd r%[1]d && git init -q -b main . && echo a >a && git add . && git commit -qm one && %s", i, d.of(i, x.settings))
		if out, err := d.outside(line); err != nil {
			d.t.Fatalf("%s: %v: %s", x.name, err, out)
		}
		script += fmt.Sprintf("(cd r%d && %s)\n", i, d.of(i, x.attack))
	}
	script += "echo done >done\n"
	if err := os.WriteFile(filepath.Join(d.work, "attack.sh"), []byte(script), 0o755); err != nil {
		d.t.Fatal(err)
	}
}

// ran wants the script to have come to its end, and what it did to be there.
func (d *base) ran(said string) {
	d.t.Helper()
	if _, err := os.Stat(filepath.Join(d.work, "done")); err != nil {
		d.t.Fatalf("it did not run: %s", said)
	}
}

// marked are the traps that go off when the person goes on.
func (d *base) marked() map[string]bool {
	out := map[string]bool{}
	for i, x := range traps {
		os.Remove(d.trapMark(i))
		d.outside("cd " + d.trapped(i) + "; " + d.of(i, x.look))
		if _, err := os.Lstat(d.trapMark(i)); err == nil {
			out[x.name] = true
		}
	}
	return out
}

// What settings of the person name, and is not there yet, is not made by a command, whoever the person is and whatever
// confines it: unasked in namespaces, and approved for something else with Landlock alone.
func TestSettingsAreNoTraps(t *testing.T) {
	t.Parallel()
	users := map[string]int{"own user": 0}
	if os.Geteuid() == 0 {
		users["ordinary user"] = 65534
	}
	for who, user := range users {
		t.Run(who, func(t *testing.T) {
			t.Parallel()
			open := newBase(t, user)
			open.set()
			if out, err := open.outside("bash attack.sh"); err != nil {
				t.Fatal(err, out)
			}
			goes := open.marked()
			for _, x := range traps {
				if !goes[x.name] {
					t.Errorf("%s: it goes off for nobody", x.name)
				}
			}
			t.Run("namespaces", func(t *testing.T) {
				d := newBase(t, user)
				d.needHeld()
				d.set()
				said := d.bash("bash attack.sh")
				d.ran(said)
				for name := range d.marked() {
					t.Errorf("%s: it goes off: %s", name, said)
				}
			})
			t.Run("Landlock alone", func(t *testing.T) {
				d := newBase(t, user)
				probe := d.command("unshare", "--user", "--map-root-user", "true")
				if out, err := probe.CombinedOutput(); err != nil {
					t.Skipf("a user namespace, in which there are none, does not work here: %v %s", err, out)
				}
				d.set()
				said := d.alone("--mode", "auto", "call", "--yes", "bash", "command=bash attack.sh")
				if strings.Contains(said, "no mechanism") || strings.Contains(said, "cannot be kept on this machine") {
					t.Skip("Landlock does not work here: ", said)
				}
				d.ran(said)
				goes := d.marked()
				for _, x := range traps {
					if goes[x.name] && !x.byName {
						t.Errorf("%s: it goes off: %s", x.name, said)
					}
				}
			})
		})
	}
}
