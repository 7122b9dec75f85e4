//go:build unix

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A lesson is one line of the tutorial that a reader types, with what the page says is printed.
type lesson struct {
	line    string
	refused bool
	output  []string // lines, or parts of them; … stands for anything
}

// lessons reads the tutorial's console blocks.
func lessons(t *testing.T, page string) []lesson {
	t.Helper()
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var out []lesson
	for _, block := range strings.Split(string(b), "```console\n")[1:] {
		body, _, closed := strings.Cut(block, "```")
		if !closed {
			t.Fatalf("%s: a block does not end", page)
		}
		for line := range strings.Lines(body) {
			line = strings.TrimRight(line, "\n")
			if typed, ok := strings.CutPrefix(line, "$ "); ok {
				out = append(out, lesson{line: typed, refused: strings.HasSuffix(typed, "# refused")})
				continue
			}
			if len(out) == 0 {
				t.Fatalf("%s: %q stands before any command", page, line)
			}
			last := &out[len(out)-1]
			last.output = append(last.output, line)
		}
	}
	return out
}

// releaseFiles is a folder with the files of a release for this machine: that of HELVE_RELEASE, which scripts/try-release
// makes, else one with what install.sh needs.
func releaseFiles(t *testing.T) (dir, version string) {
	t.Helper()
	dir = os.Getenv("HELVE_RELEASE")
	if dir != "" {
		return dir, os.Getenv("HELVE_VERSION")
	}
	dir, version = t.TempDir(), "0.0.0-tutorial"
	bin := filepath.Join(t.TempDir(), "helve")
	build := exec.Command("go", "build", "-o", bin, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	name := fmt.Sprintf("helve_%s_%s_%s", version, runtime.GOOS, runtime.GOARCH)
	program, err := os.ReadFile(bin)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	w := tar.NewWriter(z)
	head := &tar.Header{Name: name + "/helve", Mode: 0o755, Size: int64(len(program))}
	if err := w.WriteHeader(head); err != nil {
		t.Fatal(err)
	}
	w.Write(program) // into memory, which does not fail
	w.Close()
	z.Close()
	sum := fmt.Appendf(nil, "%x  %s.tar.gz\n", sha256.Sum256(packed.Bytes()), name)
	script, err := os.ReadFile("../../scripts/install.sh")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{name + ".tar.gz": packed.Bytes(), "checksums.txt": sum, "install.sh": script}
	for file, body := range files {
		if err := os.WriteFile(filepath.Join(dir, file), body, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir, version
}

// A reader who types the tutorial, in a home of their own and with nothing but a release's files, sees what it says.
func TestTheTutorialIsAsItSays(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not installed: it types the lines")
	}
	files, version := releaseFiles(t)
	server := httptest.NewServer(http.FileServer(http.Dir(files)))
	defer server.Close()
	home, dir := t.TempDir(), t.TempDir()
	script, err := os.ReadFile(filepath.Join(files, "install.sh"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "install.sh"), script, 0o644); err != nil {
		t.Fatal(err)
	}
	list := lessons(t, "../../docs/tutorial.md")
	var typed strings.Builder
	for i, s := range list {
		fmt.Fprintf(&typed, "%s\nprintf '\\n@@%d %%d\\n' $?\n", s.line, i)
	}
	cmd := exec.Command("bash", "--noprofile", "--norc", "-c", typed.String())
	cmd.Dir = dir
	cmd.Env = []string{
		"HOME=" + home,
		"PATH=" + os.Getenv("PATH"),
		"NO_COLOR=1",
		"HELVE_BASE_URL=" + server.URL,
		"HELVE_VERSION=" + version,
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	rest := string(out)
	for i, s := range list {
		said, after, ok := strings.Cut(rest, fmt.Sprintf("\n@@%d ", i))
		if !ok {
			t.Fatalf("%s did not end:\n%s", s.line, rest)
		}
		status, next, _ := strings.Cut(after, "\n")
		rest = next
		if s.refused == (status == "0") {
			t.Errorf("$ %s\nexit status %s:\n%s", s.line, status, said)
		}
		for _, want := range s.output {
			if !shows(said, want) {
				t.Errorf("$ %s\nthe tutorial says %q, and it printed\n%s", s.line, want, said)
			}
		}
	}
}

// shows tells whether a line of what was printed has the parts of want in their order.
func shows(said, want string) bool {
	for line := range strings.Lines(said) {
		found := true
		for part := range strings.SplitSeq(want, "…") {
			_, after, ok := strings.Cut(line, strings.TrimSpace(part))
			if !ok {
				found = false
				break
			}
			line = after
		}
		if found {
			return true
		}
	}
	return false
}
