// Package display shows a person what an agent does while it does it: what the model says, each call with the last
// lines of its output, changes, todo lists, and what is waited for. On a terminal what happens now is drawn below what
// happened; elsewhere there are plain lines of what happened, without control codes. Nothing that it shows steers the
// terminal.
package display

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"helve/agent"
	"helve/cmd/internal/terminal"
	"helve/tool"
)

// Options of a display. Stdout, Terminal and Say are required.
type Options struct {
	Stdout   io.Writer                        // gets what the model says, and nothing else
	Terminal terminal.Terminal                // its Out gets everything else
	Say      func(format string, args ...any) // writes a message of the program to Terminal.Out
	Model    string                           // its name, for what is waited for
	Quiet    bool                             // calls are not shown
	Now      func() time.Time                 // nil: the clock
}

// A Display shows the events of one agent. Its methods are safe for concurrent use.
type Display struct {
	o     Options
	paint terminal.Painter
	live  bool           // Stdout is a terminal: text is shown as it comes
	area  *terminal.Area // nil: nothing moves

	mu       sync.Mutex // held while a question stands on the terminal: nothing else is written then
	text     strings.Builder
	running  []*running           // calls without a result, oldest first
	approved map[string]tool.Diff // by the ID of the call: what the person has seen of it
	asked    time.Time            // since when the model is waited for
	pause    *agent.Again         // that it is not asked yet; nil: it is
}

// A running call has no result yet.
type running struct {
	id, title string
	began     time.Time     // moved on by the time that questions about it took
	report    tool.Progress // the last one
}

// New makes a display. Close it.
func New(o Options) *Display {
	if o.Now == nil {
		o.Now = time.Now
	}
	d := &Display{
		o:        o,
		paint:    o.Terminal.Painter(),
		live:     terminal.Is(o.Stdout),
		approved: map[string]tool.Diff{},
	}
	if terminal.Is(o.Terminal.Out) && !o.Terminal.Plain() && !o.Quiet {
		d.area = &terminal.Area{To: o.Terminal.Out}
	}
	return d
}

// Begin shows that the model is asked.
func (d *Display) Begin() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = d.o.Now()
	d.wait()
}

// Close ends what moves on the terminal, and the line that the model was in.
func (d *Display) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.area.Clear()
	d.endText()
	d.text.Reset()
}

// Pause keeps everything else off the terminal while somebody is asked about a call, until the function that it returns
// is called. The time does not count as the call's. A nil display has nothing on the terminal.
func (d *Display) Pause(id string) (resume func()) {
	if d == nil {
		return func() {}
	}
	d.mu.Lock()
	d.area.Clear()
	began := d.o.Now()
	return func() {
		defer d.mu.Unlock()
		if r := d.call(id); r != nil {
			r.began = r.began.Add(d.o.Now().Sub(began))
		}
		d.wait()
	}
}

// Approved says, during a Pause, that a person approved a call. What they read of it is not shown a second time when it
// is done.
func (d *Display) Approved(q *tool.Question) {
	diff, ok := q.Preview.(tool.Diff)
	if d != nil && ok {
		d.approved[q.Job.Call.ID] = diff
	}
}

// Event shows an event.
func (d *Display) Event(e agent.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if p, ok := e.(agent.Progress); ok { // it prints nothing, so the area may stand
		if r := d.call(p.ID); r != nil {
			r.report = p.Progress
			d.wait()
		}
		return
	}
	d.area.Clear()
	d.show(e)
	d.wait()
}

// call is the running one of that ID.
func (d *Display) call(id string) *running {
	for _, r := range d.running {
		if r.id == id {
			return r
		}
	}
	return nil
}

func (d *Display) show(e agent.Event) {
	switch e := e.(type) {
	case agent.Said:
		d.pause = nil
		if d.live {
			fmt.Fprint(d.o.Stdout, terminal.Text(e.Text))
		}
		d.text.WriteString(e.Text)
	case agent.Again:
		d.endText()
		d.text.Reset()
		d.pause, d.asked = &e, d.o.Now()
		d.o.Say("%s", terminal.Text(e.Err.Error()))
		d.o.Say("%s", waitingWords(e.Wait, &e))
	case agent.Turn:
		d.pause = nil
		d.turn()
	case agent.Calling:
		title := terminal.Text(brief(e.Name + " " + e.Args))
		d.running = append(d.running, &running{id: e.ID, title: title, began: d.o.Now()})
	case agent.Called:
		d.called(e)
	case agent.Left:
		d.o.Say("plan approved")
	case agent.Compacted:
		d.o.Say("the conversation was summed up: %s became %d", Count(e.Before, "message"), e.After)
	}
}

// endText ends the line of an answer that is on the terminal already.
func (d *Display) endText() {
	if d.live && d.text.Len() > 0 {
		fmt.Fprintln(d.o.Stdout)
	}
}

// turn ends the text of an answer with a line end.
func (d *Display) turn() {
	text := d.text.String()
	switch {
	case d.live:
		d.endText()
	case text != "":
		fmt.Fprintln(d.o.Stdout, strings.TrimRight(text, "\n"))
	}
	d.text.Reset()
}

// called shows a call with its result, as short as serves.
func (d *Display) called(e agent.Called) {
	took := time.Duration(0)
	if r := d.call(e.ID); r != nil {
		took = d.o.Now().Sub(r.began)
	}
	d.running = slices.DeleteFunc(d.running, func(r *running) bool { return r.id == e.ID })
	if len(d.running) == 0 {
		d.asked = d.o.Now()
	}
	shown, seen := d.approved[e.ID]
	delete(d.approved, e.ID)
	if d.o.Quiet {
		return
	}
	fmt.Fprintln(d.o.Terminal.Out, d.headline(e, took))
	switch view := e.Result.Display.(type) {
	case tool.Diff:
		if !seen || !same(shown, view) {
			d.print(d.changes(view))
		}
		return
	case tool.Todos:
		d.print(todos(view))
		return
	}
	if job := e.Result.Job; job != nil && job.Spec.Kind == tool.Exec {
		d.print(d.output(e.Result))
	}
}

// print prints the lines below a call.
func (d *Display) print(lines []string) {
	for _, l := range lines {
		fmt.Fprintln(d.o.Terminal.Out, indent+l)
	}
}

// same tells whether a change is the one that was approved, and so was read.
func same(shown, done tool.Diff) bool {
	return shown.Path == done.Path && shown.Added == done.Added && shown.Removed == done.Removed
}

// wait shows what is waited for: the oldest call, or the model. Text on its way shows that by itself, and a line that
// is not ended must not be drawn over.
func (d *Display) wait() {
	switch {
	case d.area == nil:
	case len(d.running) > 0:
		d.area.Show(d.callView(*d.running[0], len(d.running)-1))
	case d.live && d.text.Len() > 0:
	default:
		d.area.Show(d.modelView())
	}
}
