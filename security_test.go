package helve_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// docs/security.md names the tests that hold what it promises: each of them exists.
func TestTheTestsThatTheSecurityDocumentNamesExist(t *testing.T) {
	text, err := os.ReadFile("docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	exist := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, m := range declared.FindAllSubmatch(source, -1) {
			exist[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`\bTest[A-Z]\w+`).FindAllString(string(text), -1)
	for _, name := range named {
		if !exist[name] {
			t.Errorf("docs/security.md names %s, and there is no such test", name)
		}
	}
	if len(named) < 20 {
		t.Errorf("docs/security.md names %d tests only", len(named))
	}
}

// What docs/security.md promises it promises with a test: each paragraph, each item of a list and each row of a table
// names one, or what stands above them does, unless it says what is not promised.
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
				if !held && !namesTest(one) {
					t.Errorf("docs/security.md promises without a test, or does not say that it is no promise: %.120q", one)
				}
			}
			held = leadsIn(block) && (namesTest(block) || isLimit(block))
		}
	}
	if checked < 100 {
		t.Errorf("docs/security.md has %d promises only", checked)
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
