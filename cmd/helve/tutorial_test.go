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
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// A lesson is one line of the tutorial that a reader types, with what the page says is printed.
type lesson struct {
	line    string
	refused bool
	status  string   // the exit status that is said; "" for one that is not
	output  []string // lines, or parts of them; … stands for anything
}

// statusLine says in a page how a command ended, where that was not 0.
var statusLine = regexp.MustCompile(`^\(exit status (\d+)\)$`)

// lessons reads the console blocks of a page.
func lessons(t *testing.T, page string) []lesson {
	t.Helper()
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var out []lesson
	for _, block := range fenced(t, page, string(b)) {
		if block.lang == "console" {
			out = append(out, typedIn(t, block)...)
		}
	}
	return out
}

// typedIn reads one block.
func typedIn(t *testing.T, block fence) []lesson {
	t.Helper()
	var out []lesson
	for line := range strings.Lines(block.body) {
		line = strings.TrimRight(line, "\n")
		if typed, ok := strings.CutPrefix(line, "$ "); ok {
			out = append(out, lesson{line: typed, refused: strings.HasSuffix(typed, "# refused")})
			continue
		}
		if len(out) == 0 {
			t.Fatalf("%v: %q stands before any command", block, line)
		}
		last := &out[len(out)-1]
		if m := statusLine.FindStringSubmatch(line); m != nil {
			last.status, last.refused = m[1], true
		} else {
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
	program, err := os.ReadFile(bin)
	if err != nil {
		t.Fatal(err)
	}
	putRelease(t, dir, version, program)
	return dir, version
}

// putRelease puts the files of a release that install.sh needs into a folder.
func putRelease(t *testing.T, dir, version string, program []byte) {
	t.Helper()
	name := fmt.Sprintf("helve_%s_%s_%s", version, runtime.GOOS, runtime.GOARCH)
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
}

// A reader who types the tutorial, in a home of their own and with nothing but a release's files, sees what it says.
func TestTheTutorialIsAsItSays(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not installed: it types the lines")
	}
	files, version := releaseFiles(t)
	server := httptest.NewServer(http.FileServer(http.Dir(files)))
	defer server.Close()
	home, dir := filepath.Join(t.TempDir(), "Ein Büro"), t.TempDir()
	if err := os.Mkdir(home, 0o755); err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile(filepath.Join(files, "install.sh"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "install.sh"), script, 0o644); err != nil {
		t.Fatal(err)
	}
	list := lessons(t, "../../docs/tutorial.md")
	if out, err := newHookWorld(t).command("", "draft", "open").CombinedOutput(); err != nil {
		t.Logf("its part on drafts is left out: %s", out)
		list = slices.DeleteFunc(list, func(l lesson) bool { return strings.Contains(l.line, "draft") })
	}
	typeLessons(t, list, dir, []string{
		"HOME=" + home,
		"PATH=" + os.Getenv("PATH"),
		"NO_COLOR=1",
		"HELVE_BASE_URL=" + server.URL,
		"HELVE_VERSION=" + version,
	})
}

// typeLessons types lessons into one shell, and compares what is printed with what the page says.
func typeLessons(t *testing.T, list []lesson, dir string, env []string) {
	t.Helper()
	var typed strings.Builder
	for i, s := range list {
		fmt.Fprintf(&typed, "%s\nprintf '\\n@@%d %%d\\n' $?\n", s.line, i)
	}
	cmd := exec.Command("bash", "--noprofile", "--norc", "-c", typed.String())
	cmd.Dir = dir
	cmd.Env = env
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
		s.compare(t, said, status)
	}
}

// compare compares what a lesson printed, and its exit status, with what the page says.
func (s lesson) compare(t *testing.T, said, status string) {
	t.Helper()
	want := s.status
	if s.refused == (status == "0") || want != "" && want != status {
		t.Errorf("$ %s\nexit status %s:\n%s", s.line, status, said)
	}
	for _, want := range s.output {
		if !shows(said, want) {
			t.Errorf("$ %s\nthe page says %q, and it printed\n%s", s.line, want, said)
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
