package run

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"helve/agent"
	"helve/cmd/internal/asking"
	"helve/tool"
)

const (
	// maxInput bounds a line of input, in bytes: as much as one of the log.
	maxInput = 64 << 20
	// maxWaiting bounds the prompts that wait while another one is answered.
	maxWaiting = 100
)

// A message is a line of input of an input stream.
type message struct {
	Type     string `json:"type"` // prompt, answer, cancel or end
	Text     string `json:"text"`
	Question string `json:"question"`
	Option   string `json:"option"`
	Words    string `json:"words"`
	Call     string `json:"call"`

	Images []picture `json:"images"`
}

// An inbox reads an input stream: prompts wait in it, answers go to the questions that wait for them.
type inbox struct {
	prompts chan message
	notice  func(level, format string, args ...any)

	mu        sync.Mutex
	questions map[string]chan message
	stopTurn  context.CancelFunc // of the prompt that is answered; nil: none is
	calls     map[string]*stoppable
	closed    bool
}

// A stoppable is a call that was told to whoever reads the stream.
type stoppable struct {
	stop    context.CancelFunc // nil: it has not begun
	stopped bool
}

func newInbox(notice func(level, format string, args ...any)) *inbox {
	return &inbox{
		prompts:   make(chan message, maxWaiting),
		notice:    notice,
		questions: map[string]chan message{},
		calls:     map[string]*stoppable{},
	}
}

// read takes lines until the stream ends, in a goroutine of its own: one that waits for a line which never comes ends
// with the process.
func (in *inbox) read(from io.Reader) {
	defer in.close()
	sc := bufio.NewScanner(from)
	sc.Buffer(nil, maxInput)
	for sc.Scan() {
		var m message
		if err := json.Unmarshal(sc.Bytes(), &m); err != nil {
			if len(sc.Bytes()) > 0 {
				in.notice("error", "this line of input is no JSON object: %.200q", sc.Text())
			}
			continue
		}
		if m.Type == "end" {
			return
		}
		in.take(m)
	}
	if err := sc.Err(); err != nil {
		in.notice("error", "the input cannot be read any more: %v", err)
	}
}

func (in *inbox) take(m message) {
	switch m.Type {
	case "prompt":
		select {
		case in.prompts <- m:
		default:
			in.notice("error", "%d prompts are waiting: this one is left out", maxWaiting)
		}
	case "answer":
		in.answer(m)
	case "cancel":
		in.cancel(m)
	default:
		in.notice("warning", "a message of type %.80q is not known: want prompt, answer, cancel or end", m.Type)
	}
}

// close has no more prompts come, and questions that wait stay unanswered.
func (in *inbox) close() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.closed = true
	close(in.prompts)
	for id, to := range in.questions {
		close(to)
		delete(in.questions, id)
	}
}

func (in *inbox) answer(m message) {
	in.mu.Lock()
	defer in.mu.Unlock()
	to := in.questions[m.Question]
	if to == nil {
		in.notice("warning", "no question %.80q waits for an answer", m.Question)
		return
	}
	delete(in.questions, m.Question)
	to <- m // it has room for one
}

// cancel stops a call, or without one the whole answer.
func (in *inbox) cancel(m message) {
	in.mu.Lock()
	defer in.mu.Unlock()
	c := in.calls[m.Call]
	switch {
	case m.Call == "" && in.stopTurn != nil:
		in.stopTurn()
	case c == nil:
		in.notice("warning", "nothing of that name is under way: %.80q", m.Call)
	default:
		c.stopped = true
		if c.stop != nil {
			c.stop()
		}
	}
}

// listen notes which calls can be cancelled: from when they are told on, which is before they begin.
func (in *inbox) listen(e agent.Event) {
	in.mu.Lock()
	defer in.mu.Unlock()
	switch e := e.(type) {
	case agent.Calling:
		in.calls[e.ID] = &stoppable{}
	case agent.Called:
		delete(in.calls, e.ID)
	}
}

// answering notes how the answer to the prompt is stopped; nil: none is under way.
func (in *inbox) answering(stop context.CancelFunc) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.stopTurn = stop
}

