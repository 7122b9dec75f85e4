package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"helve/agent"
	"helve/cmd/internal/terminal"
	"helve/tool"
)

// A reporter shows what an agent does: as text, or as JSON for scripts.
type reporter struct {
	s         streams
	format    string
	id, model string
	live      bool       // a terminal: text is shown as it comes
	mu        sync.Mutex // held while a question stands on the terminal: nothing else is written then
	text      strings.Builder
	spin      *terminal.Spinner
	running   []agent.Calling      // calls without a result, oldest first
	alone     bool                 // nobody can be asked
	refused   int                  // calls that somebody would have been asked about
	approved  map[string]tool.Diff // by the ID of the call: what the person has seen of it
}

func newReporter(s streams, format, id, model string) *reporter {
	l := &reporter{s: s, format: format, id: id, model: model, live: format == "text" && isTerminal(s.Stdout),
		approved: map[string]tool.Diff{}}
	if isTerminal(s.Stderr) && !s.terminal().Plain() && format == "text" && !s.quiet {
		l.spin = &terminal.Spinner{To: s.Stderr}
	}
	return l
}

// asking keeps the spinner out of questions.
func (l *reporter) asking(who approver) tool.Asker {
	if l.alone = who.ask == nil; l.alone {
		return nil
	}
	if who.person != nil {
		who.person.hush = l.spin.Stop
	}
	return func(ctx context.Context, q *tool.Question) (tool.Answer, error) {
		defer l.quiet()()
		said, err := who.ask(ctx, q)
		if d, ok := q.Preview.(tool.Diff); ok && said.Yes && who.person != nil {
			l.approved[q.Job.Call.ID] = d
		}
		return said, err
	}
}

// leaving does the same for the question whether a plan may be carried out.
func (l *reporter) leaving(ask func(context.Context, string) (tool.Answer, error)) func(context.Context, string) (tool.Answer, error) {
	if ask == nil {
		return nil
	}
	return func(ctx context.Context, plan string) (tool.Answer, error) {
		defer l.quiet()()
		return ask(ctx, plan)
	}
}

// quiet keeps everything else off the terminal until the function that it returns is called.
func (l *reporter) quiet() func() {
	l.mu.Lock()
	l.spin.Stop()
	return l.mu.Unlock
}

// begin shows that the model is thinking.
func (l *reporter) begin() {
	defer l.quiet()()
	l.spin.Start(l.model)
}

// event is called by one goroutine at a time.
func (l *reporter) event(e agent.Event) {
	defer l.quiet()()
	if c, ok := e.(agent.Called); ok && l.alone && c.Result.Verdict.Decision == tool.Ask {
		l.refused++
	}
	if l.format == "stream-json" {
		l.stream(e)
		return
	}
	if l.format == "text" {
		l.show(e)
	}
}

func (l *reporter) show(e agent.Event) {
	switch e := e.(type) {
	case agent.Said:
		if l.live {
			fmt.Fprint(l.s.Stdout, printable(e.Text))
		}
		l.text.WriteString(e.Text)
	case agent.Again:
		if l.live && l.text.Len() > 0 {
			fmt.Fprintln(l.s.Stdout)
		}
		l.text.Reset()
		l.s.say("%s\nwaiting %s, then try %d of %d", printable(e.Err.Error()), e.Wait.Round(time.Millisecond), e.Try, e.Of)
	case agent.Turn:
		l.turn()
	case agent.Calling:
		l.running = append(l.running, e)
	case agent.Called:
		l.running = slices.DeleteFunc(l.running, func(c agent.Calling) bool { return c.ID == e.ID })
		l.called(e)
	case agent.Left:
		l.s.say("plan approved")
	case agent.Compacted:
		l.s.say("the conversation was summed up: %d messages became %d", e.Before, e.After)
	}
	l.wait()
}

// wait shows what is waited for: the oldest call, or the model. Text on its way shows that by itself.
func (l *reporter) wait() {
	switch {
	case len(l.running) > 0:
		l.spin.Start(printable(l.running[0].Name + " " + brief(l.running[0].Args)))
	case !l.live || l.text.Len() == 0: // a line that is not ended must not be drawn over
		l.spin.Start(l.model)
	}
}

// turn ends the text of an answer with a line end.
func (l *reporter) turn() {
	s := l.text.String()
	l.text.Reset()
	switch {
	case s == "":
	case l.live:
		fmt.Fprintln(l.s.Stdout)
	default:
		fmt.Fprintln(l.s.Stdout, strings.TrimRight(s, "\n"))
	}
}

