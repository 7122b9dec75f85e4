package upgrade

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// An installer is install.sh as it lies in a release's folder, with a machine of its own around it.
type installer struct {
	t      *testing.T
	script string
	env    []string
}

func installerIn(t *testing.T, dir string) *installer {
	t.Helper()
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("install.sh is for Linux and macOS")
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "scripts", "install.sh"))
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(dir, "install.sh")
	put(t, script, string(text))
	return &installer{t, script, []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir()}}
}

// run runs it with more in the environment, and tells what it said and whether it ended well.
func (i *installer) run(args []string, env ...string) (said string, ok bool) {
	i.t.Helper()
	cmd := exec.Command("sh", append([]string{i.script}, args...)...)
	cmd.Env = append(i.env, env...)
	cmd.Dir = i.t.TempDir()
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

func TestInstallTakesWhatLiesBesideIt(t *testing.T) {
	dir := release(t, "2.0.0")
	i := installerIn(t, dir)
	home := filepath.Join(t.TempDir(), "a home", "ü")
	program := filepath.Join(home, ".local", "bin", "helve")

	said, ok := i.run([]string{"--dry-run"}, "HOME="+home)
	if !ok || !strings.Contains(said, "takes "+dir+"/"+archive("2.0.0")+", writes "+program) {
		t.Errorf("a dry run said:\n%s", said)
	}
	if _, err := os.Stat(home); err == nil {
		t.Error("a dry run wrote something")
	}
	for range 2 { // the second time over the first
		if said, ok := i.run(nil, "HOME="+home); !ok || !strings.Contains(said, "installed helve 2.0.0 ") {
			t.Fatalf("it said:\n%s", said)
		}
		onlyHelve(t, program)
	}
	from, err := sourceOf(program, nothing) // helve upgrade asks there
	if err != nil || from.base != dir {
		t.Errorf("%+v, %v", from, err)
	}
}

func TestInstallTakesAFolderOrAnAddress(t *testing.T) {
	dir := release(t, "2.0.0")
	i := installerIn(t, t.TempDir()) // nothing lies beside it
	for _, base := range []string{dir, "file://" + dir} {
		home := t.TempDir()
		if said, ok := i.run(nil, "HOME="+home, "HELVE_BASE_URL="+base); !ok {
			t.Errorf("%s: %s", base, said)
		}
		onlyHelve(t, filepath.Join(home, ".local", "bin", "helve"))
	}
}

// Each trouble has a word that says what to do, and the old program stays.
func TestInstallSaysWhatToDo(t *testing.T) {
	dir := release(t, "2.0.0")
	half := release(t, "2.0.0")
	cut(t, filepath.Join(half, archive("2.0.0")))
	failing := release(t, "2.0.0")
	name := strings.TrimSuffix(archive("2.0.0"), ".tar.gz") + "/helve"
	replace(t, failing, archive("2.0.0"), packed(t, name, "#!/bin/sh\nexit 3\n"))
	few := tools(t, "tar", "gzip", "sha256sum")
	noTar := tools(t, "sha256sum")
	noSum := tools(t, "tar", "gzip")
	for name, c := range map[string]struct {
		args []string
		env  []string
		says string
	}{
		"nothing beside it":     {nil, nil, "beside install.sh, or set HELVE_BASE_URL"},
		"no such folder":        {nil, []string{"HELVE_BASE_URL=./nowhere"}, "neither an address nor a folder"},
		"no such version":       {nil, []string{"HELVE_BASE_URL=" + dir, "HELVE_VERSION=9.0.0"}, "version 9.0.0 has no"},
		"half a download":       {nil, []string{"HELVE_BASE_URL=" + half}, "nothing was installed"},
		"a program that fails":  {nil, []string{"HELVE_BASE_URL=" + failing}, "does not run on this machine"},
		"an unknown word":       {[]string{"--prefix=/x"}, nil, "HELVE_PREFIX"},
		"neither curl nor wget": {nil, []string{"HELVE_BASE_URL=https://a.invalid", "PATH=" + few}, "neither curl nor wget"},
		"no tar":                {nil, []string{"HELVE_BASE_URL=" + dir, "PATH=" + noTar}, "tar is not installed"},
		"nothing that adds up":  {nil, []string{"HELVE_BASE_URL=" + dir, "PATH=" + noSum}, "install coreutils or openssl"},
		"no home":               {nil, []string{"HELVE_BASE_URL=" + dir, "HOME="}, "set HELVE_PREFIX"},
		"a home that is a file": {nil, []string{"HELVE_BASE_URL=" + dir, "HELVE_PREFIX=/dev/null"}, "set HELVE_PREFIX"},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			program := filepath.Join(home, ".local", "bin", "helve")
			put(t, program, "the old one")
			i := installerIn(t, t.TempDir())
			said, ok := i.run(c.args, append([]string{"HOME=" + home}, c.env...)...)
			if ok || !strings.Contains(said, c.says) {
				t.Errorf("said:\n%s\nwant %q", said, c.says)
			}
			if b, _ := os.ReadFile(program); string(b) != "the old one" {
				t.Errorf("the program is %q", b)
			}
			onlyHelve(t, program)
		})
	}
}

// tools is a folder with what every machine has, and these programs.
func tools(t *testing.T, more ...string) string {
	t.Helper()
	dir := t.TempDir()
	every := []string{"sh", "uname", "dirname", "sed", "head", "awk", "mktemp", "rm", "cp", "mkdir", "chmod", "mv", "cut"}
	for _, name := range append(every, more...) {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Skip("this machine has no " + name)
		}
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
