package helve_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
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

// A link into a page leads to a heading of it.
func TestLinksLeadToHeadings(t *testing.T) {
	pages := documents(t)
	links := regexp.MustCompile(`\]\(([^)#:]*)#([^)]+)\)`)
	seen := 0
	for name, page := range pages {
		for _, m := range links.FindAllStringSubmatch(page, -1) {
			target := name
			if m[1] != "" {
				target = filepath.Join(filepath.Dir(name), m[1])
			}
			seen++
			if !slices.Contains(anchors(pages[target]), m[2]) {
				t.Errorf("%s links to %s#%s, and no heading is called so", name, target, m[2])
			}
		}
	}
	if seen < 20 {
		t.Errorf("%d links to headings: they are read wrongly", seen)
	}
}

// anchors are the names by which links find the headings of a page.
func anchors(page string) (out []string) {
	left := regexp.MustCompile(`[^\pL\pN _-]`)
	for line := range strings.Lines(page) {
		if text, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && line[0] == '#' {
			out = append(out, strings.ReplaceAll(left.ReplaceAllString(strings.ToLower(strings.TrimSpace(text)), ""), " ", "-"))
		}
	}
	return out
}

// A decision is found by its question: each part stands in the index of the page, each decision has a heading of its own,
// and its paragraphs are as wide as a person reads.
func TestDecisionsAreFound(t *testing.T) {
	const widest = 120
	page := read(t, "docs/decisions.md")
	head, rest, _ := strings.Cut(page, "\n## ")
	headings := map[string]bool{}
	for line := range strings.Lines("## " + rest) {
		line = strings.TrimRight(line, "\n")
		part, isPart := strings.CutPrefix(line, "## ")
		switch {
		case isPart && !strings.Contains(head, "["+part+"](#"):
			t.Errorf("the index does not name %q", part)
		case strings.HasPrefix(line, "#") && headings[line]:
			t.Errorf("%q stands twice", line)
		case strings.HasPrefix(line, "- **"):
			t.Errorf("a decision without a heading: %s", line)
		case !strings.HasPrefix(line, "|") && utf8.RuneCountInString(line) > widest:
			t.Errorf("%.60s…: it has more than %d columns", line, widest)
		}
		headings[line] = true
	}
	if len(headings) < 100 {
		t.Errorf("%d lines: it is read wrongly", len(headings))
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

// The README is what a stranger reads first, and docs/README.md leads to every page.
func TestTheWayThroughTheDocumentsIsShort(t *testing.T) {
	const most = 120
	pages := documents(t)
	if n := strings.Count(pages["README.md"], "\n"); n > most {
		t.Errorf("README.md has %d lines, want at most %d", n, most)
	}
	index := pages["docs/README.md"]
	for name := range pages {
		page, ok := strings.CutPrefix(name, "docs/")
		if ok && page != "README.md" && !strings.Contains(index, "]("+page+")") {
			t.Errorf("docs/README.md does not lead to %s", page)
		}
	}
}
