package helve_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"helve"
	parts "helve/parts/everything"
	"helve/tool"
)

// What stands in a file that may hold secrets no code tool finds, lists or shows, nor says that it is there.
func TestNoCodeToolReadsAFileOfSecrets(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"open.py":        "def in_the_open():\n    pass\n",
		".aws/deploy.py": "def in_a_secret():\n    in_the_open()\n",
		"pkg/.ssh/x.py":  "def in_a_secret():\n    in_the_open()\n",
	} {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := helve.Open(t.Context(), helve.Options{
		Dirs:    []string{dir},
		Parts:   parts.Parts(),
		Places:  helve.Places{State: filepath.Join(home, "state"), Cache: filepath.Join(home, "cache")},
		Environ: []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	session := ws.NewSession()
	found := false
	for _, call := range [][2]string{
		{"find_symbol", `{"name":"in_a_secret"}`},
		{"get_functions", `{}`},
		{"search_codebase", `{"pattern":"in_a_.*|in_the_open"}`},
		{"get_dependents", `{"name":"in_the_open"}`},
		{"get_file_dependents", `{"file_path":"open.py"}`},
		{"get_project_summary", `{}`},
	} {
		c := &tool.Call{Name: call[0], Args: []byte(call[1]), Session: session, Dir: dir}
		res, err := ws.Kit().Call(t.Context(), c)
		if err != nil {
			t.Fatalf("%s: %v", call[0], err)
		}
		text := strings.ReplaceAll(res.Text(), `"in_a_secret"`, "") // the name that was asked for
		if regexp.MustCompile(`deploy\.py|\.ssh|def in_a_secret`).MatchString(text) {
			t.Errorf("%s %s: %s", call[0], call[1], text)
		}
		found = found || strings.Contains(text, "in_the_open")
	}
	if !found {
		t.Error("nothing was found at all")
	}
}
