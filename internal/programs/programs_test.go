package programs

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// A machine is a home with files, in which programs are asked about.
type machine struct {
	t    *testing.T
	home string
}

func newMachine(t *testing.T) machine {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("nothing there hides a home, and the paths are those of Unix")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return machine{t, filepath.Join(dir, "me")}
}

// put makes a file below the home: a program, unless its name is file.
func (m machine) put(rel, text string) machine {
	m.t.Helper()
	path := filepath.Join(m.home, rel)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.t.Fatal(err)
	}
	mode := os.FileMode(0o755)
	if filepath.Base(rel) == "file" {
		mode = 0o644
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "~", m.home)), mode); err != nil {
		m.t.Fatal(err)
	}
	return m
}

func (m machine) link(rel, to string) machine {
	m.t.Helper()
	path := filepath.Join(m.home, rel)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.Symlink(to, path); err != nil {
		m.t.Fatal(err)
	}
	return m
}

// need is what a line needs, with ~ for the home.
func (m machine) need(line string, path ...string) Need {
	m.t.Helper()
	argv, err := Split(line, m.home)
	if err != nil {
		m.t.Fatal(err)
	}
	env := []string{"HOME=" + m.home, "PATH=" + strings.ReplaceAll(strings.Join(append(path, "/usr/bin:/bin"), ":"), "~", m.home)}
	n := For(Command{Argv: argv, Dir: filepath.Join(m.home, "work"), Env: env, Home: m.home, Roots: []string{filepath.Join(m.home, "work")}})
	for _, list := range []*[]string{&n.Readable, &n.Named, &n.Masked} {
		for i, p := range *list {
			(*list)[i] = strings.Replace(p, m.home, "~", 1)
		}
	}
	return n
}

func TestWhatAProgramNeedsIsFoundBesideIt(t *testing.T) {
	m := newMachine(t)
	m.put("bin/tool", "#!/bin/sh\n").put("bin/.env", "")
	m.put("top.sh", "#!/bin/sh\n").put("Documents/x.sh", "#!/bin/sh\n").put(".config/x.sh", "#!/bin/sh\n")
	m.put(".ssh/x.sh", "#!/bin/sh\n").put(".ssh/id_rsa", "").put("data/file", "").put("data/x.key", "")
	m.put("pkg/package.json", "").put("pkg/bin/cli.js", "#!/usr/bin/env own-node\n").put("pkg/lib/a.js", "")
	m.put("node/bin/own-node", "\x7fELF").put("node/lib/x", "")
	m.put("npm/lib/node_modules/tool/cli.js", "#!/bin/sh\n").put("npm/lib/node_modules/other/x", "").link("npm/bin/global", "../lib/node_modules/tool/cli.js")
	m.put("venvs/a/pyvenv.cfg", "home = ~/python/bin\nversion = 3\n").put("venvs/a/bin/start", "#!~/venvs/a/bin/python\n")
	m.put("python/bin/python3", "\x7fELF").put("python/lib/os.py", "").link("venvs/a/bin/python", m.home+"/python/bin/python3")
	m.put("py/shims/python9", "#!/bin/sh\n").put("py/versions/9/bin/python9", "").put("py/bin/pyenv", "").put("py/secret", "")
	m.put("work/tools/list", "#!/bin/sh\n").put("work/.env", "")
	m.link("everything", m.home).link("bin/out", "../data/prog").put("data/prog", "\x7fELF")
	for _, c := range []struct {
		line, path string
		want       []string
	}{
		{"~/bin/tool", "", []string{"~/bin", "~/bin/tool"}},
		{"~/top.sh", "", []string{"~/top.sh"}},
		{"~/Documents/x.sh", "", []string{"~/Documents/x.sh"}},
		{"~/.config/x.sh", "", []string{"~/.config/x.sh"}},
		{"~/.ssh/x.sh", "", []string{"~/.ssh/x.sh"}},
		{"cat ~/data/file", "", []string{"~/data/file"}},
		{"cat --from=~/data/file", "", []string{"~/data/file"}},
		{"ls ~/data", "", []string{"~/data"}},
		{"ls ~ ~/ $HOME ~/.ssh ~/everything ~/.. / ~/.config", "", nil},
		{"~/bin/out", "", []string{"~/bin/out", "~/data"}},
		{"~/pkg/bin/cli.js", "~/node/bin", []string{"~/node/bin", "~/node/bin/own-node", "~/node/lib", "~/pkg", "~/pkg/bin", "~/pkg/bin/cli.js", "~/pkg/lib"}},
		{"global", "~/npm/bin", []string{"~/npm/bin/global", "~/npm/lib", "~/npm/lib/node_modules"}},
		{"~/venvs/a/bin/start", "", []string{"~/python/bin", "~/python/bin/python3", "~/python/lib", "~/venvs/a", "~/venvs/a/bin", "~/venvs/a/bin/python", "~/venvs/a/bin/start"}},
		{"python9", "~/py/shims", []string{"~/py/bin", "~/py/shims", "~/py/shims/python9", "~/py/versions"}},
		{"tools/list", "", nil},
		{"sh -c '~/bin/tool | cat ~/data/file'", "", []string{"~/bin", "~/bin/tool", "~/data/file"}},
		{"bash -lc 'exec ~/bin/tool'", "", []string{"~/bin", "~/bin/tool"}},
		{"env -i A=b timeout 5s ~/top.sh", "", []string{"~/top.sh"}},
		{"sh ~/bin/tool", "", []string{"~/bin", "~/bin/tool"}},
	} {
		if got := m.need(c.line, c.path); !slices.Equal(got.Readable, c.want) || got.Missing != nil {
			t.Errorf("%s: %q, %v\nwant %q", c.line, got.Readable, got.Missing, c.want)
		}
	}
	if got := m.need("~/bin/tool").Masked; !slices.Equal(got, []string{"~/bin/.env"}) {
		t.Errorf("masked: %q", got)
	}
	if got := m.need("cat ~/bin/.env ~/bin/tool").Masked; len(got) != 0 {
		t.Errorf("a file that was named is masked: %q", got)
	}
	if got := m.need("ls ~/data").Masked; !slices.Equal(got, []string{"~/data/x.key"}) {
		t.Errorf("masked in a folder: %q", got)
	}
}

