package app

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"helve/policy"
	"helve/tool"
)

// previewLines is how much of a preview a question shows: what is longer scrolls away before it is read.
const previewLines = 200

// A choice is one line of a question.
type choice struct {
	label, value string
}

// letter takes a choice at once, "" for those that want a second thought.
func (c choice) letter() string {
	switch c.value {
	case "no":
		return "n"
	case "once", "yes":
		return "y"
	case "session":
		return "s"
	case "always":
		return "a"
	}
	return ""
}

// text is the choice as it is shown.
func (c choice) text() string {
	if c.letter() == "" {
		return c.label
	}
	return c.label + " (" + c.letter() + ")"
}

// prompt shows what is about to happen and asks. Anything but a clear yes is a no.
func (a *app) prompt(ctx context.Context, q *tool.Question) (tool.Answer, error) {
	a.show(q)
	j := q.Job
	spans := []choice{{"No", "no"}, {"Yes, once", "once"}}
	if j.Call.Session != nil {
		spans = append(spans, choice{"Yes, for this session", "session"})
	}
	spans = append(spans, choice{"Yes, always in this workspace", "always"})
	span, err := a.choose(ctx, "Allow this?", spans)
	if err != nil || span == "no" {
		return tool.Answer{}, err
	}
	ans := tool.Answer{Yes: true}
	if span == "once" {
		return ans, nil
	}
	ans.For = map[string]tool.Span{"session": tool.ThisSession, "always": tool.Always}[span]
	what := a.offers(j)
	if len(what) == 1 {
		return ans, nil
	}
	rule, err := a.choose(ctx, "What is to be remembered?", what)
	if err != nil || rule == "no" {
		return tool.Answer{}, err
	}
	ans.Rule = strings.TrimPrefix(rule, "=")
	return ans, nil
}

// offers are what a lasting yes can mean, the narrowest first.
func (a *app) offers(j *tool.Job) []choice {
	out := []choice{{"Exactly this call, and nothing else", "="}}
	for _, rule := range a.ws.Approvals().Offers(j) {
		label := "Rule: allow " + printable(rule)
		switch rule {
		case policy.WholeTool:
			label = "Whatever the tool " + printable(j.Call.Name) + " does"
		case policy.WholeServer:
			label = "Whatever the tools of the server " + printable(j.Spec.Origin.Server) + " do"
		}
		out = append(out, choice{label, "=" + rule})
	}
	return out
}

// show prints the title, why it is asked, what was mended in the arguments, and the preview.
func (a *app) show(q *tool.Question) {
	j, shown := q.Job, q.Preview
	paint := a.painter()
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n", paint.bold(printable(j.Title)))
	if j.Spec.Origin.Server != "" {
		fmt.Fprintf(&b, "tool %s of the MCP server %s\n", printable(j.Spec.Origin.Name), printable(j.Spec.Origin.Server))
	}
	if why := q.Verdict.Why(); why != "" {
		fmt.Fprintf(&b, "%s\n", paint.dim("asked because: "+printable(why)))
	}
	for _, r := range q.Repairs {
		fmt.Fprintf(&b, "%s\n", paint.dim("repaired: "+printable(r)))
	}
	if shown != nil {
		b.WriteByte('\n')
		for i, line := range strings.Split(strings.TrimSuffix(shown.String(), "\n"), "\n") {
			if i == previewLines {
				b.WriteString("… more lines are not shown\n")
				break
			}
			b.WriteString(paint.line(shown, printable(line)) + "\n")
		}
	}
	fmt.Fprintln(a.env.Stderr, b.String())
}

// choose asks for one of the choices; the first is the default, and what an abort means.
func (a *app) choose(ctx context.Context, title string, choices []choice) (string, error) {
	flushInput(a.env.Stdin) // what was typed before the question is no answer to it
	if a.plain() {
		return a.chooseByNumber(title, choices)
	}
	if in, ok := a.env.Stdin.(*os.File); ok {
		return a.selectOne(ctx, in, title, choices)
	}
	return a.chooseByNumber(title, choices)
}

// chooseByNumber is the same without moving the cursor: for screen readers, and terminals that cannot.
func (a *app) chooseByNumber(title string, choices []choice) (string, error) {
	in := bufio.NewReader(a.env.Stdin)
	for range 3 {
		fmt.Fprintln(a.env.Stderr, title)
		for i, c := range choices {
			fmt.Fprintf(a.env.Stderr, "%d. %s\n", i+1, c.label)
		}
		fmt.Fprint(a.env.Stderr, "Number (Enter means 1): ")
		line, err := in.ReadString('\n')
		if err != nil && err != io.EOF {
			return "no", err
		}
		answer := strings.TrimSpace(line)
		if n, bad := strconv.Atoi(answer); bad == nil && n >= 1 && n <= len(choices) {
			return choices[n-1].value, nil
		}
		if answer == "" {
			return choices[0].value, nil
		}
		if err == io.EOF {
			break
		}
	}
	return "no", nil
}

// plain tells that questions are better asked in lines.
func (a *app) plain() bool {
	return a.env.getenv("ACCESSIBLE") != "" || a.env.getenv("TERM") == "dumb"
}

func (a *app) colours() bool {
	return a.env.getenv("NO_COLOR") == "" && a.env.getenv("TERM") != "dumb" && isTerminal(a.env.Stderr)
}

// A painter colours text, or leaves it alone.
type painter struct{ on bool }

func (a *app) painter() painter { return painter{a.colours()} }

// The colours of a terminal (ECMA-48).
const (
	bold  = "\x1b[1m"
	faint = "\x1b[2m"
	red   = "\x1b[31m"
	green = "\x1b[32m"
	cyan  = "\x1b[36m"
	plain = "\x1b[0m"
)

func (p painter) with(colour, text string) string {
	if !p.on || text == "" {
		return text
	}
	return colour + text + plain
}

func (p painter) bold(s string) string { return p.with(bold, s) }
func (p painter) dim(s string) string  { return p.with(faint, s) }

// line colours one line of a preview: of a diff by its first character.
func (p painter) line(shown tool.Display, s string) string {
	if _, diff := shown.(tool.Diff); !diff || s == "" {
		return s
	}
	switch s[0] {
	case '+':
		return p.with(green, s)
	case '-':
		return p.with(red, s)
	case '@':
		return p.with(cyan, s)
	}
	return s
}

// flushInput drops what was typed ahead.
func flushInput(in io.Reader) {
	if f, ok := in.(*os.File); ok {
		flush(f)
	}
}
