// Package terminal is what the agents among the examples have in common: a workspace, and a person at the terminal who is
// asked before what needs approval.
package terminal

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"helve"
	"helve/tool"
)

// Main opens the working directory and has run do what the words of the command line say.
func Main(run func(ctx context.Context, ws *helve.Workspace, prompt string) (string, error)) {
	helve.Init() // first: a copy of this program prepares the sandbox of each command
	ctx := context.Background()
	ws, err := helve.Open(ctx, helve.Options{Ask: Person(os.Stdin, os.Stdout)})
	if err != nil {
		log.Fatal(err)
	}
	defer ws.Close()
	text, err := run(ctx, ws, strings.Join(os.Args[1:], " "))
	if err != nil {
		log.Print(err)
		return
	}
	fmt.Println(text)
}

// Person asks on out and reads y or n from in, a line each.
func Person(in io.Reader, out io.Writer) tool.Asker {
	lines := bufio.NewScanner(in)
	return func(_ context.Context, q *tool.Question) (tool.Answer, error) {
		fmt.Fprintf(out, "%s? (%s)\n%s[y/n] ", q.Job.Title, q.Verdict.Why(), q.Preview)
		return tool.Answer{Yes: lines.Scan() && strings.HasPrefix(lines.Text(), "y")}, nil
	}
}
