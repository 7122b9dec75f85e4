package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// confined are the options of a command that nobody approved, in a home of its own with what programs keep there.
func confined(t *testing.T) (Options, fixture) {
	t.Helper()
	f := newFixture(t)
	for name, text := range map[string]string{
		".cargo/registry/crate":       "a crate",
		".cargo/credentials.toml":     "SECRET",
		"go/pkg/mod/module":           "a module",
		"tools/bin/tool":              "#!/bin/sh\necho a tool\n",
		"tools/token":                 "SECRET",
		".npmrc":                      "SECRET",
		".config/browser/logins":      "SECRET",
		"project/.env":                "SECRET",
		"notes/allowed":               "a note",
		".m2/settings.xml":            "SECRET",
		".m2/repository/jar":          "a jar",
		".local/share/keyrings/login": "SECRET",
		".gitconfig": "[user]\n\tname = Some One\n[credential]\n\thelper = store --SECRET\n[include]\n\tpath = SECRET\n" +
			"[url \"https://SECRET@host/\"]\n\tinsteadOf = x\n[alias]\n\tx = !echo SECRET\n[remote \"o\"]\n\turl = https://SECRET@host/\n",
	} {
		path := filepath.Join(f.home, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o755))
	}
	o := Options{Roots: []string{f.root}, Home: f.home}
	r, err := Reach(t.Context(), o)
	if err != nil || !r.Confined {
		t.Skipf("reads are not confined here: %+v %v", r, err)
	}
	return o, f
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestCommandsReadTheWorkspaceAndProgramsOnly(t *testing.T) {
	o, f := confined(t)
	o.Masked = []string{".env"} // in the workspace, where a command that may write reads it otherwise
	own, err := os.Getwd()      // a directory outside all temporary ones
	must(t, err)
	must(t, os.Symlink(f.home, filepath.Join(f.root, "link")))
	for _, c := range []string{
		"grep -r SECRET ~ link/ 2>/dev/null; cat ~/.ssh/* ~/.npmrc ~/.m2/settings.xml ~/.cargo/credentials.toml ~/project/.env link/.npmrc",
		"find / -xdev -name '.npmrc' -exec cat {} + ; cat /proc/1/root" + f.home + "/.npmrc /proc/self/root" + f.home + "/.npmrc",
		"cat /etc/shadow /etc/gshadow /etc/sudoers /etc/ssh/*_key | grep -v '^#' | grep . && echo SECRET",
		"cat " + own + "/sandbox.go && echo SECRET",
		"git config --list --global; git config --list --global | grep -i secret",
		"test -e " + f.home + "/tools/token && echo SECRET",
	} {
		for _, o.Level = range []Level{ReadOnly, WorkspaceWrite} {
			out, _, r := run(t, o, f, c)
			if strings.Contains(out, "SECRET") || !r.Confined {
				t.Errorf("%s: %+v\n%s", c, r, out)
			}
		}
	}
}

// What of a person's settings ordinary work needs is there, and no line that may be a secret.
func TestSettingsAreReadWithoutTheirSecrets(t *testing.T) {
	o, f := confined(t)
	for name, text := range map[string]string{
		".npmrc": "registry=https://npm.example/\n@own:registry=https://own.example/\n//own.example/:_authToken=SECRET\n" +
			"_auth=SECRET\nregistry=https://SECRET@npm.example/\nengine-strict=true\nproxy=http://SECRET@proxy\n",
		".config/go/env":       "GOPRIVATE=own.example\nGOPROXY=https://SECRET@proxy.example\nGOAUTH=SECRET\n",
		".config/pip/pip.conf": "[global]\nindex-url = https://SECRET@own.example/simple\ntimeout = 5\npassword = SECRET\n",
		".cargo/config.toml":   "[net]\noffline = true\n[registries.own]\nindex = \"https://SECRET@own.example\"\ntoken = \"SECRET\"\n",
		".cargo/other.toml":    "SECRET",
	} {
		path := filepath.Join(f.home, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o600))
	}
	all := "cd; cat .npmrc .config/go/env .config/pip/pip.conf .cargo/config.toml .cargo/other.toml"
	for _, o.Level = range []Level{ReadOnly, WorkspaceWrite} {
		out, _, _ := run(t, o, f, all)
		for _, want := range []string{
			"registry=https://npm.example/", "@own:registry=https://own.example/", "engine-strict=true",
			"GOPRIVATE=own.example", "timeout = 5", "offline = true",
		} {
			if !strings.Contains(out, want) {
				t.Errorf("%v: no %s in\n%s", o.Level, want, out)
			}
		}
		if strings.Contains(out, "SECRET") {
			t.Errorf("%v: %s", o.Level, out)
		}
	}
}

