package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"helve/engine/dialect"
	"helve/tool"
	"helve/tool/telemetry"
)

// An Agent is a model with a kit. Model and Kit are required, the rest may be zero. Run may be called again: the
// conversation goes on. It is used by one goroutine at a time.
type Agent struct {
	Model   Model
	Kit     *tool.Kit
	Session *tool.Session // what the calls share; nil: they share nothing
	Dir     string        // for relative paths; "" means the session's first root
	System  string        // what the model is told first

	// ScriptsFrom is how many other tools must be listed until one that calls tools itself, such as run_script, is
	// declared: with few tools it costs more than it spares. What is not declared can be called all the same, and
	// nothing has the model call it. 0: 24, which the built-in tools alone are not; negative: it always is.
	ScriptsFrom int

	// Draft begins a draft for the calls of one reply, where a reply has several that may change something: reads see
	// it, its commands run in it, and at the end of the reply whoever the kit asks is asked once, with one difference. A
	// yes is one change with one undo, a no drops it, and the results that the model reads say what became of each call.
	// It is for kits of mode review: see helve.TurnDraft. nil, or an error: each call is asked about by itself.
	Draft func(ctx context.Context, c *tool.Call) (Draft, error)

	Plan    *Plan     // not nil: start in plan mode
	Limits  Limits    // zero fields mean the defaults
	Compact Compactor // nil: nothing is ever replaced

	// Fallback are the models that the run goes on with, in this order, where Model is down: it cannot be reached, or
	// failed three times, or as often as Limits.Retries says. Model and Fallback change then.
	Fallback []Model

	// Telemetry is told of each run and of each request to the model. nil: nobody is.
	Telemetry telemetry.Provider

	Listen func(Event) // called by one goroutine at a time; nil: nobody listens
	Log    io.Writer   // the session log, JSON lines; see Read. nil: none

	// Watched says that Watch is told of what the kits' calls do: the log then tells of a call that was interrupted
	// whether it had begun.
	Watched bool

	History []Message // the conversation so far; Run adds to it

	memory dialect.Memory
	left   bool  // plan mode was left
	size   int64 // tokens of the conversation, as the model last counted them
	mu     sync.Mutex
	logMu  sync.Mutex // calls side by side write to the log
	logErr error
	settle []entry // how the calls were answered that the log before left open
}

// Limits end a run.
type Limits struct {
	Turns     int           // answers of the model; 0: 100
	Tokens    int64         // read and written; 0: no limit
	Time      time.Duration // 0: no limit
	MaxTokens int           // of one answer; 0: the model's own
	Parallel  int           // calls side by side; 0: 8
	CompactAt int64         // tokens of input above which Compact is called; 0: 100,000
	Retries   int           // how often one answer is asked for again; 0: 3, negative: never
	Backoff   time.Duration // before the first retry, doubled for each further one; 0: half a second
}

const (
	defaultTurns     = 100
	defaultParallel  = 8 // more reads at once than this gain nothing on a laptop
	defaultCompactAt = 100_000
	defaultRetries   = 3
	defaultScripts   = 24
	defaultBackoff   = 500 * time.Millisecond
	maxBackoff       = time.Minute // a server that wants to be left alone for longer is not worth waiting for
	triesBeforeNext  = 3           // of a model that is down, where another one can answer
	maxCut           = 8           // of one answer; who goes on for longer writes without end
	maxCalls         = 128         // of one answer; more is a model gone wrong
)

// CompactsAt is how many tokens of input a conversation has before it is compacted.
func CompactsAt(l Limits) int64 { return cmp.Or(l.CompactAt, defaultCompactAt) }

func (l Limits) whole() Limits {
	or := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	or(&l.Turns, defaultTurns)
	or(&l.Parallel, defaultParallel)
	or(&l.Retries, defaultRetries)
	l.CompactAt = CompactsAt(l)
	if l.Backoff == 0 {
		l.Backoff = defaultBackoff
	}
	return l
}

