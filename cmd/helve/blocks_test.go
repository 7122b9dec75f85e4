//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v4"
	"mvdan.cc/sh/v3/syntax"
)

// fence is a fenced block of a page. Its first line says the language, and "shape" where it is to be read and not to be typed:
// a drawing, an excerpt with places to fill in.
type fence struct {
	page string // from the root
	line int
	lang string
	body string
}

func (b fence) String() string { return fmt.Sprintf("%s:%d", b.page, b.line) }

// blocks reads those of all pages.
func blocks(t *testing.T) []fence {
	t.Helper()
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	pages = append(pages, "../../README.md", "../../CONTRIBUTING.md", "../../docs/examples/README.md")
	var out []fence
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fenced(t, strings.TrimPrefix(page, "../../"), string(text))...)
	}
	return out
}

// fenced reads the blocks of one page.
func fenced(t *testing.T, page, text string) []fence {
	t.Helper()
	var out []fence
	var open *fence
	for i, line := range strings.Split(text, "\n") {
		lang, edge := strings.CutPrefix(strings.TrimLeft(line, " "), "```")
		switch {
		case edge && open == nil:
			open = &fence{page: page, line: i + 1, lang: lang}
		case edge:
			out, open = append(out, *open), nil
		case open != nil:
			open.body += line + "\n"
		}
	}
	if open != nil {
		t.Errorf("%v: the block does not end", open)
	}
	return out
}

// proven are the blocks that a test of their own runs or generates: the page and the language, and that test.
var proven = map[string]string{
	"README.md go":               "TestTheAgentOfTheReadmeWorks",
	"docs/cli.md ":               "TestTheCommandLineDocIsFresh",
	"docs/configuration.md json": "TestTheExamplesOfTheConfigurationDocLoad",
	"docs/recipes.md json":       "TestTheRecipesAreFresh",
	"docs/recipes.md toml":       "TestTheRecipesAreFresh",
	"docs/recipes.md yaml":       "TestTheRecipesForPipelinesWork",
	"docs/scaleout.md ini":       "TestTheUnitsForSystemdAreThoseOfPrograms",
	"docs/scaleout.md nats":      "TestTheDocumentedRightsOfKeysAreEnough",
	"docs/scaleout.md yaml":      "TestTheManifestForKubernetesIsADeploymentOfWorkers",
	"docs/tools.md console":      "TestTheToolsDocIsFresh",
	"docs/tutorial.md console":   "TestTheTutorialIsAsItSays",
	"docs/sources.md text":       "TestTheSessionsOfThePageOnSourcesAreReal",
	"docs/sources.md console":    "TestTheSessionsOfThePageOnSourcesAreReal",
}

// Every block of the documents is tried: by a test of its own, or here by what its language can show. One that nothing can try
// is marked as a shape.
func TestEveryBlockOfTheDocumentsIsTriedOrMarkedAsAShape(t *testing.T) {
	w := newHookWorld(t)
	tried := map[string]int{}
	for _, b := range blocks(t) {
		lang, mark, _ := strings.Cut(b.lang, " ")
		key := b.page + " " + lang
		switch {
		case mark == "shape":
			tried["shape"]++
		case mark != "":
			t.Errorf("%v: %q says neither a language nor a shape", b, b.lang)
		case proven[key] != "":
			tried["elsewhere"]++
		default:
			if err := w.try(lang, b); err != nil {
				t.Errorf("%v: %v\n%s", b, err, b.body)
			}
			tried[lang]++
		}
	}
	if tried["sh"] < 10 || tried["json"] < 5 || tried["elsewhere"] < 100 || tried["shape"] > 20 {
		t.Errorf("tried by language: %v", tried)
	}
}

// What is said to be tried elsewhere is a test that is there.
func TestTheTestsOfBlocksAreThere(t *testing.T) {
	var all bytes.Buffer
	err := filepath.WalkDir("../..", func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, "_test.go") {
			b, failed := os.ReadFile(path)
			all.Write(b)
			return failed
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for block, name := range proven {
		if !bytes.Contains(all.Bytes(), []byte("func "+name+"(t *testing.T)")) {
			t.Errorf("%s: there is no %s", block, name)
		}
	}
}

// try is what a block's language can show of it.
func (w *hookWorld) try(lang string, b fence) error {
	switch lang {
	case "sh":
		return w.tryLines(b.body)
	case "json":
		return w.trySettings(b.body, json.Unmarshal, ".json")
	case "toml":
		return w.trySettings(b.body, toml.Unmarshal, ".toml")
	case "yaml":
		return w.trySettings(b.body, func(b []byte, to any) error { return yaml.Unmarshal(b, to) }, ".yaml")
	case "python":
		return w.tryScript(b.body)
	case "go":
		return tryGo(b)
	}
	return fmt.Errorf("nothing tries %q: give it a language, a test of its own, or mark it as a shape", lang)
}

// clientKeys are the keys of settings that are a client's, not helve's.
var clientKeys = []string{"mcpServers", "mcp"}

// trySettings parses a file of settings. One of helve's own loads without a finding; in one of a client the command is a line of
// helve's.
func (w *hookWorld) trySettings(body string, parse func([]byte, any) error, ending string) error {
	var values map[string]any
	if err := parse([]byte(body), &values); err != nil {
		return err
	}
	client := slices.ContainsFunc(clientKeys, func(key string) bool { return values[key] != nil })
	if servers, ok := values["mcp_servers"].(map[string]any); ok && servers["helve"] != nil {
		client = true // Codex' key is spelled as ours
	}
	if client {
		words := commandIn(values)
		if len(words) < 2 {
			return fmt.Errorf("no command of helve is in it")
		}
		return w.tryWords(words[1:])
	}
	file := filepath.Join(w.base, "settings"+ending)
	if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
		return err
	}
	return w.quiet("--config", file, "config", "check")
}