func TestAMissingProgramIsNamedWithWhatToDo(t *testing.T) {
	m := newMachine(t)
	m.put("bin/wants", "#!/usr/bin/env no-such-language\n").put("bin/far", "#!/no/such/language\n").put("bin/tool", "#!/bin/sh\n")
	m.put("bin/plain", "text").link("bin/broken", "nowhere")
	if err := os.Chmod(filepath.Join(m.home, "bin/plain"), 0o644); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"~/bin/none":   "there is no file ~/bin/none: make it, or correct the path in the configuration",
		"~/bin/broken": "~/bin/broken is a link to a file that is not there: correct the link",
		"~/bin/plain":  "~/bin/plain is there, and may not be executed: chmod +x makes it a program",
		"~/bin":        "~/bin is a folder: name the program in it",
		"no-such-tool": "no-such-tool: not found in the absolute folders of PATH: name the program by its path",
		"~/bin/wants":  "~/bin/wants is there, and its first line wants no-such-language: no-such-language: not found in the absolute folders of PATH",
		"~/bin/far":    "~/bin/far is there, and its first line wants /no/such/language: there is no file /no/such/language",
	} {
		err := m.need(line).Missing
		if !errors.Is(err, ErrMissing) || !strings.Contains(strings.ReplaceAll(err.Error(), m.home, "~"), want) {
			t.Errorf("%s: %v\nwant %s", line, err, want)
		}
	}
}

func TestALineForAShellSaysThatNoneRunsIt(t *testing.T) {
	for line, bad := range map[string]bool{
		"a | b": true, "a && b": true, "a; b": true, "a > f": true, "a 2>&1": true, "a $(b)": true, "a <f": true, "a &": true,
		"a '|' b": false, `a "x; y"`: false, `a \| b`: false, "a https://h/?x=1&y=2": false, "a --f={b;c}": false, "sh -c 'a | b'": false, "a '' x": false,
	} {
		if _, err := Split(line, "/home/me"); (err != nil) != bad {
			t.Errorf("%s: %v", line, err)
		}
	}
	got, err := Split(`~/a "$HOME/b c" --d=~/e f=~/g '~'h ${HOME} $HOMER`, "/home/me")
	want := []string{"/home/me/a", "/home/me/b c", "--d=/home/me/e", "f=~/g", "~h", "/home/me", "$HOMER"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestAFolderWithTooMuchInItIsNotShown(t *testing.T) {
	m := newMachine(t).put("bin/tool", "#!/bin/sh\n")
	for i := range maxMasked + 2 {
		m.put("bin/"+strings.Repeat("x", i+1)+".key", "")
	}
	if got := m.need("~/bin/tool").Readable; !slices.Equal(got, []string{"~/bin/tool"}) {
		t.Errorf("%q", got)
	}
}
