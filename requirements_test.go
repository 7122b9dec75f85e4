package helve_test

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/requirements.md anew")

const requirementsDoc = "docs/requirements.md"

// Where each requirement is met is what the code and its tests say of themselves: a file that meets or tests one cites its number.
func TestEveryRequirementHasItsPlace(t *testing.T) {
	places := citations(t)
	doc := requirementsTable(t, places)
	if *update {
		if err := os.WriteFile(requirementsDoc, doc, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(requirementsDoc)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, doc) {
		t.Errorf("%s is stale: go test . -run Requirement -update", requirementsDoc)
	}
}

// requirementsTable is the document; a requirement that nothing cites fails the test, and so does one that is cited though it is listed as
// not met.
func requirementsTable(t *testing.T, places map[string][]string) []byte {
	t.Helper()
	var b bytes.Buffer
	b.WriteString("# Requirements, and where each is met\n\nGenerated from the numbers that code and tests cite; `go test . -run Requirement -update` writes it anew. Tests stand first.\n\n| number | what | where |\n|---|---|---|\n")
	for _, r := range requirements {
		where := strings.Join(places[r.number], ", ")
		if strings.HasPrefix(r.number, "R1.") && !slices.ContainsFunc(places[r.number], isTest) {
			t.Errorf("%s (%s): no test cites it", r.number, r.what)
		}
		switch {
		case len(places[r.number]) == 0 && r.missing == "":
			t.Errorf("%s (%s): nothing cites it", r.number, r.what)
		case len(places[r.number]) == 0:
			where = "not yet: " + r.missing
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", r.number, r.what, where)
	}
	return b.Bytes()
}

var (
	single = regexp.MustCompile(`\bR([0-4])\.(\d+)\b`)
	ranges = regexp.MustCompile(`\bR([0-4])\.(\d+)(?:–|-|…|\.\.)(?:R?[0-4]\.)?(\d+)\b`)
)

// citations are the files that cite each number, tests first.
func citations(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules" || d.Name() == "docs") {
			return skipDir(err, d)
		}
		if ext := filepath.Ext(p); d.IsDir() || ext != ".go" && ext != ".txtar" || strings.HasPrefix(p, "requirements") {
			return nil
		}
		b, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		for _, n := range numbers(string(b)) {
			if !slices.Contains(out[n], filepath.ToSlash(p)) {
				out[n] = append(out[n], filepath.ToSlash(p))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, files := range out {
		slices.SortFunc(files, func(a, b string) int {
			if x, y := isTest(a), isTest(b); x != y {
				return map[bool]int{true: -1, false: 1}[x]
			}
			return strings.Compare(a, b)
		})
	}
	return out
}

func skipDir(err error, d fs.DirEntry) error {
	if err != nil || !d.IsDir() {
		return err
	}
	return filepath.SkipDir
}

func isTest(p string) bool { return strings.HasSuffix(p, "_test.go") || strings.HasSuffix(p, ".txtar") }

// numbers are those that a text cites, alone or in a range.
func numbers(s string) []string {
	var out []string
	for _, m := range single.FindAllStringSubmatch(s, -1) {
		out = append(out, "R"+m[1]+"."+m[2])
	}
	for _, m := range ranges.FindAllStringSubmatch(s, -1) {
		var from, to int
		fmt.Sscan(m[2], &from)
		fmt.Sscan(m[3], &to)
		for n := from; n <= to && n < from+40; n++ {
			out = append(out, fmt.Sprintf("R%s.%d", m[1], n))
		}
	}
	return out
}

type requirement struct {
	number, what string
	missing      string // why nothing meets it yet
}

var requirements = []requirement{
	{"R0.1", "`tools` maps names to booleans, and is known as an object key", ""},
	{"R0.2", "only an explicit false disables; true re-enables over a lower layer", ""},
	{"R0.3", "absent or empty: every tool, in unchanged order", ""},
	{"R0.4", "layers: flags over project over user over default, merged per name", ""},
	{"R0.5", "wildcards, groups, conditions on effects, approval as a value", ""},
	{"R0.6", "tools of every origin are filtered alike", ""},
	{"R0.7", "one filter point, after all sources", ""},
	{"R0.8", "`--tools` takes one JSON object; three lines on error, status 2", ""},
	{"R0.9", "the reasons in those lines", ""},
	{"R0.10", "`config set tools` and its errors", ""},
	{"R0.11", "an unknown tool name is no error", ""},
	{"R0.12", "the line and the examples of `--help`", ""},
	{"R0.13", "the nine scenarios", ""},
	{"R1.1", "three sources: built-in, command, MCP servers", ""},
	{"R1.2", "duplicates by origin", ""},
	{"R1.3", "get, lists, declarations, counts", ""},
	{"R1.4", "rediscover all, MCP only, one server", ""},
	{"R1.5", "the discovery command: parsed words, caps, UTF-8", ""},
	{"R1.6", "the forms of its output", ""},
	{"R1.7", "nameless tools, bad parameters, defaults", ""},
	{"R1.8", "no discovery command is no error", ""},
	{"R1.9", "a failed discovery leaves the built-ins", ""},
	{"R1.10", "calls: the command's words, the name, arguments on stdin", ""},
	{"R1.11", "the five lines of trouble", ""},
	{"R1.12", "the description says who discovers and calls", ""},
	{"R1.13", "nothing is left behind", ""},
	{"R1.14", "MCP tools: names, titles, dynamic schema, overrides", ""},
	{"R1.15", "the qualified copy settles conflicts", ""},
	{"R1.16", "a server is called with its own tool name", ""},
	{"R1.17", "GenerateValidName", ""},
	{"R1.18", "confirmation by server, by tool, once or always", ""},
	{"R1.19", "display of MCP results", ""},
	{"R1.20", "schemas made fit for a dialect", ""},
	{"R1.21", "the discovery cache", ""},
	{"R1.22", "usage, and removal of what is unused", ""},
	{"R1.23", "custom discoverers", ""},
	{"R1.24", "registered and unregistered", ""},
	{"R1.25", "the allow-list", ""},
	{"R1.26", "server configuration", ""},
	{"R1.27", "separate processes, limits, schema defence, validation", ""},
	{"R2.1", "what a tool is", ""},
	{"R2.2", "what a result is", ""},
	{"R2.3", "a set of tools, and its prompt text", ""},
	{"R2.4", "what stands in a set: write, todo, MCP", ""},
	{"R2.5", "read: text and images", ""},
	{"R2.6", "write: directories, final newline, diff", ""},
	{"R2.7", "edit: exact replacement, diff", ""},
	{"R2.8", "grep: speed, filter, order", ""},
	{"R2.9", "glob: patterns, newest first, cap", ""},
	{"R2.10", "ls: a tree, truncated", ""},
	{"R2.11", "bash: validation, time-out, ban, background", ""},
	{"R2.12", "fetch: Markdown, cap, cache, model", ""},
	{"R2.13", "todo lists", ""},
	{"R2.14", "safety", ""},
	{"R2.15", "extension: MCP, hooks, configuration", ""},
	{"R3.1", "the 18 code-structure tools", ""},
	{"R3.2", "their parameters", ""},
	{"R3.3", "`--disabled-tools`", ""},
	{"R3.4", "serve survives unknown flags", ""},
	{"R3.5", "the TOML file of the project root", ""},
	{"R3.6", "its tolerated faults", ""},
	{"R3.7", "union of flag and file", ""},
	{"R3.8", "protected tools", ""},
	{"R3.9", "unknown names: a warning", ""},
	{"R3.10", "resolved before the server loop", ""},
	{"R3.11", "the final set is logged", ""},
	{"R3.12", "tools/list leaves them out", ""},
	{"R3.13", "a call of one, and the usage that is not counted", ""},
	{"R3.14", "no index without its tools", ""},
	{"R3.15", "the 27 tests", ""},
	{"R4.1", "kinds, descriptions, error types", ""},
	{"R4.2", "results, context, declaration, invocation", ""},
	{"R4.3", "the fields of a tool and their defaults", ""},
	{"R4.4", "one definition gives type, validation, schema", ""},
	{"R4.5", "the full description", ""},
	{"R4.6", "Read", ""},
	{"R4.7", "Edit", ""},
	{"R4.8", "Write", ""},
	{"R4.9", "Glob", ""},
	{"R4.10", "Grep", ""},
	{"R4.11", "Bash", ""},
	{"R4.12", "the registry", ""},
	{"R4.13", "plan mode", ""},
	{"R4.14", "the agent loop", ""},
	{"R4.15", "the pipeline with permission and confirmation", ""},
}