// A Compactor replaces a conversation that has become long by a shorter one. The last message must stay the last, and
// answers must keep the calls that they answer.
type Compactor func(ctx context.Context, m Model, messages []Message) ([]Message, error)

// An Outcome is how a run ended.
type Outcome struct {
	Text   string // the model's last words
	Stop   Stop
	Reason string // with Repeated: which call, and how it failed
	Turns  int
	Usage  Usage

	cut int // how often the last words were cut off by their length, and went on
}

// Run says prompt to the model and goes on until the model has nothing more to call. The outcome is there beside an
// error, too. The error is ctx's, the model's, or that of an approval that could not be asked.
func (a *Agent) Run(ctx context.Context, prompt string) (*Outcome, error) {
	return a.Show(ctx, User{Text: prompt})
}

// Show is Run with pictures beside the prompt.
func (a *Agent) Show(ctx context.Context, prompt User) (*Outcome, error) {
	if a.Model == nil || a.Kit == nil {
		return &Outcome{Stop: Failed}, errIncomplete
	}
	if a.Telemetry == nil {
		return a.run(ctx, prompt)
	}
	ctx, end := telemetry.Agent(ctx, a.Telemetry)
	failed := "panic"
	defer func() { end(failed) }()
	out, err := a.run(ctx, prompt)
	failed = failure(err)
	return out, err
}

func (a *Agent) run(ctx context.Context, prompt User) (*Outcome, error) {
	l := a.Limits.whole()
	inner, cancel := ctx, context.CancelFunc(func() {})
	if l.Time > 0 {
		inner, cancel = context.WithTimeout(ctx, l.Time)
	}
	defer cancel()
	a.record(entry{
		Type:    "start",
		Version: logVersion,
		Watched: a.Watched,
		Time:    time.Now().UTC(),
		Model:   a.Model.Name(),
		Mode:    a.mode(),
	})
	for _, e := range a.settle {
		a.record(e)
	}
	a.settle = nil
	a.say(prompt)
	out := &Outcome{Stop: Failed}
	g := guard{}
	var err error
	for err == nil && out.Stop == Failed {
		err = a.turn(inner, l, out, g)
	}
	if err != nil && l.Time > 0 && ctx.Err() == nil && errors.Is(inner.Err(), context.DeadlineExceeded) {
		out.Stop, err = Time, nil
	}
	a.record(entry{Type: "end", Time: time.Now().UTC(), Stop: out.Stop, Usage: &out.Usage, Error: message(err)})
	if err == nil {
		err = a.failedLog()
	}
	return out, err
}

var errIncomplete = errors.New("agent: Model and Kit are required")

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// opener is what begins drafts, where plans are no matter.
func (a *Agent) opener() func(context.Context, *tool.Call) (Draft, error) {
	if a.planning() {
		return nil
	}
	return a.Draft
}

// turn is one answer and its calls. It sets out.Stop when the run is over.
func (a *Agent) turn(ctx context.Context, l Limits, out *Outcome, g guard) error {
	if out.Turns == l.Turns {
		out.Stop = Turns
		return nil
	}
	if err := a.compact(ctx, l, out); err != nil {
		return err
	}
	kit, open := a.kit(), a.opener()
	view := kit.View()
	set := a.memory.Declare(a.Model.Dialect(), a.tools(view), dialect.Options{Cache: true})
	request := &Request{System: a.system(), Messages: a.History, Tools: set, MaxTokens: l.MaxTokens}
	reply, err := a.model(l).Answer(ctx, request, a.delta)
	if err != nil && ctx.Err() == nil && a.fallBack(err) {
		return nil // the next turn asks again; no call of this one has run
	}
	if err != nil {
		return err
	}
	out.Turns++
	out.Usage.Add(reply.Usage)
	out.said(reply)
	distinct(&reply.Assistant)
	a.History = append(a.History, reply.Assistant)
	a.record(entry{Type: "assistant", Assistant: &reply.Assistant, Usage: &reply.Usage, Stop: reply.Stop})
	a.emit(Turn{out.Turns, reply.Usage, reply.Stop})
	a.lastInput(reply.Usage)
	if len(reply.Calls) == 0 {
		a.silent(reply, l, out)
		return nil
	}
	answers, err := a.runAll(ctx, l, a.joint(kit, open), set, reply, g)
	a.History = append(a.History, Results{answers})
	switch {
	case err != nil:
		return err
	case g.over() != "":
		out.Stop, out.Reason = Repeated, g.over()
	case l.spent(out):
		out.Stop = Tokens
	}
	return nil
}