// called prints a call in one line, a change as its diff.
func (l *reporter) called(e agent.Called) {
	if l.s.quiet {
		return
	}
	paint := l.s.terminal().Painter()
	title := e.Name
	if e.Result.Job != nil {
		title = e.Result.Job.Title
	}
	mark := "✓"
	if e.Result.Err != nil {
		mark = "✗"
	}
	line, _, _ := strings.Cut(e.Result.Show(), "\n")
	d, diff := e.Result.Display.(tool.Diff)
	if diff {
		line = fmt.Sprintf("+%d -%d", d.Added, d.Removed)
	}
	room := lineRunes
	if isTerminal(l.s.Stderr) {
		room = l.s.terminal().Width()
	}
	title, line = brief(printable(title)), brief(printable(line))
	if strings.HasSuffix(title, line) { // nothing new
		line = ""
	}
	line = strings.TrimLeft(strings.TrimPrefix(line, title), " :")
	title = terminal.Fit(title, max(room-2, 1))
	if left := room - 2 - terminal.Cells(title) - 2; line != "" && left > 1 {
		title, line = paint.Bold(title)+"  ", paint.Dim(terminal.Fit(line, left))
	} else {
		title, line = paint.Bold(title), ""
	}
	fmt.Fprintf(l.s.Stderr, "%s %s%s\n", mark, title, line)
	if diff && !l.seen(e.ID, d) {
		for i, s := range strings.Split(strings.TrimSuffix(d.Unified, "\n"), "\n") {
			if i == diffLines {
				fmt.Fprintln(l.s.Stderr, "  …")
				break
			}
			fmt.Fprintln(l.s.Stderr, "  "+paint.DiffLine(printable(s)))
		}
	}
}

// seen tells that the person approved just this change, and so has read it.
func (l *reporter) seen(id string, done tool.Diff) bool {
	shown, ok := l.approved[id]
	delete(l.approved, id)
	return ok && shown.Path == done.Path && shown.Added == done.Added && shown.Removed == done.Removed
}

const (
	diffLines  = 40  // of a change that was made: its preview showed all
	briefRunes = 100 // of what is said about a call
	lineRunes  = 2*briefRunes + 4
)

func brief(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > briefRunes {
		return string(r[:briefRunes]) + "…"
	}
	return s
}

type streamed struct {
	Type    string        `json:"type"`
	Text    string        `json:"text,omitempty"`
	ID      string        `json:"id,omitempty"`
	Name    string        `json:"name,omitempty"`
	Args    string        `json:"args,omitempty"`
	Result  *resultObject `json:"result,omitempty"`
	Turn    int           `json:"turn,omitempty"`
	Stop    agent.Stop    `json:"stop,omitempty"`
	Usage   *agent.Usage  `json:"usage,omitempty"`
	Turns   int           `json:"turns,omitempty"`
	Session string        `json:"session,omitempty"`
	Model   string        `json:"model,omitempty"`
	Error   string        `json:"error,omitempty"`
}

// stream prints an event as a line of JSON.
func (l *reporter) stream(e agent.Event) {
	var s streamed
	switch e := e.(type) {
	case agent.Said:
		s = streamed{Type: "text", Text: e.Text}
	case agent.Thought:
		s = streamed{Type: "thinking", Text: e.Text}
	case agent.Calling:
		s = streamed{Type: "call", ID: e.ID, Name: e.Name, Args: e.Args}
	case agent.Called:
		obj, err := project(e.Result)
		if err != nil {
			obj = &resultObject{Model: e.Result.Text()}
		}
		s = streamed{Type: "result", ID: e.ID, Name: e.Name, Result: obj}
	case agent.Turn:
		s = streamed{Type: "turn", Turn: e.Number, Stop: e.Stop, Usage: &e.Usage}
	case agent.Again:
		s = streamed{Type: "again", Error: e.Err.Error()}
	case agent.Left:
		s = streamed{Type: "plan_approved", Text: e.Plan}
	case agent.Compacted:
		s = streamed{Type: "compacted"}
	}
	l.print(s)
}

// print writes a line. What a closed standard output loses cannot be told anywhere.
func (l *reporter) print(line streamed) { _ = l.s.printJSON(line) }

// end says how the run ended.
func (l *reporter) end(out *agent.Outcome, err error) {
	defer l.quiet()()
	s := streamed{Type: "end", Text: out.Text, Stop: out.Stop, Turns: out.Turns, Usage: &out.Usage, Session: l.id, Model: l.model}
	if l.live && l.text.Len() > 0 { // what was said until an error or an interrupt came
		fmt.Fprintln(l.s.Stdout)
	}
	if errors.Is(err, context.Canceled) {
		s.Error = "interrupted" // the exit says so to people
	} else if err != nil {
		s.Error = err.Error()
		l.s.say("run: %s", printable(err.Error()))
	} else if out.Stop != agent.Done {
		l.s.say("run: stopped before it was done: %s", out.Stop)
	}
	if l.refused > 0 {
		l.s.say("run: %d calls refused, as nobody can be asked here\nhint: --yes grants what would be asked", l.refused)
	}
	if l.format != "text" {
		l.print(s)
		return
	}
	if !l.s.quiet {
		l.s.say("%d turns, %d tokens read, %d written; go on with --resume %s", out.Turns, out.Usage.Input, out.Usage.Output, l.id)
	}
}
