// Package doc holds what models read of the built-in tools: a file for each tool.
package doc

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"

	"helve/tool"
)

//go:embed *.md
var files embed.FS

// Of reads <name>.md: the first line is the short description; the text up to the first heading is the long one;
// then come "## Usage", "## Important" and "## Examples", lists, an example as "- what it shows: {arguments}". A file
// that is not so is a bug.
func Of(name string) tool.Doc {
	b, err := files.ReadFile(name + ".md")
	if err != nil { // every tool has its file: the first test that lists the tools finds one that is missing
		panic(err.Error())
	}
	head, rest, _ := strings.Cut(string(b), "\n## ")
	short, long, _ := strings.Cut(strings.TrimSpace(head), "\n")
	d := tool.Doc{Short: short, Long: strings.TrimSpace(long)}
	for section := range strings.SplitSeq(rest, "\n## ") {
		title, body, _ := strings.Cut(section, "\n")
		switch title {
		case "Usage":
			d.Usage = items(body)
		case "Important":
			d.Important = items(body)
		case "Examples":
			d.Examples = examples(name, items(body))
		case "":
		default:
			panic(fmt.Sprintf("builtin/internal/doc/%s.md: unknown section %q", name, title))
		}
	}
	return d
}

// items are the entries of a list, each on one line.
func items(body string) []string {
	var out []string
	for line := range strings.Lines(body) {
		s, ok := strings.CutPrefix(strings.TrimSpace(line), "- ")
		if ok {
			out = append(out, s)
		}
	}
	return out
}

// examples splits each entry into its words and its arguments, which must be JSON: a test calls them as they stand.
func examples(name string, items []string) []tool.Example {
	var out []tool.Example
	for _, s := range items {
		what, args, ok := strings.Cut(s, ": {")
		args = "{" + args
		if !ok || !json.Valid([]byte(args)) {
			panic(fmt.Sprintf("builtin/internal/doc/%s.md: bad example %q", name, s))
		}
		out = append(out, tool.Example{Description: what, Args: json.RawMessage(args)})
	}
	return out
}
