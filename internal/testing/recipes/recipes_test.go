package recipes

import (
	"encoding/json"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"

	"helve"
	"helve/internal/testing/scripttest"
)

// root is the folder of the module.
var root = filepath.Join("..", "..", "..")

// toys are the files of testdata that follow a recipe, each with the words by which the recipe begins. Such a file is
// an archive of whole files and of parts: what "FILE before LINE" has is put there, at the first line that is so but for
// blanks at its ends; "after" and "for" put it behind that line, or in its place.
var toys = map[string]string{
	"tool.toy":     "A tool",
	"language.toy": "A language",
	"provider.toy": "A provider",
	"client.toy":   "A client",
	"check.toy":    "A check",
}

// A toy of each kind is added to the program, in the files that its recipe names and in no others: the scripts show it
// at work.
func TestAToyOfEachNeedsOnlyTheFilesThatItsRecipeNames(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not installed")
	}
	text, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	all := recipes(string(text))
	changed := map[string]string{}
	for file, begins := range toys {
		recipe, ok := all[begins]
		if !ok {
			t.Fatalf("CONTRIBUTING has no recipe that begins with **%s**", begins)
		}
		for _, f := range archive(t, file).Files {
			m := part.FindStringSubmatch(f.Name)
			if m == nil {
				m = []string{"", f.Name, "", ""}
			}
			name := m[1]
			if !names(recipe, name) {
				t.Errorf("%s needs %s, which the recipe does not name", file, name)
			}
			if m[2] == "" {
				changed[name] = string(f.Data)
				continue
			}
			if changed[name] == "" {
				changed[name] = read(t, name)
			}
			changed[name] = put(t, name, changed[name], m[3], string(f.Data), m[2])
		}
	}
	if t.Failed() {
		return
	}
	bin := build(t, changed)
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			scripttest.Home(e.WorkDir, e.Setenv, e.Defer)
			e.Setenv("PATH", bin+string(filepath.ListSeparator)+e.Getenv("PATH"))
			return nil
		},
	})
}

// recipes are the parts of CONTRIBUTING that say where something is added, by the bold words at their beginning.
func recipes(text string) map[string]string {
	out := map[string]string{}
	bold := regexp.MustCompile(`(?m)^\*\*(.+?)\*\*`)
	at := bold.FindAllStringSubmatchIndex(text, -1)
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		out[text[m[2]:m[3]]], _, _ = strings.Cut(text[m[0]:end], "\n## ")
	}
	return out
}

var span = regexp.MustCompile("`([^`]+)`")

// names tells whether a recipe names a file: its path, or its folder, or a file "there", in a folder that it names a
// file of. NAME stands for the name of what is added.
func names(recipe, file string) bool {
	dirs, names := map[string]bool{}, map[string]bool{}
	for _, m := range span.FindAllStringSubmatch(recipe, -1) {
		named := strings.ReplaceAll(m[1], "NAME", "toy")
		names[named] = true
		dirs[path.Dir(named)] = true
	}
	return names[file] || names[path.Dir(file)] || dirs[path.Dir(file)] && names[path.Base(file)]
}

// own is the module's path, wherever it is published.
var own = strings.TrimSuffix(reflect.TypeFor[helve.Options]().PkgPath(), "/")

// archive is a file of testdata, with the module's path in what it imports.
func archive(t *testing.T, name string) *txtar.Archive {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return txtar.Parse([]byte(strings.ReplaceAll(string(text), `"helve/`, `"`+own+`/`)))
}

// part is the name of what is put into a file.
var part = regexp.MustCompile(`^(\S+) (before|after|for) (.*)$`)

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// put is the text of a file with more before, after or for its first line of those words.
func put(t *testing.T, file, text, line, more, where string) string {
	t.Helper()
	at := 0
	for l := range strings.Lines(text) {
		if strings.TrimSpace(l) == line {
			before, behind := text[:at], text[at+len(l):]
			switch where {
			case "before":
				behind = l + behind
			case "after":
				before += l
			}
			return before + more + behind
		}
		at += len(l)
	}
	t.Fatalf("%s has no line %q any more: the toy has to be put elsewhere", file, line)
	return ""
}

// build builds the program as if these files stood in the module, and is the folder in which it lies.
func build(t *testing.T, changed map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	replace := map[string]string{}
	for name, text := range changed {
		file := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(here, filepath.FromSlash(name))] = file
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "bin", "helve")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	cmd := exec.CommandContext(t.Context(), "go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", program, "./cmd/helve")
	cmd.Dir = here
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("with the toys, the program does not build: %v\n%s", err, out)
	}
	return filepath.Dir(program)
}

func TestARecipeNamesItsFiles(t *testing.T) {
	recipe := "1. `a/b/list.go`: a constant. `more.go` there. 2. `x/NAME`, `c/NAME.go`"
	for file, want := range map[string]bool{
		"a/b/list.go": true,
		"a/b/more.go": true,
		"x/toy/y.go":  true,
		"c/toy.go":    true,
		"a/more.go":   false,
		"x/y.go":      false,
		"c/other.go":  false,
		"go.mod":      false,
	} {
		if got := names(recipe, file); got != want {
			t.Errorf("%s is named: %v, want %v", file, got, want)
		}
	}
}