// commandIn finds the command of a server in a client's settings: a list, or a command with its arguments.
func commandIn(v any) []string {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if words := commandIn(item); words != nil {
				return words
			}
		}
	case map[string]any:
		switch command := v["command"].(type) {
		case string:
			return append([]string{command}, texts(v["args"])...)
		case []any:
			return texts(command)
		}
		for _, inner := range v {
			if words := commandIn(inner); words != nil {
				return words
			}
		}
	}
	return nil
}

func texts(v any) []string {
	list, _ := v.([]any)
	var out []string
	for _, item := range list {
		out = append(out, fmt.Sprint(item))
	}
	return out
}

// tryLines tries what a reader types: a line of helve's names a command and flags that are there, a script of the repository is
// there, and the rest is what a shell can read.
func (w *hookWorld) tryLines(body string) error {
	file, err := syntax.NewParser().Parse(strings.NewReader(body), "")
	if err != nil {
		return err
	}
	var failed error
	syntax.Walk(file, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok || failed != nil {
			return failed == nil
		}
		failed = w.tryCall(call)
		return failed == nil
	})
	return failed
}

// place is what stands for a value of the reader's own in a line: IDs, quoted words with a variable.
var place = regexp.MustCompile(`[$\x60]`)

func (w *hookWorld) tryCall(call *syntax.CallExpr) error {
	var words []string
	for _, word := range call.Args {
		var text strings.Builder
		if err := syntax.NewPrinter().Print(&text, word); err != nil {
			return err
		}
		said := strings.Trim(text.String(), `'"`)
		if place.MatchString(said) {
			said = "value"
		}
		words = append(words, said)
	}
	if len(words) == 0 {
		return nil
	}
	other := slices.Index(words, "--")
	switch {
	case filepath.Base(words[0]) == "helve":
		return w.tryWords(words[1:])
	case strings.HasPrefix(words[0], "scripts/"):
		_, err := os.Stat(filepath.Join("../..", words[0]))
		return err
	case other >= 0 && other+1 < len(words) && words[other+1] == "helve": // another program that is given helve's line
		return w.tryWords(words[other+2:])
	}
	return nil
}

// tryWords has helve read a line without doing anything: a command or a flag that is not there is refused before its help is
// shown.
func (w *hookWorld) tryWords(words []string) error {
	at := max(slices.Index(words, "--"), 0)
	if at == 0 {
		at = len(words)
	}
	return w.quiet(slices.Insert(slices.Clone(words), at, "--help")...)
}

// quiet runs helve, which must not fail.
func (w *hookWorld) quiet(words ...string) error {
	cmd := exec.Command(w.bin, words...)
	cmd.Dir, cmd.Env = w.work, w.env
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("helve %s: %v\n%s", strings.Join(words, " "), err, out)
	}
	return nil
}

// tryScript runs a script in a workspace with a file that it finds.
func (w *hookWorld) tryScript(body string) error {
	file := filepath.Join(w.work, "script.star")
	code := "package p\n" + strings.Repeat("// TODO: a line that is longer than nothing\n", 1000)
	for name, text := range map[string]string{file: body, filepath.Join(w.work, "a.go"): code} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return err
		}
	}
	cmd := exec.Command(w.bin, "script", file)
	cmd.Dir, cmd.Env = w.work, w.env
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), `"a.go"`) {
		return fmt.Errorf("helve script: %v\n%s", err, out)
	}
	return nil
}

// around is what stands before the pieces of Go of a page, and makes a program of them.
var around = map[string]string{
	"docs/sources.md": `
import ("context"; "helve/source/command"; "helve/source/upstream"; "helve/tool")
func piece(ctx context.Context, registry *tool.Registry, mySource tool.Source, dir string) error {`,
	"docs/telemetry.md": `
import ("context"; "helve"; telemetry "helve/parts/telemetry"; "helve/tool/telemetry/otel"
	metric "go.opentelemetry.io/otel/metric"; "go.opentelemetry.io/otel/trace")
func piece(ctx context.Context, tracerProvider trace.TracerProvider, meterProvider metric.MeterProvider) error {`,
}

// tryGo compiles a piece of a program.
func tryGo(b fence) error {
	head, ok := around[b.page]
	if !ok {
		return fmt.Errorf("nothing is said of what stands around it")
	}
	used := "\n\treturn err\n}\n"
	if strings.Contains(b.body, "ws, err") {
		used = "\n\t_ = ws" + used
	}
	dir, err := os.MkdirTemp("", "block")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	source, overlay := filepath.Join(dir, "piece.go"), filepath.Join(dir, "overlay.json")
	root, err := filepath.Abs("../..")
	if err != nil {
		return err
	}
	seen, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(root, "piece", "piece.go"): source}})
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{source: []byte("package piece\n" + head + "\n" + b.body + used), overlay: seen} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			return err
		}
	}
	cmd := exec.Command("go", "build", "-overlay", overlay, "./piece")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%v\n%s", err, out)
	}
	return nil
}
