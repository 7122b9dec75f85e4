package agent

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"helve/engine/dialect"
	"helve/tool"
)

// An entry is one line of a session log.
type entry struct {
	Type  string `json:"type"` // start user assistant result mode compact end
	Model string `json:"model,omitempty"`
	Mode  string `json:"mode,omitempty"`
	Text  string `json:"text,omitempty"`
	*Assistant
	Answer   *dialect.Answer `json:"answer,omitempty"`
	Tool     string          `json:"tool,omitempty"`
	Repairs  []string        `json:"repairs,omitempty"`  // what of a call's arguments was mended
	Messages []entry         `json:"messages,omitempty"` // of compact
	Stop     Stop            `json:"stop,omitempty"`
	Usage    *Usage          `json:"usage,omitempty"`
	Error    string          `json:"error,omitempty"`
}

// maxLine bounds a line of a log: a result with pictures, encoded.
const maxLine = 64 << 20

// record writes a line. The first failure is kept and told at the end of the run: it must not cost a conversation.
func (a *Agent) record(e entry) {
	if a.Log == nil || a.logErr != nil {
		return
	}
	b, err := json.Marshal(e)
	if err == nil {
		_, err = a.Log.Write(append(b, '\n'))
	}
	if err != nil {
		a.logErr = fmt.Errorf("session log: %w", err)
	}
}

// MarshalJSON writes text at its own place: an embedded message has one, too.
func (e entry) MarshalJSON() ([]byte, error) {
	type plain entry
	if e.Assistant != nil && e.Text == "" {
		e.Text = e.Assistant.Text
	}
	return json.Marshal(plain(e))
}

// A Log is a conversation as it was recorded.
type Log struct {
	Messages []Message
	Left     bool     // plan mode was left
	Replies  []*Reply // every answer of the model, in order, those that were compacted away included
	Prompts  []string // what the person said, likewise
	Model    string
}

// Read reads a session log. A last line that is cut off, as by a crash, is left out; calls without an answer get one
// that says so.
func Read(r io.Reader) (*Log, error) {
	out := &Log{}
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, maxLine)
	for n := 1; sc.Scan(); n++ {
		var e entry
		if err := json.Unmarshal(sc.Bytes(), &e); err != nil {
			if !sc.Scan() && sc.Err() == nil {
				break
			}
			return nil, fmt.Errorf("session log: line %d: %w", n, err)
		}
		out.add(e)
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("session log: %w", err)
	}
	out.settle()
	return out, nil
}

func (l *Log) add(e entry) {
	switch e.Type {
	case "start":
		l.Model = e.Model
	case "mode":
		l.Left = true
	case "user":
		l.settle()
		l.Prompts = append(l.Prompts, e.Text)
		l.Messages = append(l.Messages, User{e.Text})
	case "assistant":
		m := e.assistant()
		l.Messages = append(l.Messages, m)
		reply := &Reply{Assistant: m, Stop: e.Stop}
		if e.Usage != nil {
			reply.Usage = *e.Usage
		}
		l.Replies = append(l.Replies, reply)
	case "result":
		l.answer(e.Answer)
	case "compact":
		l.Messages = nil
		for _, m := range e.Messages {
			l.plain(m)
		}
	}
}

func (e entry) assistant() Assistant {
	if e.Assistant == nil {
		return Assistant{Text: e.Text}
	}
	m := *e.Assistant
	m.Text = e.Text
	return m
}

func (l *Log) plain(e entry) {
	switch e.Type {
	case "user":
		l.Messages = append(l.Messages, User{e.Text})
	case "assistant":
		l.Messages = append(l.Messages, e.assistant())
	case "result":
		l.answer(e.Answer)
	}
}

func (l *Log) answer(a *dialect.Answer) {
	if a == nil {
		return
	}
	if n := len(l.Messages); n > 0 {
		if r, ok := l.Messages[n-1].(Results); ok {
			l.Messages[n-1] = Results{append(r.Answers, *a)}
			return
		}
	}
	l.Messages = append(l.Messages, Results{[]dialect.Answer{*a}})
}

// settle answers the calls that a crash left open: providers refuse a conversation with any.
func (l *Log) settle() {
	open := map[string]Call{}
	var order []string
	for _, m := range l.Messages {
		switch m := m.(type) {
		case Assistant:
			for _, c := range m.Calls {
				open[c.ID] = c
				order = append(order, c.ID)
			}
		case Results:
			for _, a := range m.Answers {
				delete(open, a.ID)
			}
		}
	}
	for _, id := range order {
		if c, ok := open[id]; ok {
			delete(open, id)
			lost := tool.ErrorOf(tool.Unknown, c.Name, "the session ended during this call; what it did is not known")
			l.answer(&dialect.Answer{
				ID:     c.ID,
				Name:   c.Name,
				Failed: true,
				Parts:  []dialect.Part{dialect.Text(lost.Text())},
			})
		}
	}
}

// entries are messages as lines.
func entries(messages []Message) []entry {
	var out []entry
	for _, m := range messages {
		switch m := m.(type) {
		case User:
			out = append(out, entry{Type: "user", Text: m.Text})
		case Assistant:
			out = append(out, entry{Type: "assistant", Assistant: &m})
		case Results:
			for i := range m.Answers {
				out = append(out, entry{Type: "result", Answer: &m.Answers[i]})
			}
		}
	}
	return out
}

// Replay is a model that says again what a log holds, in order, whatever it is asked: a session runs a second time
// without a model.
type Replay struct {
	Log *Log
	In  dialect.Dialect // how tools are declared, as by the model that was recorded
	at  int
}

var _ Model = (*Replay)(nil)

// ErrOver says that a replayed session has no further answer.
var ErrOver = errors.New("the recorded session has no further answer")

// Name is replay/ and the recorded model's name.
func (r *Replay) Name() string { return "replay/" + r.Log.Model }

// Dialect is In.
func (r *Replay) Dialect() dialect.Dialect { return r.In }

// Answer is the next recorded reply.
func (r *Replay) Answer(_ context.Context, _ *Request, delta func(Delta)) (*Reply, error) {
	if r.at >= len(r.Log.Replies) {
		return nil, ErrOver
	}
	reply := *r.Log.Replies[r.at]
	r.at++
	delta(Delta{Text: reply.Text})
	return &reply, nil
}
