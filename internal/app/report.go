package app

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"helve/agent"
	"helve/tool"
)

// A reporter shows what an agent does: as text, or as JSON for scripts.
type reporter struct {
	a         *app
	format    string
	id, model string
	live      bool // a terminal: text is shown as it comes
	text      strings.Builder
	spin      *spinner
}

func (a *app) reporter(f runFlags, id, model string) *reporter {
	l := &reporter{a: a, format: f.format, id: id, model: model, live: f.format == "text" && isTerminal(a.env.Stdout)}
	if isTerminal(a.env.Stderr) && !a.plain() && f.format == "text" && !a.flags.quiet {
		l.spin = &spinner{a: a}
	}
	return l
}

// asking keeps the spinner out of questions.
func (l *reporter) asking(ask tool.Asker) tool.Asker {
	if ask == nil {
		return nil
	}
	return func(ctx context.Context, j *tool.Job, shown tool.Display) (tool.Answer, error) {
		l.spin.stop()
		return ask(ctx, j, shown)
	}
}

// event is called by one goroutine at a time.
func (l *reporter) event(e agent.Event) {
	l.spin.stop()
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
			fmt.Fprint(l.a.env.Stdout, printable(e.Text))
		}
		l.text.WriteString(e.Text)
	case agent.Again:
		l.text.Reset()
		l.a.say("the answer broke off, asking again: %s", printable(e.Err.Error()))
	case agent.Turn:
		l.turn()
	case agent.Calling:
		l.spin.start(printable(e.Name + " " + brief(e.Args)))
	case agent.Called:
		l.called(e)
	case agent.Left:
		l.a.say("plan approved")
	case agent.Compacted:
		l.a.say("the conversation was summed up: %d messages became %d", e.Before, e.After)
	}
}

// turn ends the text of an answer with a line end.
func (l *reporter) turn() {
	s := l.text.String()
	l.text.Reset()
	switch {
	case s == "":
	case l.live:
		fmt.Fprintln(l.a.env.Stdout)
	default:
		fmt.Fprintln(l.a.env.Stdout, strings.TrimRight(s, "\n"))
	}
}

// called prints a call in one line, a change as its diff.
func (l *reporter) called(e agent.Called) {
	if l.a.flags.quiet {
		return
	}
	paint := l.a.painter()
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
	fmt.Fprintf(l.a.env.Stderr, "%s %s  %s\n", mark, paint.bold(printable(title)), paint.dim(printable(brief(line))))
	if diff {
		for i, s := range strings.Split(strings.TrimSuffix(d.Unified, "\n"), "\n") {
			if i == diffLines {
				fmt.Fprintln(l.a.env.Stderr, "  …")
				break
			}
			fmt.Fprintln(l.a.env.Stderr, "  "+paint.line(d, printable(s)))
		}
	}
}

const (
	diffLines  = 40  // of a change that was made: its preview showed all
	briefRunes = 100 // of a line about a call
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
func (l *reporter) print(s streamed) { _ = l.a.printJSON(s) }

// end says how the run ended.
func (l *reporter) end(out *agent.Outcome, err error) {
	l.spin.stop()
	s := streamed{Type: "end", Text: out.Text, Stop: out.Stop, Turns: out.Turns, Usage: &out.Usage, Session: l.id, Model: l.model}
	if err != nil {
		s.Error = err.Error()
		l.a.say("run: %s", printable(err.Error()))
	} else if out.Stop != agent.Done {
		l.a.say("run: stopped before it was done: %s", out.Stop)
	}
	if l.format != "text" {
		l.print(s)
		return
	}
	if !l.a.flags.quiet {
		l.a.say("%d turns, %d tokens read, %d written; go on with --resume %s", out.Turns, out.Usage.Input, out.Usage.Output, l.id)
	}
}

// A spinner shows on a terminal that a call takes its time. A nil one shows nothing.
type spinner struct {
	a    *app
	mu   sync.Mutex
	quit chan struct{}
	done chan struct{}
}

var frames = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// spinEvery is quick enough for the eye and slow enough for a remote terminal.
const spinEvery = 120 * time.Millisecond

func (s *spinner) start(what string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.quit != nil {
		return
	}
	s.quit, s.done = make(chan struct{}), make(chan struct{})
	go s.turn(what, s.quit, s.done)
}

func (s *spinner) turn(what string, quit, done chan struct{}) {
	defer close(done)
	t := time.NewTicker(spinEvery)
	defer t.Stop()
	for i := 0; ; i++ {
		select {
		case <-quit:
			fmt.Fprint(s.a.env.Stderr, "\r\x1b[K")
			return
		case <-t.C:
			fmt.Fprintf(s.a.env.Stderr, "\r%s %s", frames[i%len(frames)], brief(what))
		}
	}
}

func (s *spinner) stop() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.quit == nil {
		return
	}
	close(s.quit)
	<-s.done
	s.quit = nil
}
