package upstream

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"helve/engine/sandbox"
	"helve/internal/programs"
)

func TestPathsAreFoundInTheWordsOfAServer(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths of this test are those of Unix; servers are not confined here")
	}
	for word, want := range map[string][]string{
		"/data/x":                        {"/data/x"},
		"--db=/data/x.db":                {"/data/x.db"},
		"NAME=~/x":                       {"/home/me/x"},
		"~":                              {"/home/me"},
		"./sub/../x":                     {"/work/x"},
		"../beside":                      {"/beside"},
		"/a:/b":                          {"/a", "/a:/b", "/b"},
		"type=bind,src=/a,dst=/b":        {"/a", "/b"},
		"sqlite:////data/x.db?mode=ro":   {"/data/x.db"},
		"--url=sqlite+aiosqlite:///d/x":  {"/d/x"},
		"file:///with%20space/x":         {"/with space/x"},
		"https://api.example/v1/things":  nil,
		"postgres://me:pw@host/database": nil,
		"plain":                          nil,
		"sub/file":                       nil, // where it starts it may change everything
	} {
		if got := programs.Paths([]string{word}, "/work", "/home/me"); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}

func TestProgramsThatStartAServerElsewhereAreKnown(t *testing.T) {
	for _, c := range []struct {
		argv []string
		want string
	}{
		{[]string{"docker", "run", "x"}, "docker"},
		{[]string{"/usr/bin/podman", "run"}, "podman"},
		{[]string{"sh", "-c", "exec docker run -i x"}, "docker"},
		{[]string{"env", "A=b", "sudo", "x"}, "sudo"},
		{[]string{"/snap/bin/tool"}, "tool"},
		{[]string{"npx", "-y", "docker"}, ""}, // a package of that name
		{[]string{"node", "/x/docker/server.js"}, ""},
	} {
		if got := elsewhere(c.argv); got != c.want {
			t.Errorf("%q: %q, want %q", c.argv, got, c.want)
		}
	}
}

func TestWhatAServerMayChangeIsNoMoreThanItsWordsMean(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("servers are not confined here")
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home, work := filepath.Join(base, "home"), filepath.Join(base, "work")
	for _, d := range []string{"home/data", "home/.ssh", "home/state", "home/bin", "work"} {
		if err := os.MkdirAll(filepath.Join(base, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	os.WriteFile(filepath.Join(home, "data", "db"), nil, 0o600)
	os.WriteFile(filepath.Join(home, "single"), nil, 0o600)
	os.WriteFile(filepath.Join(home, "bin", "tool"), nil, 0o700)
	l := &Light{Box: sandbox.Options{Level: sandbox.Light, Home: home}, Own: []string{filepath.Join(home, "state")}}
	none := len(l.box(Command{Argv: []string{"x"}, Dir: work}).Writable)
	for word, want := range map[string]string{
		"~/data":         "data",
		"~/data/db":      "data",
		"~/data/new.db":  "data",
		"~/.made/d/f":    ".made/d",
		"~/single":       "single",
		"~/missing":      "-",
		"~/.ssh":         "-",
		"~/.ssh/config":  "-",
		"~/state":        "-",
		"~/state/x":      "-",
		"~/bin/tool":     "-", // others start what lies there
		"/":              "-",
		"/etc/passwd":    "-",
		"/usr/bin/x":     "-",
		"/no/such/thing": "-",
		"/var/new.db":    "-", // a part of the machine, of which nobody named the whole
		"/opt/new.db":    "-",
		"/tmp/bin/new":   "-",
		"~":              ".", // a person who names the home as an argument means it
	} {
		got := l.box(Command{Argv: []string{"x", word}, Dir: work}).Writable[none:]
		wanted := []string{filepath.Join(home, want)}
		if want == "-" {
			wanted = nil
		}
		if !slices.Equal(got, wanted) {
			t.Errorf("%s: %q, want %q", word, got, wanted)
		}
	}
	for _, set := range []string{"HOME=" + home, "PATH=/usr/bin:/bin", "SSL_CERT_FILE=/etc/ssl/cert.pem", "X=/etc"} {
		if got := l.box(Command{Argv: []string{"x"}, Dir: work, Set: []string{set}}).Writable[none:]; len(got) > 0 {
			t.Errorf("%s opens %q", set, got)
		}
	}
}
