//go:build unix

package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A machine is one on which install.sh is run: with few programs, a home, and a release of a program that is none.
type machine struct {
	*testing.T
	files, home, bin string
	env              []string
	stdin            string // what sh reads, where it is not the file beside the release
}

// newMachine is one that has all that install.sh asks for.
func newMachine(t *testing.T) *machine {
	t.Helper()
	m := &machine{T: t, files: t.TempDir(), home: t.TempDir(), bin: t.TempDir()}
	putRelease(t, m.files, "1.2.3", []byte("#!/bin/sh\necho helve 1.2.3\n"))
	for _, name := range []string{
		"uname", "dirname", "mktemp", "cp", "mv", "rm", "mkdir", "chmod", "sed", "head", "cut", "tar", "gzip",
		"sha256sum", "shasum", "curl", "wget",
	} {
		if at, err := exec.LookPath(name); err == nil {
			m.must(os.Symlink(at, filepath.Join(m.bin, name)))
		}
	}
	m.env = []string{"HOME=" + m.home, "PATH=" + m.bin}
	return m
}

func (m *machine) must(err error) {
	m.Helper()
	if err != nil {
		m.Fatal(err)
	}
}

// lacks takes programs away.
func (m *machine) lacks(names ...string) {
	for _, name := range names {
		os.Remove(filepath.Join(m.bin, name)) // where it was not there it is not, either
	}
}

// install runs install.sh: its exit status and what it said.
func (m *machine) install() (ok bool, said string) {
	m.Helper()
	sh, err := exec.LookPath("sh")
	m.must(err)
	cmd := exec.Command(sh, filepath.Join(m.files, "install.sh"))
	if m.stdin != "" {
		cmd = exec.Command(sh)
		cmd.Stdin = strings.NewReader(m.stdin)
	}
	cmd.Dir, cmd.Env = m.home, m.env
	out, err := cmd.CombinedOutput()
	return err == nil, string(out)
}

// serves has the release's files come from a server that answers by answer, and install.sh from a pipe.
func (m *machine) serves(answer http.HandlerFunc) {
	m.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		if _, err := exec.LookPath("wget"); err != nil {
			m.Skip("neither curl nor wget is installed: install.sh downloads by them")
		}
	}
	s := httptest.NewServer(answer)
	m.Cleanup(s.Close)
	text, err := os.ReadFile("../../scripts/install.sh")
	m.must(err)
	m.stdin = string(text)
	m.env = append(m.env, "HELVE_BASE_URL="+s.URL)
}

// Whatever a machine lacks, install.sh installs, or says what to do and leaves what was there as it was.
func TestInstallSaysWhatToDoOnEveryMachine(t *testing.T) {
	set := func(variable string) func(m *machine) {
		return func(m *machine) { m.env = append(m.env, variable) }
	}
	whole := func(m *machine) http.HandlerFunc { return http.FileServer(http.Dir(m.files)).ServeHTTP }
	for name, c := range map[string]struct {
		spoil func(m *machine)
		want  string // what it says; a machine on which it installs says that
	}{
		"all is there":         {func(*machine) {}, "installed helve 1.2.3"},
		"a version with its v": {set("HELVE_VERSION=v1.2.3"), "installed helve 1.2.3"},
		"another version":      {set("HELVE_VERSION=9"), "version 9 has no helve_9_"},
		"no sha256sum":         {func(m *machine) { m.lacks("sha256sum") }, "installed helve 1.2.3"},
		"nothing that makes sums": {func(m *machine) { m.lacks("sha256sum", "shasum") },
			"install coreutils or openssl"},
		"no tar": {func(m *machine) { m.lacks("tar") }, "tar is not installed: install it"},
		"no curl": {func(m *machine) {
			m.serves(whole(m))
			m.lacks("curl", "wget")
		}, "neither curl nor wget is installed: install one, or put"},
		"from a server": {func(m *machine) { m.serves(whole(m)) }, "installed helve 1.2.3"},
		"half a download": {func(m *machine) {
			m.serves(func(w http.ResponseWriter, q *http.Request) {
				if strings.HasSuffix(q.URL.Path, ".gz") {
					w.Header().Set("Content-Length", "100000")
					w.Write([]byte("half")) // and no more: the connection ends
					return
				}
				whole(m)(w, q)
			})
		}, "nothing was installed; look whether that can be reached"},
		"a page in place of the archive": {func(m *machine) {
			m.serves(func(w http.ResponseWriter, q *http.Request) {
				if strings.HasSuffix(q.URL.Path, ".gz") {
					w.Write([]byte("<html>log in first</html>"))
					return
				}
				whole(m)(w, q)
			})
		}, "nothing was installed; download it again"},
		"a server without it": {func(m *machine) { m.serves(http.NotFound) },
			"nothing was installed; look whether that can be reached"},
		"no home": {func(m *machine) { m.env = []string{"PATH=" + m.bin} }, "set HELVE_PREFIX"},
		"a home that takes nothing": {func(m *machine) {
			m.must(os.WriteFile(filepath.Join(m.home, ".local"), nil, 0o600))
		}, "set HELVE_PREFIX"},
		"a folder in its place": {func(m *machine) {
			m.must(os.MkdirAll(filepath.Join(m.home, ".local/bin/helve"), 0o700))
		}, "is a folder: move it away"},
		"a name with blanks":  {set("HELVE_PREFIX=müde Füße"), "installed helve 1.2.3"},
		"no temporary folder": {set("TMPDIR=/nowhere"), "set TMPDIR"},
		"an older version": {func(m *machine) {
			m.must(os.MkdirAll(filepath.Join(m.home, ".local/bin"), 0o700))
			older := []byte("#!/bin/sh\necho helve 0.0.1\n")
			m.must(os.WriteFile(filepath.Join(m.home, ".local/bin/helve"), older, 0o700))
		}, "installed helve 1.2.3"},
		"a program that does not run": {func(m *machine) {
			putRelease(m.T, m.files, "1.2.3", []byte("#!/no/such/shell\n"))
		}, "does not run on this machine: what was there is unchanged; if no program may run in"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			c.spoil(m)
			ok, said := m.install()
			installs := strings.HasPrefix(c.want, "installed")
			if ok != installs || !strings.Contains(said, c.want) || strings.Contains(said, "not found\n") {
				t.Errorf("status 0: %v, want %v, and %q in\n%s", ok, installs, c.want, said)
			}
			if left, _ := filepath.Glob(filepath.Join(m.home, ".local/bin/.helve*")); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}
