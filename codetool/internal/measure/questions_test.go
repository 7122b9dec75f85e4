package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/codetool"
)

// A task that no answer satisfies is an error, and pages are asked for until one does.
func TestQuestionsAreAskedUntilTheyAreAnswered(t *testing.T) {
	dir := t.TempDir()
	text := "def callee():\n    pass\n\n" + strings.Repeat("def caller():\n    callee()\n\n", 200) + "def last():\n    callee()\n"
	put := func(name, text string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	put("a.py", text)
	x, err := codetool.Open(codetool.Options{Dir: dir, Environ: []string{"HOME=" + dir}})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	calls := `"eighteen": [{"tool": "get_dependents", "args": {"name": "callee"}}], "eight": [{"tool": "used_by", "args": {"name": "callee"}}]}]`
	var out strings.Builder
	good := put("good.json", `[{"ask": "Who calls it?", "want": ["#last:"], `+calls)
	if err := questions(t.Context(), &out, x, dir, good); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "| 1, ") || strings.Count(out.String(), "\n") != 2 {
		t.Errorf("one page cannot have all callers: %s", out.String())
	}
	bad := put("bad.json", `[{"ask": "Who calls it?", "want": ["#nobody:"], `+calls)
	if err := questions(t.Context(), &out, x, dir, bad); err == nil || !strings.Contains(err.Error(), "#nobody:") {
		t.Errorf("%v", err)
	}
}
