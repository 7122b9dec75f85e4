package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// makesFiles makes the files that it is given, each in place and by a folder that is moved there, and says which stand.
const makesFiles = `for f; do
	d=${f%/*} b=${f##*/}
	mkdir -p "$d"
	echo off >"$f"
	test -e "$f" || { mkdir -p other && echo off >"other/$b" && mv -T other "$d"; }
	test -e "$f" || { mv "$d" away && mkdir "$d" && echo off >"$f"; }
	test ! -e "$f" || echo "stands: $f"
done 2>/dev/null
echo x >ran
`

// A command in the background has no layer, and a client obeys a new file of its own at once: so it must not stand there
// for a moment, whoever makes it and however its name is put together, and not at the end either.
func TestNothingInTheBackgroundMakesWhatEndsAClientsQuestions(t *testing.T) {
	confinedHere(t)
	for _, c := range guardedClients {
		t.Run(c.name, func(t *testing.T) {
			for _, there := range []bool{false, true} { // the folder that a variable names
				makeAbsent(t, c, there)
			}
		})
	}
}

func makeAbsent(t *testing.T, c guardedClient, there bool) {
	w := newHookWorld(t)
	house, conf := filepath.Join(w.work, "house"), filepath.Join(w.work, "conf")
	w.env = append(w.env, "HOME="+house, c.variable+"="+conf, "XDG_CACHE_HOME="+w.home+"/cache", "XDG_CONFIG_HOME="+w.home+"/config")
	moved := filepath.Join(conf, c.variable2)
	w.write(filepath.Join(w.work, "make.sh"), makesFiles)
	if there {
		w.write(filepath.Join(filepath.Dir(moved), "other.json"), "{}")
	}
	for _, dir := range []string{".github", "house/.config/opencode"} { // others keep things there, too
		w.must(os.MkdirAll(filepath.Join(w.work, dir), 0o755))
	}
	files := []string{moved, filepath.Join(house, c.person), filepath.Join(w.work, c.project)}
	name := c.name[:strings.LastIndex(c.name, "-")]
	line := "sh make.sh " + strings.Join(files, " ")
	out, err := w.command("", "--mode=auto", "exec", "--yes", "--client", name, "--background", "-c", line).CombinedOutput()
	if err != nil || strings.Contains(string(out), "stands:") {
		t.Errorf("the folder is there: %v: %v: %s", there, err, out)
	}
	if _, err := os.Stat(filepath.Join(w.work, "ran")); err != nil {
		t.Errorf("it did not run: %v: %s", err, out)
	}
	for _, path := range files {
		if b, err := os.ReadFile(path); err == nil {
			t.Errorf("the folder is there: %v: %s has %q", there, path, b)
		}
	}
}
