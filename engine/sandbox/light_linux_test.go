package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// lightly are the options of a program that a person chose, in a home that lies in no temporary directory.
func lightly(t *testing.T, mechanism string) (Options, fixture) {
	t.Helper()
	own, err := os.Getwd()
	must(t, err)
	base, err := os.MkdirTemp(own, "light-*") // the test's own folder lies in /tmp, which such a program may change
	if err != nil {
		t.Skip("no folder outside the temporary ones can be made: ", err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	f := newFixture(t)
	f.home, f.root = filepath.Join(base, "home"), filepath.Join(base, "home", "work")
	for name, text := range map[string]string{
		".ssh/id_rsa":      "SECRET",
		".kube/config":     "NAMED",
		".kube/other":      "SECRET",
		".npmrc":           "registry=https://npm.example/\n_authToken=SECRET\n",
		"data/file":        "DATA",
		"work/.git/config": "[core]\n",
		"work/.git/HEAD":   "ref: x\n",
		".cache/uv/x":      "",
	} {
		path := filepath.Join(f.home, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o644))
	}
	o := Options{
		Level:     Light,
		Roots:     []string{f.root},
		Writable:  []string{filepath.Join(f.home, ".cache/uv")},
		Named:     []string{filepath.Join(f.home, ".kube/config")},
		Home:      f.home,
		Network:   true,
		Mechanism: mechanism,
	}
	if _, err := Reach(t.Context(), o); err != nil {
		t.Skip("does not work here: ", err)
	}
	return o, f
}

// What stands under "kept" prints the word of a secret, or succeeds, where the confinement does not hold.
func TestTheLightConfinementKeepsSecretsAndLetsProgramsWork(t *testing.T) {
	for _, mechanism := range []string{Namespaces, Landlock} {
		t.Run(mechanism, func(t *testing.T) {
			o, f := lightly(t, mechanism)
			works := []string{
				"echo x > file && mkdir d && mv file d && mv d e && rm -r e",
				"echo x > ~/.cache/uv/y", "grep -q DATA ~/data/file", "grep -q NAMED ~/.kube/config",
				"d=$(mktemp -d) && echo x > $d/f && rm -r $d", "f=$(mktemp -p /dev/shm) && rm $f", "(echo x) | cat && ls /proc/self > /dev/null",
			}
			for _, c := range works {
				if out, e, r := run(t, o, f, c); e.Code != 0 {
					t.Errorf("%s: %+v %+v\n%s", c, e, r, out)
				}
			}
			kept := []string{
				"grep -r . ~/.ssh", "grep . ~/.kube/other", "echo x >> ~/data/file", "echo x > ~/new", "echo x > ~/.kube/config",
				"mv ~/data/file ~/moved", "rm -rf ~/data/file && test ! -e ~/data/file", "touch x && chmod 4755 x", "grep SECRET ~/.npmrc",
			}
			if mechanism == Namespaces {
				kept = append(kept, "echo x >> .git/config", "umount -l ~/.ssh", "kill -0 $PPID && test $PPID -gt 50",
					"unshare -Urm sh -c 'umount -l ~/.ssh; cat ~/.ssh/id_rsa'", "unshare -Urm mount -o remount,rw /")
			}
			for _, c := range kept {
				if out, e, r := run(t, o, f, c); e.Code == 0 || strings.Contains(out, "SECRET") {
					t.Errorf("%s: %+v %+v\n%s", c, e, r, out)
				}
			}
		})
	}
}
