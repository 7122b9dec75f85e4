package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"helve/agent"
	"helve/cmd/internal/asking"
	"helve/cmd/internal/command"
	"helve/cmd/internal/display"
)

// tenth is as exactly as the time of a run is told.
const tenth = 100 * time.Millisecond

// A reporter tells what an agent does: as text for people, or as JSON for scripts.
type reporter struct {
	s               command.Streams
	format          string
	id, model, mode string // of the conversation
	began           time.Time
	display         *display.Display         // nil: JSON
	alone           bool                     // nobody can be asked
	tell            func(level, text string) // hears of notices in place of standard error; nil: nobody does

	mu      sync.Mutex // questions and input speak beside the agent
	now     tally      // of the prompt that is answered
	whole   tally      // of those before
	turns   int
	used    agent.Usage
	printed map[string]string // what the calls that run printed lately, by ID
}

// newReporter makes a reporter for a run of that format. What it tells of the conversation is set before the agent
// runs.
func newReporter(s command.Streams, format, model string) *reporter {
	r := &reporter{s: s, format: format, model: model, began: time.Now(), printed: map[string]string{}}
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

// start is the first line of a stream.
func (r *reporter) start(ag *agent.Agent, memory []asking.Told) {
	tools := []string{}
	view := ag.Kit.View()
	for _, spec := range view.Specs() {
		tools = append(tools, view.Name(spec))
	}
	if memory == nil {
		memory = []asking.Told{}
	}
	r.emit(event{Type: "start", Version: contractVersion, Model: r.model, Mode: r.mode, Tools: &tools, Memory: &memory})
}

// event is called by one goroutine at a time.
func (r *reporter) event(e agent.Event) {
	r.now.event(e, r.alone)
	if e, ok := e.(agent.Switched); ok {
		r.model = e.To
	}
	if r.display != nil {
		r.display.Event(e)
		return
	}
	if line, ok := r.line(e); ok {
		r.emit(line)
	}
}

// emit prints a line of a stream. What a closed standard output loses cannot be told anywhere.
func (r *reporter) emit(e event) {
	if r.format != streamFormat {
		return
	}
	e.Conversation = r.id
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = r.s.PrintJSON(e)
}

// notice tells whoever reads the stream; people read it on standard error.
func (r *reporter) notice(level, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if r.tell != nil {
		r.tell(level, text)
		return
	}
	if r.format == streamFormat {
		r.emit(event{Type: "notice", Level: level, Text: text})
		return
	}
	r.s.Note("%s", command.Printable(text))
}

// line is the line of an event; there is none of what only serves the eye.
func (r *reporter) line(e agent.Event) (event, bool) {
	switch e := e.(type) {
	case agent.Said:
		return event{Type: "text", Delta: e.Text}, e.Text != ""
	case agent.Thought:
		return event{Type: "thinking", Delta: e.Text}, e.Text != ""
	case agent.Calling:
		return event{Type: "call", ID: e.ID, Tool: e.Name, Arguments: argumentsOf(e.Args)}, true
	case agent.Progress:
		delta := news(r.printed[e.ID], e.Message)
		r.printed[e.ID] = e.Message
		return event{Type: "output", ID: e.ID, Delta: delta}, delta != ""
	case agent.Called:
		delete(r.printed, e.ID)
		ok, changes := e.Result.Err == nil, append([]changed{}, changesOf(e.Result)...)
		return event{Type: "result", ID: e.ID, OK: &ok, Text: e.Result.Text(), Changes: &changes}, true
	case agent.Turn:
		u := usageOf(e.Usage)
		return event{Type: "turn", N: e.Number, Usage: &u}, true
	case agent.Again:
		const again = "the answer is asked for again in %s, try %d of %d; its text so far does not count: %v"
		text := fmt.Sprintf(again, e.Wait.Round(tenth), e.Try, e.Of, e.Err)
		return event{Type: "notice", Level: "warning", Text: text}, true
	case agent.Left:
		return event{Type: "notice", Level: "info", Text: "the plan is approved: " + e.Plan}, true
	case agent.Switched:
		text := fmt.Sprintf("%s is down, %s answers from now on: %v", e.From, e.To, e.Err)
		return event{Type: "notice", Level: "warning", Text: text}, true
	case agent.Compacted:
		text := fmt.Sprintf("older messages were summed up: %d are %d now", e.Before, e.After)
		return event{Type: "notice", Level: "info", Text: text}, true
	}
	return event{}, false
}

// news is what is new in the last lines of a call's output, which were others before.
func news(before, now string) string {
	for from := range len(before) + 1 {
		if rest, ok := strings.CutPrefix(now, before[from:]); ok {
			return rest
		}
	}
	return now
}

// undoShown is how many calls a person is told of: helve history has them all.
const undoShown = 5

// undoLine says how what a run changed is taken back.
func undoLine(undo []string) string {
	var names []string
	for i, id := range slices.Backward(undo) {
		if len(names) == undoShown {
			return strings.Join(names, ", ") + fmt.Sprintf(" and %d more: helve history", i+1)
		}
		names = append(names, "helve undo "+id)
	}
	return strings.Join(names, ", ")
}

// An ending is how a run, or the answer to one prompt, came to its end.
type ending struct {
	*agent.Outcome
	structured json.RawMessage // the answer, where it was to be JSON
	err        error           // nil: it came to its end
}

// interrupted tells that somebody stopped it; the exit status says so to people.
func (e ending) interrupted() bool { return errors.Is(e.err, context.Canceled) }

// done is the object behind the answer to one prompt of an input stream.
func (r *reporter) done(e ending) {
	r.turns += e.Turns
	r.used.Add(e.Usage)
	out := r.outcome("done", e, &r.now, e.Turns, e.Usage)
	r.whole.plus(&r.now)
	r.now = tally{}
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = r.s.PrintJSON(out)
}

// end says how the run ended. last is the answer to the last prompt; it was told by done before where done is true.
func (r *reporter) end(last ending, done bool) {
	if r.display != nil {
		r.display.Close() // what follows must not be drawn over
	}
	turns, used := last.Turns, last.Usage
	if done {
		turns, used = r.turns, r.used
	}
	r.whole.plus(&r.now)
	r.now = tally{}
	r.sayWhy(last)
	if r.whole.unasked > 0 {
		r.s.Say("run: %s refused, as nobody can be asked here\nhint: --yes grants what would be asked",
			display.Count(r.whole.unasked, "call"))
	}
	if r.display == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		_ = r.s.PrintJSON(r.outcome("end", last, &r.whole, turns, used))
		return
	}
	if undo := r.whole.undo; len(undo) > 0 {
		r.s.Note("%s changed files; to take them back, the newest first: %s",
			display.Count(len(undo), "call"), undoLine(undo))
	}
	if done := r.whole.summary(); done != "" {
		r.s.Note("by the record: %s", done)
	}
	took := time.Since(r.began).Round(tenth)
	read := display.Count(used.Input, "token")
	// A run of no time at all reads like a mistake.
	r.s.Note("%s in %s, %s read, %d written; go on with --resume %s",
		display.Count(turns, "turn"), max(took, tenth), read, used.Output, r.id)
}

