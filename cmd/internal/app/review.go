package app

import (
	"context"
	"fmt"
	"strings"

	"helve/source/upstream"
	"helve/tool"
)

// reviewer is who is asked about a tool whose definition changed: the person at the terminal, or nobody. --yes is no answer: it has not
// seen the difference.
func (a *app) reviewer() upstream.Review {
	if a.present {
		return a.reviewed
	}
	return nil // a client's person is asked all the same
}

// reviewed asks the person at the terminal.
func (a *app) reviewed(ctx context.Context, _ *tool.Call, server string, c upstream.Change) (tool.Answer, error) {
	a.asking.Lock()
	defer a.asking.Unlock()
	if a.hush != nil {
		a.hush()
	}
	paint := a.painter()
	fmt.Fprintf(a.env.Stderr, "\n%s\n\n", paint.bold(printable(c.Question(server))))
	for line := range strings.Lines(c.Diff) {
		fmt.Fprintln(a.env.Stderr, paint.line(tool.Diff{}, printable(strings.TrimSuffix(line, "\n"))))
	}
	word, err := a.choose(ctx, "Use the new definition?", []choice{{"No", "no"}, {"Yes, from now on", "yes"}})
	return tool.Answer{Yes: word == "yes"}, err
}