// What the person lets commands change they can read, and what lies around it they cannot.
func TestWhatMayBeChangedOutsideIsRead(t *testing.T) {
	o, f := confined(t)
	o.Level = WorkspaceWrite
	o.Writable = []string{filepath.Join(f.home, "notes")}
	out, _, _ := run(t, o, f, "cat ~/notes/allowed && echo more >~/notes/new && echo x >new && cat ~/.npmrc")
	if !strings.Contains(out, "a note") || strings.Contains(out, "SECRET") {
		t.Error(out)
	}
	for _, name := range []string{filepath.Join(f.home, "notes", "new"), filepath.Join(f.root, "new")} {
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}
}

func TestProgramsAndTheirModulesCanBeRead(t *testing.T) {
	o, f := confined(t)
	o.Readable = []string{filepath.Join(f.home, "notes")}
	for c, want := range map[string]string{
		"cat a.go":                            "package a",
		"cat ~/.cargo/registry/crate":         "a crate",
		"cat ~/go/pkg/mod/module":             "a module",
		"cat ~/.m2/repository/jar":            "a jar",
		"PATH=~/tools/bin:$PATH ; tool":       "", // named by the command, not by the person
		"cat ~/notes/allowed":                 "a note",
		"git config --global user.name":       "Some One",
		"head -1 /etc/passwd":                 "root:",
		"ls /usr/bin/env /bin/sh && echo all": "all",
		"echo x > /dev/null && echo fine":     "fine",
	} {
		out, _, _ := run(t, o, f, c)
		if !strings.Contains(out, want) {
			t.Errorf("%s: %q, want %q", c, out, want)
		}
	}
	for _, c := range []string{"touch ~/x", "touch /usr/x", "touch /x", "mkdir ~/go/pkg/mod/y", "rm a.go", "echo x >> ~/.gitconfig"} {
		out, e, _ := run(t, o, f, c)
		if e.Code == 0 {
			t.Errorf("%s: succeeded: %s", c, out)
		}
	}
}

func TestADirectoryOfProgramsIsShownWithoutItsParent(t *testing.T) {
	home := "/home/me"
	env := []string{"PATH=/home/me/tools/bin:/home/me:/usr/bin:/srv/anything", "GOPATH=/home/me", "JAVA_HOME=/home", "VIRTUAL_ENV=/home/me/v"}
	got := Options{Home: home}.readable(env)
	for _, c := range []struct {
		path string
		want bool
	}{
		{"/home/me/tools/bin", true},
		{"/home/me/pkg/mod", true},
		{"/home/me/v/lib", true},
		{"/home/me/v", false}, // pip.conf lies in it
		{"/usr", true},
		{"/home/me/tools", false},
		{"/home/me", false},
		{"/home", false},
		{"/", false},
		{"/srv/anything", false},
		{"/home/me/.gem", false},
		{"/home/me/.gem/ruby", true},
		{"/home/me/.local/share/gem", false},
		{"/home/me/.opam", false},
		{"/home/me/.cargo", false},
		{"/home/me/.m2", false},
		{"/home/me/.gradle", false},
		{"/home/me/miniconda3", false},
		{"/home/me/sdk", false},
	} {
		found := false
		for _, p := range got {
			found = found || p == c.path
		}
		if found != c.want {
			t.Errorf("%s: shown is %v, want %v", c.path, found, c.want)
		}
	}
}

func TestMemoryIsBoundedForWhatNobodyApproved(t *testing.T) {
	o, f := confined(t)
	out, e, _ := run(t, o, f, "echo {1..100000000} | tail -c 20")
	if strings.Contains(out, "100000000") {
		t.Errorf("%+v: %s", e, out)
	}
}

func TestWhatNobodyApprovedMayHaveTwoGibibytes(t *testing.T) {
	if n := (Options{Level: ReadOnly}).total(); n != 2<<30 {
		t.Errorf("%d bytes", n)
	}
	if n := (Options{Level: WorkspaceWrite}).total(); n != machineMemory()/4*3 {
		t.Errorf("approved: %d bytes", n)
	}
}