// wait asks a question and waits for the answer. ok is false where none will come.
func (in *inbox) wait(ctx context.Context, id string, ask func()) (m message, ok bool, err error) {
	to := make(chan message, 1)
	in.mu.Lock()
	if in.closed {
		in.mu.Unlock()
		return m, false, nil
	}
	in.questions[id] = to // before it is asked: the answer may be quick
	in.mu.Unlock()
	ask()
	select {
	case m, ok = <-to:
		return m, ok, nil
	case <-ctx.Done():
		in.mu.Lock()
		defer in.mu.Unlock()
		delete(in.questions, id)
		return m, false, ctx.Err()
	}
}

// around lets single calls be cancelled: the model is told, and goes on.
func (in *inbox) around(next tool.Caller) tool.Caller {
	return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
		inner, stop := context.WithCancel(ctx)
		defer stop()
		in.begins(c.ID, stop)
		res, err := next(inner, c)
		if err == nil || ctx.Err() != nil || inner.Err() == nil {
			return res, err
		}
		if res == nil {
			res = tool.Fail(tool.ErrorOf(tool.Cancelled, c.Name, "cancelled by the person"))
		}
		return res, nil
	}
}

// begins notes how a call is stopped, and stops one that was cancelled before. Calls that calls make are not told.
func (in *inbox) begins(id string, stop context.CancelFunc) {
	in.mu.Lock()
	defer in.mu.Unlock()
	c := in.calls[id]
	if c == nil {
		return
	}
	c.stop = stop
	if c.stopped {
		stop()
	}
}

// The answers that a question takes.
const (
	optionNo      = "no"
	optionYes     = "yes"
	optionSession = "session"
)

// A questioner asks whoever is at the other end of the stream.
type questioner struct {
	in   *inbox
	emit func(event)
	n    atomic.Int64
}

// ask asks about a call.
func (a *questioner) ask(ctx context.Context, q *tool.Question) (tool.Answer, error) {
	e := event{Call: q.Job.Call.ID, Title: q.Job.Title, Reason: q.Verdict.Why()}
	if q.Preview != nil {
		e.Preview = q.Preview.String()
	}
	more := option{optionSession, "Yes, for this run"}
	if q.Late { // another time it is another thing
		return a.put(ctx, e)
	}
	return a.put(ctx, e, more)
}

// plan asks whether a plan may be carried out.
func (a *questioner) plan(ctx context.Context, plan string) (tool.Answer, error) {
	return a.put(ctx, event{Title: "The plan", Preview: plan, Reason: "Carry it out?"})
}

// memory asks about files that would instruct the model.
func (a *questioner) memory(ctx context.Context, q *asking.MemoryQuestion) (tool.Answer, error) {
	e := event{Title: q.Title, Preview: q.Preview, Reason: q.Ask}
	e.Options = []option{{optionNo, "No"}, {optionYes, "Yes, until they change"}}
	return a.put(ctx, e)
}

func (a *questioner) put(ctx context.Context, e event, more ...option) (tool.Answer, error) {
	e.Type, e.ID = "question", fmt.Sprint("q", a.n.Add(1))
	if e.Options == nil {
		e.Options = append([]option{{optionNo, "No"}, {optionYes, "Yes, once"}}, more...)
	}
	m, ok, err := a.in.wait(ctx, e.ID, func() { a.emit(e) })
	if err != nil {
		return tool.Answer{}, err
	}
	if !ok {
		return tool.Answer{Unasked: true, Note: "The input stream has ended."}, nil
	}
	known := slices.ContainsFunc(e.Options, func(o option) bool { return o.ID == m.Option })
	if !known {
		a.in.notice("warning", "%.80q is no option of the question %s: taken for a no", m.Option, e.ID)
	}
	answer := tool.Answer{Note: m.Words, By: tool.Approver{Kind: tool.ByPerson, Via: "stream"}}
	answer.Yes = known && m.Option != optionNo
	if answer.Yes && m.Option == optionSession {
		answer.For = tool.ThisSession
	}
	return answer, nil
}
