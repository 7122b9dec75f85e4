package helve_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// documents are the pages that people read.
func documents(t *testing.T) map[string]string {
	t.Helper()
	names, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, name := range append(names, "README.md", "CONTRIBUTING.md") {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = string(b)
	}
	return out
}

// sentences are those of a page's prose: without code blocks, tables and headings.
func sentences(page string) []string {
	var prose []string
	inCode := false
	for line := range strings.Lines(page) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "```"):
			inCode = !inCode
		case inCode, strings.HasPrefix(line, "|"):
		case line == "", strings.HasPrefix(line, "#"):
			prose = append(prose, "\n")
		case strings.HasPrefix(line, "- "):
			prose = append(prose, "\n", line[2:])
		default:
			prose = append(prose, line)
		}
	}
	end := regexp.MustCompile(`[.?!](\*\*)?\)? |\n`)
	var out []string
	for _, s := range end.Split(strings.Join(prose, " "), -1) {
		if len(strings.Fields(s)) > 2 {
			out = append(out, s)
		}
	}
	return out
}

// A sentence that a stranger reads once is short: of each page the one in the middle has at most 25 words.
func TestSentencesAreShort(t *testing.T) {
	const most = 25
	for name, page := range documents(t) {
		var words []int
		for _, s := range sentences(page) {
			words = append(words, len(strings.Fields(s)))
		}
		if len(words) == 0 {
			continue
		}
		slices.Sort(words)
		middle := words[len(words)/2]
		t.Logf("%s: %d sentences, the middle one has %d words, the longest %d", name, len(words), middle, words[len(words)-1])
		if middle > most {
			t.Errorf("%s: the sentence in the middle has %d words, want at most %d", name, middle, most)
		}
	}
}

// docs/ARCHITECTURE.md names each folder with a package, or the one above it: what stands in an internal folder below the
// floors belongs to the package beside it.
func TestTheArchitectureNamesEveryFolder(t *testing.T) {
	named := map[string]bool{}
	for _, m := range regexp.MustCompile("`([a-z][a-z0-9/]*)(?:/…)?`").FindAllStringSubmatch(read(t, "docs/ARCHITECTURE.md"), -1) {
		named[m[1]] = true
	}
	seen := 0
	for _, file := range sources(t) {
		dir := path.Dir(filepath.ToSlash(file))
		if dir == "." || strings.HasPrefix(dir, "scripts/") || strings.Contains(strings.TrimPrefix(dir, "cmd/"), "/internal/") {
			continue
		}
		seen++
		if !named[dir] && !named[path.Dir(dir)] {
			t.Errorf("docs/ARCHITECTURE.md does not name %s", dir)
		}
	}
	if seen < 100 {
		t.Errorf("%d files: they are listed wrongly", seen)
	}
}

// Nothing that is written names a place that does not exist: links lead to files, and what is called a document or a
// script is one.
func TestDocumentsNameWhatIsThere(t *testing.T) {
	links := regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	blocks := regexp.MustCompile("(?s)```.*?```") // examples, which may name anything
	files := regexp.MustCompile(`\b(?:docs|scripts)/[A-Za-z_0-9.-]*[A-Za-z0-9]\b`)
	for name, page := range documents(t) {
		page = blocks.ReplaceAllString(page, "")
		for _, m := range links.FindAllStringSubmatch(page, -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), m[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", name, m[1])
			}
		}
		for _, file := range files.FindAllString(page, -1) {
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s names %s, which is not there", name, file)
			}
		}
	}
}
