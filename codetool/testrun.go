package codetool

import (
	"encoding/json"
	"io"
	"path"
	"slices"
	"strings"

	"helve/engine/code"
)

// runRow is a command that runs tests, as their runner takes them.
type runRow struct {
	Command string `json:"command" jsonschema:"description=For a shell in the workspace"`
	Tests   int    `json:"tests" jsonschema:"description=Of those above\\, that it runs"`
}

func (r runRow) String() string { return r.Command }

const (
	// maxRuns is how many commands an answer has; a project's whole suite is meant where there are more.
	maxRuns = 12
	// maxCommand is how long a command may be that names tests, in bytes; of more tests it runs their file or folder.
	maxCommand = 240
	// maxManifest bounds a package.json that is looked into, in bytes.
	maxManifest = 1 << 20
)

// A suite is tests that one command runs: those of a folder or of a file.
type suite struct {
	where string   // the folder or file
	tests []string // by name; none: all of it
	all   bool     // something in it is no test that has a name
	count int
}

// A testRunner makes commands for the tests of one language.
type testRunner struct {
	// of names a test as the runner does. "" is nothing that can be run by itself: its whole file stands for it.
	// helper is what tests use, which were reached through it.
	of func(a *affectedRow) string
	// folder tells that one command takes the tests of a folder, not of a file.
	folder bool
	// command runs tests of a file or folder; without names all of them.
	command func(p *project, where string, names []string) string
}

// helper is no test, but a part of others.
const helper = "-"

// runners are those of the languages, by the ending of a file.
func runners(p string) *testRunner {
	switch path.Ext(p) {
	case ".go":
		return &goTests
	case ".py":
		return &pytest
	case ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts":
		return &scriptTests
	case ".java", ".kt":
		return &javaTests
	case ".rs":
		return &cargoTests
	case ".rb":
		return &rubyTests
	case ".php":
		return &phpTests
	case ".cs":
		return &dotnetTests
	case ".cc", ".cpp", ".cxx":
		return &gtests
	}
	return nil
}

// runs are the commands for tests, those of the likeliest ones first.
func (x *Index) runs(tests []code.Affected) []*runRow {
	p := &project{x: x}
	var order []string
	suites := map[string]*suite{}
	for _, a := range (&sheet{}).affected(tests) {
		runner := runners(a.Path)
		if runner == nil {
			continue
		}
		where := a.Path
		if runner.folder {
			where = path.Dir(a.Path)
		}
		key := path.Ext(a.Path) + ":" + where
		s := suites[key]
		if s == nil {
			s = &suite{where: where}
			suites[key] = s
			order = append(order, key)
		}
		s.add(runner.of(a), a.Depth)
	}
	out := []*runRow{}
	for _, key := range order[:min(len(order), maxRuns)] {
		s := suites[key]
		ext, _, _ := strings.Cut(key, ":")
		runner := runners("x" + ext)
		row := &runRow{Tests: s.count}
		if !s.all && len(s.tests) > 0 {
			row.Command = runner.command(p, s.where, s.tests)
		}
		if row.Command == "" || len(row.Command) > maxCommand {
			row.Command = runner.command(p, s.where, nil)
		}
		out = append(out, row)
	}
	return out
}

// farthest is how far from a change a helper is whose own users the search has not looked for any more.
const farthest = 4

func (s *suite) add(name string, depth int) {
	s.count++
	switch {
	case name == "" || name == helper && depth >= farthest:
		s.all = true
	case name == helper:
	case !slices.Contains(s.tests, name):
		s.tests = append(s.tests, name)
	}
}

// project is what a runner asks of a project: which files there are.
type project struct{ x *Index }

// has tells whether there is a file.
func (p *project) has(name string) bool {
	o := p.x.working()
	if o == nil {
		return false
	}
	_, _, err := o.tree.Lookup(name)
	return err == nil
}

// above is the nearest folder from dir upwards that has one of these files, and which; "", "" where there is none.
func (p *project) above(dir string, names ...string) (folder, name string) {
	for {
		for _, n := range names {
			if p.has(path.Join(dir, n)) {
				return dir, n
			}
		}
		if dir == "." || dir == "/" || dir == "" {
			return "", ""
		}
		dir = path.Dir(dir)
	}
}

