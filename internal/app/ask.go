package app

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"helve/tool"
)

// asker is who decides: --yes, a person on the terminal, or nobody.
func (a *app) asker(yes bool) tool.Asker {
	if yes {
		return func(context.Context, *tool.Job, tool.Display) (tool.Answer, error) {
			return tool.Answer{Yes: true}, nil
		}
	}
	if !isTerminal(a.env.Stdin) || !isTerminal(a.env.Stderr) {
		return nil
	}
	in := bufio.NewReader(a.env.Stdin)
	return func(_ context.Context, j *tool.Job, shown tool.Display) (tool.Answer, error) {
		return a.prompt(in, j, shown)
	}
}

func isTerminal(f any) bool {
	file, ok := f.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// prompt shows what is about to happen and asks: once, or no. Anything but a clear yes is a no.
func (a *app) prompt(in *bufio.Reader, j *tool.Job, shown tool.Display) (tool.Answer, error) {
	fmt.Fprintf(a.env.Stderr, "%s\n", printable(j.Title))
	if shown != nil {
		fmt.Fprintf(a.env.Stderr, "%s\n", printable(shown.String()))
	}
	fmt.Fprint(a.env.Stderr, "Allow this once? [y/N] ")
	line, err := in.ReadString('\n')
	if err != nil && err != io.EOF {
		return tool.Answer{}, err
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return tool.Answer{Yes: true}, nil
	}
	return tool.Answer{}, nil
}