// sayWhy says to people why a run ended before it was done.
func (r *reporter) sayWhy(e ending) {
	switch {
	case e.interrupted():
	case e.err != nil:
		r.s.Say("run: %s", command.Printable(e.err.Error()))
		if hint := nextStep(e.err, r.model, r.id); hint != "" {
			r.s.Say("hint: %s", hint)
		}
	case e.Stop == agent.Repeated:
		r.s.Say("run: stopped before it was done: %s", command.Printable(e.Reason))
		r.s.Say("hint: say what it should do instead: --resume %s", r.id)
	case e.Stop != agent.Done:
		r.s.Say("run: stopped before it was done: %s", e.Stop)
	}
}

// outcome is the object that both formats end with.
func (r *reporter) outcome(kind string, e ending, t *tally, turns int, used agent.Usage) outcome {
	out := outcome{
		Type:         kind,
		Version:      contractVersion,
		Conversation: r.id,
		Result:       e.Text,
		Structured:   e.structured,
		Stop:         stopWord(e.Stop),
		Turns:        turns,
		Usage:        usageOf(used),
		Model:        r.model,
		Mode:         r.mode,
		Changes:      append([]changed{}, t.changes...),
		Undo:         append([]string{}, t.undo...),
		Calls:        t.calls,
		Tests:        t.tests,
	}
	switch {
	case e.interrupted():
		out.Stop = "interrupted"
		out.Error = &failed{Type: "interrupted", Message: "interrupted"}
	case e.err != nil:
		out.Stop = "error"
		out.Error = &failed{errorType(e.err), e.err.Error(), nextStep(e.err, r.model, r.id)}
	case e.Stop == agent.Repeated:
		out.Error = &failed{"loop", e.Reason, "say what it should do instead: --resume " + r.id}
	}
	return out
}

// errorType is the kind of an error for programs.
func errorType(err error) string {
	refused, ok := errors.AsType[*agent.ServerError](err)
	switch {
	case errors.Is(err, errUnstructured):
		return "structured"
	case errors.Is(err, agent.ErrUnreachable):
		return "unreachable"
	case errors.Is(err, agent.ErrBroken):
		return "broken"
	case !ok:
		return "failed"
	case refused.Status == 401, refused.Status == 403:
		return "key"
	case refused.Status == 402, refused.Status == 429:
		return "limit"
	}
	return "provider"
}