// read is a file's text, as far as it is bounded; nil where there is none.
func (p *project) read(name string) []byte {
	o := p.x.working()
	if o == nil {
		return nil
	}
	f, err := o.source.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxManifest))
	if err != nil {
		return nil
	}
	return b
}

// below is a path as seen from a folder that it is in.
func below(folder, name string) string {
	if folder == "." || folder == "" {
		return name
	}
	if name == folder {
		return "."
	}
	return strings.TrimPrefix(name, folder+"/")
}

// inFolder runs a command in a folder of the workspace.
func inFolder(folder, command string) string {
	if folder == "." || folder == "" {
		return command
	}
	return "cd " + word(folder) + " && " + command
}

// word is a text as one word of a shell.
func word(text string) string {
	for _, c := range []byte(text) {
		plain := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("._-/:,+@%", c) >= 0
		if !plain {
			return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
		}
	}
	if text == "" || text[0] == '-' {
		return "'" + text + "'"
	}
	return text
}

// words are texts as words of a shell.
func words(texts []string) string {
	var out []string
	for _, t := range texts {
		out = append(out, word(t))
	}
	return strings.Join(out, " ")
}

// anyOf is a regular expression for one of several names, and nothing else.
func anyOf(names []string) string {
	if len(names) == 1 {
		return "^" + names[0] + "$"
	}
	return "^(" + strings.Join(names, "|") + ")$"
}

// called tells of a function by the beginning of its name.
func called(a *affectedRow, prefixes ...string) bool {
	if a.Kind != "function" && a.Kind != "method" {
		return false
	}
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(a.Name, p) })
}

// qualified is the name with the types around it, the parts as Type.method has them.
func qualified(a *affectedRow) []string {
	_, q, _ := strings.Cut(a.ID, "#")
	q, _, _ = strings.Cut(q, "~")
	return strings.Split(q, ".")
}

var goTests = testRunner{
	folder: true,
	of: func(a *affectedRow) string {
		switch {
		case a.Name == "TestMain" || a.Kind == "method" && called(a, "Test"): // of a suite, which one function runs
			return ""
		case called(a, "Test", "Fuzz", "Example"):
			return a.Name
		}
		return helper
	},
	command: func(p *project, dir string, names []string) string {
		module, _ := p.above(dir, "go.mod")
		target := "./" + below(module, dir)
		if dir == module || dir == "." {
			target = "."
		}
		command := "go test " + word(target)
		if len(names) > 0 {
			command = "go test -run " + word(anyOf(names)) + " " + word(target)
		}
		return inFolder(module, command)
	},
}

var pytest = testRunner{
	of: func(a *affectedRow) string {
		if !called(a, "test") {
			return ""
		}
		return strings.Join(qualified(a), "::")
	},
	command: func(_ *project, file string, names []string) string {
		if path.Base(file) == "conftest.py" {
			return "pytest " + word(path.Dir(file))
		}
		if len(names) == 0 {
			return "pytest " + word(file)
		}
		var ids []string
		for _, n := range names {
			ids = append(ids, file+"::"+n)
		}
		return "pytest " + words(ids)
	},
}

// whole is the name of no test: the runner takes files.
func whole(*affectedRow) string { return "" }

var scriptTests = testRunner{
	of: whole,
	command: func(p *project, file string, _ []string) string {
		folder, _ := p.above(path.Dir(file), "package.json")
		target := word(below(folder, file))
		return inFolder(folder, scriptRunner(p.read(path.Join(folder, "package.json")))+" "+target)
	},
}

// scriptRunner is the runner that a package.json speaks of, in its script "test" or among what it needs; node's own
// where there is none.
func scriptRunner(manifest []byte) string {
	var m struct {
		Scripts map[string]string `json:"scripts"`
		Needs   map[string]any    `json:"dependencies"`
		Dev     map[string]any    `json:"devDependencies"`
	}
	err := json.Unmarshal(manifest, &m)
	if err != nil {
		return "node --test"
	}
	known := []struct{ name, command string }{
		{"vitest", "npx vitest run"},
		{"jest", "npx jest"},
		{"mocha", "npx mocha"},
		{"ava", "npx ava"},
		{"playwright", "npx playwright test"},
	}
	for _, k := range known {
		if strings.Contains(m.Scripts["test"], k.name) {
			return k.command
		}
	}
	for _, k := range known {
		if m.Needs[k.name] != nil || m.Dev[k.name] != nil {
			return k.command
		}
	}
	return "node --test"
}

