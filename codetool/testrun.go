package codetool

import (
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
		alnum := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		plain := alnum || strings.IndexByte("._-/:,+@%", c) >= 0
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
