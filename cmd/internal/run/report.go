package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"helve/agent"
	"helve/cmd/internal/asking"
	"helve/cmd/internal/command"
	"helve/cmd/internal/display"
	"helve/tool"
)

// tenth is as exactly as the time of a run is told.
const tenth = 100 * time.Millisecond

// A reporter tells what an agent does: as text for people, or as JSON for scripts.
type reporter struct {
	s         command.Streams
	format    string
	id, model string
	began     time.Time
	display   *display.Display // nil: JSON
	alone     bool             // nobody can be asked
	refused   int              // calls that somebody would have been asked about
	undo      []string         // the calls that changed files, in their order: what helve undo takes
}

// newReporter makes a reporter for a run of that format and session. Nothing is told before the agent runs.
func newReporter(s command.Streams, format, id, model string) *reporter {
	r := &reporter{s: s, format: format, id: id, model: model, began: time.Now()}
	if format == textFormat {
		r.display = display.New(display.Options{
			Stdout:   s.Stdout,
			Terminal: s.Terminal(),
			Say:      s.Say,
			Model:    model,
			Quiet:    s.Quiet,
		})
	}
	return r
}

// listen has the reporter hear what the agent does, and leave the terminal to questions. stop
// ends the run: who is at a question has no other way to do that.
func (r *reporter) listen(ag *agent.Agent, who asking.Approver, stop func()) {
	ag.Listen = r.event
	r.alone = who.Ask == nil
	p := who.Person
	if p == nil {
		return
	}
	p.Display = r.display
	p.Stop = stop
	p.Stays = true // a session of an agent is many calls
}

// begin shows that the model is asked, where somebody looks.
func (r *reporter) begin() {
	if r.display != nil {
		r.display.Begin()
	}
}

// event is called by one goroutine at a time.
func (r *reporter) event(e agent.Event) {
	c, ok := e.(agent.Called)
	if ok && r.alone && c.Result.Verdict.Decision == tool.Ask {
		r.refused++
	}
	if ok {
		r.remember(c.Result)
	}
	switch {
	case r.display != nil:
		r.display.Event(e)
	case r.format == streamFormat:
		if line, ok := streamedEvent(e); ok {
			r.print(line)
		}
	}
}

// remember notes a call that changed files.
func (r *reporter) remember(res *tool.Result) {
	var meta struct {
		Undo string `json:"undo"`
	}
	if json.Unmarshal(res.Meta, &meta) == nil && meta.Undo != "" {
		r.undo = append(r.undo, meta.Undo)
	}
}

// undoShown is how many calls a person is told of: helve history has them all.
const undoShown = 5

// undoLine says how what a run changed is taken back.
func (r *reporter) undoLine() string {
	var names []string
	for i, id := range slices.Backward(r.undo) {
		if len(names) == undoShown {
			return strings.Join(names, ", ") + fmt.Sprintf(" and %d more: helve history", i+1)
		}
		names = append(names, "helve undo "+id)
	}
	return strings.Join(names, ", ")
}

// print writes a line of JSON. What a closed standard output loses cannot be told anywhere.
func (r *reporter) print(line streamed) { _ = r.s.PrintJSON(line) }

// end says how the run ended. err is why it did before it was done.
func (r *reporter) end(out *agent.Outcome, err error) {
	if r.display != nil {
		r.display.Close() // what follows must not be drawn over
	}
	stopped := errors.Is(err, context.Canceled) // the exit says so to people
	switch {
	case stopped:
	case err != nil:
		r.s.Say("run: %s", command.Printable(err.Error()))
		hint := nextStep(err, r.model, r.id)
		if hint != "" {
			r.s.Say("hint: %s", hint)
		}
	case out.Stop != agent.Done:
		r.s.Say("run: stopped before it was done: %s", out.Stop)
	}
	if r.refused > 0 {
		r.s.Say("run: %s refused, as nobody can be asked here\nhint: --yes grants what would be asked",
			display.Count(r.refused, "call"))
	}
	if r.display == nil {
		r.print(r.endLine(out, err, stopped))
		return
	}
	if len(r.undo) > 0 {
		r.s.Note("%s changed files; to take them back, the newest first: %s",
			display.Count(len(r.undo), "call"), r.undoLine())
	}
	took := time.Since(r.began).Round(tenth)
	turns := display.Count(out.Turns, "turn")
	read := display.Count(out.Usage.Input, "token")
	// A run of no time at all reads like a mistake.
	r.s.Note("%s in %s, %s read, %d written; go on with --resume %s",
		turns, max(took, tenth), read, out.Usage.Output, r.id)
}

// endLine is the last line of JSON, which both formats have.
func (r *reporter) endLine(out *agent.Outcome, err error, stopped bool) streamed {
	s := streamed{
		Type:    "end",
		Text:    out.Text,
		Stop:    out.Stop,
		Usage:   &out.Usage,
		Turns:   out.Turns,
		Session: r.id,
		Model:   r.model,
		Undo:    r.undo,
	}
	switch {
	case stopped:
		s.Error = "interrupted"
	case err != nil:
		s.Error = err.Error()
	}
	return s
}

// streamed is a line of stream-json: an event, or the end. The format json has the end alone. Scripts rely on the
// names: docs/run.md lists them.
type streamed struct {
	Type    string                `json:"type"`
	Text    string                `json:"text,omitempty"`
	ID      string                `json:"id,omitempty"`
	Name    string                `json:"name,omitempty"`
	Args    string                `json:"args,omitempty"`
	Result  *display.ResultObject `json:"result,omitempty"`
	Turn    int                   `json:"turn,omitempty"`
	Stop    agent.Stop            `json:"stop,omitempty"`
	Usage   *agent.Usage          `json:"usage,omitempty"`
	Turns   int                   `json:"turns,omitempty"`
	Session string                `json:"session,omitempty"`
	Model   string                `json:"model,omitempty"`
	Error   string                `json:"error,omitempty"`
	Undo    []string              `json:"undo,omitempty"`
}

// streamedEvent is the line of an event; there is none of a call's progress, which only serves the eye.
func streamedEvent(e agent.Event) (streamed, bool) {
	switch e := e.(type) {
	case agent.Said:
		return streamed{Type: "text", Text: e.Text}, true
	case agent.Thought:
		return streamed{Type: "thinking", Text: e.Text}, true
	case agent.Calling:
		return streamed{Type: "call", ID: e.ID, Name: e.Name, Args: e.Args}, true
	case agent.Called:
		obj, err := display.ProjectResult(e.Result)
		if err != nil { // one part is no JSON: the text is worth more than nothing
			obj = &display.ResultObject{Model: e.Result.Text()}
		}
		return streamed{Type: "result", ID: e.ID, Name: e.Name, Result: obj}, true
	case agent.Turn:
		return streamed{Type: "turn", Turn: e.Number, Stop: e.Stop, Usage: &e.Usage}, true
	case agent.Again:
		return streamed{Type: "again", Error: e.Err.Error()}, true
	case agent.Left:
		return streamed{Type: "plan_approved", Text: e.Plan}, true
	case agent.Compacted:
		return streamed{Type: "compacted"}, true
	}
	return streamed{}, false
}
