package upgrade

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"helve/cmd/internal/command"
)

// release writes the files of versions, each with a program that says so, and gives their folder.
func release(t *testing.T, versions ...string) string {
	t.Helper()
	dir := t.TempDir()
	var list strings.Builder
	for _, v := range versions {
		b := packed(t, strings.TrimSuffix(archive(v), ".tar.gz")+"/helve", "#!/bin/sh\necho 'helve "+v+" (go, here)'\n")
		put(t, filepath.Join(dir, archive(v)), string(b))
		fmt.Fprintf(&list, "%x  %s\n", sha256.Sum256(b), archive(v))
	}
	put(t, filepath.Join(dir, sums), list.String())
	return dir
}

func packed(t *testing.T, name, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(text)), Typeflag: tar.TypeReg})
	_, more := w.Write([]byte(text))
	if err := errors.Join(err, more, w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func put(t *testing.T, name, text string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(name), 0o755)
	if err := errors.Join(err, os.WriteFile(name, []byte(text), 0o755)); err != nil {
		t.Fatal(err)
	}
}

// home is a program as install.sh leaves it, with its note.
func home(t *testing.T, base string) (program string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a place", "ü")
	put(t, filepath.Join(dir, "share", "helve", "install.txt"), "base="+base+"\nversion=1.0.0\n")
	program = filepath.Join(dir, "bin", "helve")
	put(t, program, "the old one")
	return program
}

func nothing(string) string { return "" }

func TestTheNewestIsTakenFromWhereThisOneCame(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a running program cannot be replaced on Windows")
	}
	dir := release(t, "1.9.0", "1.10.0", "1.10.0-rc.1")
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(server.Close)
	for _, base := range []string{dir, "file://" + dir, server.URL, server.URL + "/"} {
		program := home(t, base)
		from, err := sourceOf(program, nothing)
		if err != nil {
			t.Fatal(err)
		}
		o, err := from.newest(t.Context(), "")
		if err != nil || o.version != "1.10.0" {
			t.Fatalf("%s: %+v, %v", base, o, err)
		}
		if err := from.install(t.Context(), o, program); err != nil {
			t.Fatal(err)
		}
		if b, _ := os.ReadFile(program); !strings.Contains(string(b), "helve 1.10.0 ") {
			t.Errorf("%s: the program is %q", base, b)
		}
		onlyHelve(t, program)
	}
}

// onlyHelve wants nothing left beside the program.
func onlyHelve(t *testing.T, program string) {
	t.Helper()
	if left, _ := os.ReadDir(filepath.Dir(program)); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
}

func TestAnOlderVersionIsTakenWhenItIsAskedFor(t *testing.T) {
	from := source{release(t, "1.9.0", "1.10.0")}
	for wanted, want := range map[string]string{"1.9.0": "1.9.0", "v1.9.0": "1.9.0", "": "1.10.0"} {
		if o, err := from.newest(t.Context(), wanted); err != nil || o.version != want {
			t.Errorf("%q: %+v, %v", wanted, o, err)
		}
	}
	if _, err := from.newest(t.Context(), "3.0.0"); err == nil || !strings.Contains(err.Error(), "no helve 3.0.0") {
		t.Errorf("a version that is not there: %v", err)
	}
}

// Whatever goes wrong, the old program is whole and nothing is left beside it.
func TestWhatGoesWrongLeavesTheOldProgram(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a running program cannot be replaced on Windows")
	}
	gone := func(t *testing.T, dir, file string) { os.Remove(filepath.Join(dir, file)) }
	half := func(t *testing.T, dir, file string) { cut(t, filepath.Join(dir, file)) }
	none := func(t *testing.T, dir, file string) { replace(t, dir, file, []byte("no archive")) }
	says := func(what string) func(t *testing.T, dir, file string) {
		return func(t *testing.T, dir, file string) { replace(t, dir, file, packed(t, "x/helve", "#!/bin/sh\n"+what)) }
	}
	cases := map[string]struct {
		spoil func(t *testing.T, dir, file string)
		says  string
	}{
		"half a download": {half, "the release says"},
		"no download":     {gone, "no such file"},
		"another program": {says("echo 'helve 1.0.0 (x)'\n"), "it says that it is"},
		"one that fails":  {says("exit 3\n"), "does not run"},
		"no archive":      {none, "gzip"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir := release(t, "2.0.0")
			c.spoil(t, dir, archive("2.0.0"))
			program := home(t, dir)
			o, err := source{dir}.newest(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			err = source{dir}.install(t.Context(), o, program)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("said %v, want %q", err, c.says)
			}
			if exit, ok := errors.AsType[*command.ExitError](err); !ok || exit.Status != command.ExitFailed {
				t.Errorf("%T, want an exit status of 1", err)
			}
			if b, _ := os.ReadFile(program); string(b) != "the old one" {
				t.Errorf("the program is %q", b)
			}
			onlyHelve(t, program)
		})
	}
}

func cut(t *testing.T, name string) {
	t.Helper()
	if err := os.Truncate(name, 40); err != nil {
		t.Fatal(err)
	}
}

// replace puts another archive in the place of one, with a sum that fits.
func replace(t *testing.T, dir, file string, b []byte) {
	t.Helper()
	put(t, filepath.Join(dir, file), string(b))
	put(t, filepath.Join(dir, sums), fmt.Sprintf("%x  %s\n", sha256.Sum256(b), file))
}

func TestWhatNoInstallerBroughtIsNamedToWhatDid(t *testing.T) {
	for program, want := range map[string]string{
		"/home/a/x/node_modules/helve-linux-x64/bin/helve":      "npm update",
		"/opt/homebrew/Cellar/helve/1.0.0/bin/helve":            "brew upgrade helve",
		"C:/Users/a/scoop/apps/helve/current/helve.exe":         "scoop update helve",
		filepath.Join(t.TempDir(), "somewhere", "bin", "helve"): "HELVE_BASE_URL",
	} {
		if _, err := sourceOf(program, nothing); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", program, err, want)
		}
	}
	env := func(name string) string {
		return map[string]string{"HELVE_BASE_URL": "https://example.com/files/"}[name]
	}
	if from, err := sourceOf("/nowhere/helve", env); err != nil || from.base != "https://example.com/files" {
		t.Errorf("%+v, %v", from, err)
	}
}

func TestAReleaseWithoutEndIsNotRead(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for range 3 * mostSums / 1024 {
			if _, err := w.Write(bytes.Repeat([]byte{'a'}, 1024)); err != nil {
				return
			}
		}
	}))
	t.Cleanup(server.Close)
	_, err := source{server.URL}.newest(t.Context(), "")
	if err == nil || !strings.Contains(err.Error(), "larger") {
		t.Errorf("%v", err)
	}
}

func TestNewer(t *testing.T) {
	for _, c := range []struct {
		there, here string
		want        bool
	}{
		{"1.10.0", "1.9.0", true}, {"1.0.0", "1.0.0", false}, {"1.0.0", "1.0.1", false}, {"1.0.0", "1.0.0-rc.1", true},
		{"1.0.0", "0-abcdef012345", true}, {"1.0.0", "devel", true},
	} {
		if got := newer(c.there, c.here); got != c.want {
			t.Errorf("newer(%s, %s) = %v", c.there, c.here, got)
		}
	}
}
