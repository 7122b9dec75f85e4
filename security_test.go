package helve_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// docs/security.md names the tests that hold what it promises: each of them stands in the package that is named before
// it, in the same paragraph or row, or at the root.
func TestTheTestsThatTheSecurityDocumentNamesExist(t *testing.T) {
	text, err := os.ReadFile("docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	exist := testsByFolder(t)
	named := 0
	for block := range strings.SplitSeq(strings.ReplaceAll(string(text), "\n|", "\n\n|"), "\n\n") {
		folder := "."
		for _, m := range namedTest.FindAllStringSubmatch(block, -1) {
			if m[1] != "" {
				folder = m[1]
			}
			named++
			if !exist[folder+" "+m[2]] {
				t.Errorf("docs/security.md names %s in %s, and there is no such test", m[2], folder)
			}
		}
	}
	if named < 100 {
		t.Errorf("docs/security.md names %d tests only", named)
	}
}

// namedTest is a test, and the package in front of it, if one is.
var namedTest = regexp.MustCompile("(?:`([\\w/-]+)`\\s+)?\\b(Test[A-Z]\\w+)")

// testsByFolder has "FOLDER TEST" for every test of the repository.
func testsByFolder(t *testing.T) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, m := range declared.FindAllSubmatch(source, -1) {
			out[filepath.ToSlash(filepath.Dir(path))+" "+string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// What docs/security.md promises it promises with a test: each sentence of a paragraph, of an item of a list and of a row
// of a table names one, or one soon after it does, or what stands above them, unless it says what is not promised.
func TestNoPromiseOfTheSecurityDocumentStandsWithoutATest(t *testing.T) {
	text, err := os.ReadFile("docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, section := range strings.Split(string(text), "\n#") {
		if strings.Contains(section, "What is weaker than it should be\n") {
			continue
		}
		held := false // by what stands above
		for block := range strings.SplitSeq(section, "\n\n") {
			for _, one := range promises(block) {
				checked++
				if held {
					continue
				}
				for _, sentence := range unheld(one) {
					t.Errorf("docs/security.md promises without a test that stands near, or does not say that it is no promise: %.160q", sentence)
				}
			}
			held = leadsIn(block) && (namesTest(block) || isLimit(block))
		}
	}
	if checked < 100 {
		t.Errorf("docs/security.md has %d promises only", checked)
	}
}

// mostBefore is how many sentences one test, or a few, may stand for: a long paragraph with all its tests at the end
// says of none which test it is.
const mostBefore = 3

// unheld are the sentences of a promise that name no test, where none of the next ones does either. One that begins with
// "Not" says what is not promised.
func unheld(promise string) []string {
	var out, waiting []string
	for _, s := range sentencesOf(promise) {
		switch {
		case namesTest(s) || strings.Contains(s, "(the same test)"):
			if waiting = append(waiting, s); len(waiting) > mostBefore {
				out = append(out, waiting[0])
			}
			waiting = nil
		case !strings.HasPrefix(strings.TrimLeft(s, "* "), "Not "):
			waiting = append(waiting, s)
		}
	}
	return append(out, waiting...)
}

// sentenceEnds is where one sentence ends, and the next begins.
var sentenceEnds = regexp.MustCompile("[.] +[A-Z`*(]")

// sentencesOf are those of one promise, with the tests that they name.
func sentencesOf(text string) []string {
	text = strings.Join(strings.Fields(text), " ")
	var out []string
	for {
		at := sentenceEnds.FindStringIndex(text)
		if at == nil {
			return append(out, text)
		}
		out, text = append(out, text[:at[0]+1]), text[at[1]-1:]
	}
}

// docs/security.md says how many attacks there are.
func TestTheSecurityDocumentCountsTheAttacks(t *testing.T) {
	text, err := os.ReadFile("docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, word := range map[string]string{"marks": "scripts stand in", "obeyed": "on what the person's settings name", "unasked": "stories of commands"} {
		list, err := os.ReadFile("internal/testing/escape/testdata/" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("%d %s", strings.Count("\n"+string(list), "\n-- "), word); !strings.Contains(string(text), want) {
			t.Errorf("%s.txt: docs/security.md does not say %q", name, want)
		}
	}
}

var testName = regexp.MustCompile(`\bTest[A-Z]\w+`)

func namesTest(text string) bool { return testName.MatchString(text) }

// isLimit tells of a block that says what is not promised.
func isLimit(block string) bool {
	last := block[strings.LastIndexByte(strings.TrimSpace(block), '\n')+1:]
	return strings.HasPrefix(block, "**Not ") || strings.Contains(last, "**Not ")
}

// leadsIn tells of a block that a list or a table follows.
func leadsIn(block string) bool {
	block = strings.TrimSpace(block)
	return strings.HasSuffix(block, ":") || strings.HasSuffix(block, ",") || isLimit(block)
}

// promises are the paragraphs, items and rows of a block that have to name a test.
func promises(block string) []string {
	var out []string
	lines := strings.Split(strings.TrimSpace(block), "\n")
	if strings.HasPrefix(lines[0], "|") {
		return rowsOf(lines)
	}
	starts := regexp.MustCompile(`^(- |\d\. )`)
	for _, line := range lines {
		switch {
		case strings.HasPrefix(line, "#"):
		case starts.MatchString(line), len(out) == 0:
			if len(out) > 0 && strings.Contains(out[len(out)-1], "**Not ") {
				return out // what follows is not promised
			}
			out = append(out, line)
		default:
			out[len(out)-1] += "\n" + line
		}
	}
	if isLimit(block) || len(out) == 1 && leadsIn(block) {
		return nil
	}
	return out
}

// rowsOf are the rows of a table but those that leave nothing to keep.
func rowsOf(lines []string) []string {
	var out []string
	for _, line := range lines[min(len(lines), 2):] {
		cells := strings.Split(line, "|")
		const cannot = 3 // of the table of who may do what
		if strings.Contains(lines[0], "cannot") && len(cells) > cannot && strings.Trim(cells[cannot], " –") == "" {
			continue
		}
		out = append(out, line)
	}
	return out
}