var javaTests = testRunner{
	of: func(a *affectedRow) string {
		q := qualified(a)
		if !called(a, "test", "should") || len(q) < 2 { // others are known by annotations
			return ""
		}
		return q[len(q)-2] + "#" + q[len(q)-1]
	},
	command: func(p *project, file string, names []string) string {
		folder, build := p.above(path.Dir(file), "pom.xml", "build.gradle", "build.gradle.kts")
		if len(names) == 0 {
			names = []string{strings.TrimSuffix(path.Base(file), path.Ext(file))}
		}
		if build == "pom.xml" || build == "" {
			class, _, _ := strings.Cut(names[0], "#")
			only := strings.Join(names, ",")
			return inFolder(folder, "mvn test -Dtest="+word(strings.ReplaceAll(only, ","+class+"#", "+")))
		}
		command := "gradle test"
		if p.has(path.Join(folder, "gradlew")) {
			command = "./gradlew test"
		}
		for _, n := range names {
			command += " --tests " + word("*"+strings.ReplaceAll(n, "#", "."))
		}
		return inFolder(folder, command)
	},
}

var cargoTests = testRunner{
	of: func(a *affectedRow) string {
		if !called(a, "test") { // others are known by their attribute
			return ""
		}
		return strings.Join(qualified(a), "::")
	},
	command: func(p *project, file string, names []string) string {
		folder, _ := p.above(path.Dir(file), "Cargo.toml")
		command := "cargo test"
		if path.Base(path.Dir(file)) == "tests" && below(folder, path.Dir(file)) == "tests" {
			command += " --test " + word(strings.TrimSuffix(path.Base(file), ".rs"))
		}
		if len(names) > 0 {
			command += " -- " + words(names)
		}
		return inFolder(folder, command)
	},
}

var rubyTests = testRunner{
	of: func(a *affectedRow) string {
		if called(a, "test_") {
			return a.Name
		}
		return ""
	},
	command: func(_ *project, file string, names []string) string {
		switch {
		case strings.HasSuffix(file, "_spec.rb"):
			return "bundle exec rspec " + word(file)
		case len(names) == 0:
			return "ruby -Ilib -Itest " + word(file)
		}
		return "ruby -Ilib -Itest " + word(file) + " -n " + word("/"+anyOf(names)+"/")
	},
}

var phpTests = testRunner{
	of: func(a *affectedRow) string {
		if called(a, "test") {
			return a.Name
		}
		return ""
	},
	command: func(p *project, file string, names []string) string {
		folder, _ := p.above(path.Dir(file), "composer.json")
		target := word(below(folder, file))
		if len(names) > 0 {
			target = "--filter " + word("/::("+strings.Join(names, "|")+")( |$)/") + " " + target
		}
		return inFolder(folder, "vendor/bin/phpunit "+target)
	},
}

var dotnetTests = testRunner{
	of: func(a *affectedRow) string {
		q := qualified(a)
		if a.Kind != "method" || len(q) < 2 {
			return ""
		}
		return q[len(q)-2] // methods are known by attributes
	},
	command: func(_ *project, file string, names []string) string {
		if len(names) == 0 {
			names = []string{strings.TrimSuffix(path.Base(file), path.Ext(file))}
		}
		return "dotnet test --filter " + word("FullyQualifiedName~"+strings.Join(names, "|FullyQualifiedName~"))
	},
}

// gtests are tests of GoogleTest, whose names the reader of C++ takes from TEST(Suite, Name). Which program holds
// them, only the build knows.
var gtests = testRunner{
	of: func(a *affectedRow) string {
		if q := qualified(a); a.Kind == "method" && len(q) >= 2 {
			return strings.Join(q[len(q)-2:], ".")
		}
		return helper
	},
	command: func(p *project, file string, names []string) string {
		filter := ""
		if len(names) > 0 {
			filter = strings.Join(names, ":")
		}
		if folder, _ := p.above(path.Dir(file), "BUILD.bazel", "BUILD"); folder != "" {
			command := "bazel test " + word("//"+path.Join(below(".", folder), "..."))
			if filter != "" {
				command += " --test_filter=" + word(filter)
			}
			return command
		}
		if filter == "" {
			return "ctest"
		}
		return "TEST_PROGRAM --gtest_filter=" + word(filter)
	},
}
