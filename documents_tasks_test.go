package helve_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// answers are the tasks of docs/README.md, each with what somebody types who follows its link: it stands in a block or
// between back quotes there, before the next heading.
var answers = map[string]string{
	"try helve in ten minutes":                                 "sh install.sh",
	"put helve into your client":                               "helve init",
	"forbid or allow something":                                "helve deny",
	"have the client's own Bash and Edit under the same rules": "helve init --client",
	"take back what an agent did":                              "helve undo",
	"see what an agent did":                                    "helve audit",
	"bring in another MCP server, or a program as a tool":      "helve mcp add",
	"serve one workspace to several people or agents":          "helve serve --http",
	"ask who uses a function, rename, move":                    "helve call used_by",
	"have a model make many calls in one script":               "helve script",
	"run an agent at the terminal":                             "helve run",
	"have it in an editor, as Zed":                             "helve acp",
	"use helve in a Go program":                                "helve.Open",
}

// Whoever comes with a task finds it in the map of the documents, and what to type directly below the heading where
// its first link leads.
func TestEachTaskOfTheMapIsAnsweredWhereItLeads(t *testing.T) {
	pages := documents(t)
	_, table, ok := strings.Cut(pages["docs/README.md"], "## By task\n")
	if !ok {
		t.Fatal("docs/README.md has no tasks")
	}
	table, _, _ = strings.Cut(table, "\n## ")
	link := regexp.MustCompile(`\]\(([^)#:]+)(?:#([^)]+))?\)`)
	found := map[string]bool{}
	for _, row := range strings.Split(table, "\n") {
		cells := strings.Split(strings.Trim(row, "| "), " | ")
		m := link.FindStringSubmatch(row)
		if len(cells) != 2 || m == nil {
			continue // the head of the table, and the lines around it
		}
		task := cells[0]
		found[task] = true
		typed, known := answers[task]
		section := sectionOf(pages[filepath.Join("docs", m[1])], m[2])
		if !known || !strings.Contains(section, typed) {
			t.Errorf("%q leads to %s, where %q is not said", task, m[0][1:], typed)
		}
	}
	for task := range answers {
		if !found[task] {
			t.Errorf("docs/README.md does not name the task %q", task)
		}
	}
}

// sectionOf is what stands below the heading of a page that an anchor names, up to the next heading; without an anchor
// it is the beginning of the page, up to its second part but one: a page may begin with a word on what is needed.
func sectionOf(page, anchor string) string {
	fence, in := false, anchor == ""
	headings := 0
	var out strings.Builder
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "```") {
			fence = !fence
		}
		if !fence && strings.HasPrefix(line, "#") {
			headings++
			if in && (anchor != "" || headings > 2) {
				break
			}
			in = in || anchors(line)[0] == anchor
		}
		if in {
			out.WriteString(line)
		}
	}
	return out.String()
}
