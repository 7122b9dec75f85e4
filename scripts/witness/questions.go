package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"helve/internal/diff"
)

// A question is a call of a tool in a project. What changes code is asked for a dry run.
type question struct {
	project, tool, arguments string
	digest                   string // of the answer
}

func (q *question) String() string { return q.project + ": " + q.tool + " " + q.arguments }

// readQuestions reads a line each: project, tool, arguments and digest, with a tab between.
func readQuestions(file string) ([]question, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var out []question
	for n, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		f := strings.Split(line, "\t")
		if len(f) != 4 {
			return nil, fmt.Errorf("%s:%d: %d fields, want project, tool, arguments and digest", file, n+1, len(f))
		}
		out = append(out, question{f[0], f[1], f[2], f[3]})
	}
	return out, nil
}

func writeQuestions(file string, questions []question) error {
	var text strings.Builder
	for _, q := range questions {
		fmt.Fprintf(&text, "%s\t%s\t%s\t%s\n", q.project, q.tool, q.arguments, q.digest)
	}
	return os.WriteFile(file, []byte(text.String()), 0o644)
}

// readable is an answer with a line for each value, and texts of several lines as they are read.
func readable(answer string) string {
	var out bytes.Buffer
	if json.Indent(&out, []byte(answer), "", " ") != nil {
		return answer
	}
	return strings.ReplaceAll(out.String(), `\n`, "\n")
}

func difference(was, now string) string {
	return diff.Of(was, now, diff.Options{Context: 2}).Body()
}