// said adds an answer to the last words, where it goes on with them, or has it be the last words.
func (o *Outcome) said(reply *Reply) {
	if o.cut == 0 {
		o.Text = ""
	}
	o.Text += reply.Text
	if reply.Stop != Length || len(reply.Calls) > 0 {
		o.cut = 0
	}
}

// goOn is what a model is told whose words were cut off.
const goOn = "Your answer was cut off by its length limit. Go on exactly where it stopped, without repeating anything."

// silent ends the run at an answer that calls nothing, unless its words were cut off by their length.
func (a *Agent) silent(reply *Reply, l Limits, out *Outcome) {
	switch {
	case reply.Stop == Length && out.cut < maxCut && !l.spent(out):
		out.cut++
		a.History = append(a.History, User{Text: goOn})
		a.record(entry{Type: "go_on", Text: goOn})
	case reply.Stop == Length, reply.Stop == Refused:
		out.Stop = reply.Stop
	default:
		out.Stop = Done
	}
}

// spent tells that no more tokens may be read or written.
func (l Limits) spent(out *Outcome) bool {
	return l.Tokens > 0 && out.Usage.Input+out.Usage.Output >= l.Tokens
}

// fallBack has the next model asked from now on where this one is down; false: it is not, or there is none.
func (a *Agent) fallBack(err error) bool {
	_, busy := errors.AsType[*Transient](err)
	if len(a.Fallback) == 0 || !busy && !errors.Is(err, ErrUnreachable) {
		return false
	}
	from := a.Model.Name()
	a.Model, a.Fallback = a.Fallback[0], a.Fallback[1:]
	a.emit(Switched{From: from, To: a.Model.Name(), Err: err})
	return true
}

// distinct gives every call an id of its own: answers could not be told apart otherwise. The provider's own form is
// dropped if something had to change.
func distinct(m *Assistant) {
	seen := map[string]bool{}
	for i := range m.Calls {
		id, base, n := m.Calls[i].ID, m.Calls[i].ID, 2
		if id == "" {
			base, n = "call", 1
		}
		for ; id == "" || seen[id]; n++ {
			id = fmt.Sprintf("%s_%d", base, n)
		}
		if id != m.Calls[i].ID {
			m.Calls[i].ID = id
			m.Native = nil
		}
		seen[id] = true
	}
}

// model is the agent's, asked again where it cannot answer for now. No call of its answer has run then.
func (a *Agent) model(l Limits) Model {
	m := a.Model
	if a.Telemetry != nil {
		m = traced{m, a.Telemetry}
	}
	if len(a.Fallback) > 0 && l.Retries > triesBeforeNext-1 {
		l.Retries = triesBeforeNext - 1
	}
	return Patient(m, l, func(again Again) { a.emit(again) })
}

func (a *Agent) delta(d Delta) {
	if d.Thinking != "" {
		a.emit(Thought{d.Thinking})
	}
	if d.Text != "" {
		a.emit(Said{d.Text})
	}
}

func (a *Agent) emit(e Event) {
	if a.Listen == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.Listen(e)
}

func (a *Agent) say(u User) {
	a.History = append(a.History, u)
	a.record(entry{Type: "user", Time: time.Now().UTC(), Text: u.Text, Images: u.Images})
}

// Resume goes on with a conversation that was recorded. Call it before Run.
func (a *Agent) Resume(l *Log) {
	a.History = l.Messages
	a.left = l.Left
	a.settle = l.settled
}
