package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"helve/engine/dialect"
	"helve/tool"
)

// logVersion is that of the log's form. Logs without one are older and of the same form, with less in them.
const logVersion = 1

// An entry is one line of a session log.
type entry struct {
	Type    string          `json:"type"`              // what it tells, as start or user
	Version int             `json:"version,omitempty"` // of start: the log's form
	Watched bool            `json:"watched,omitempty"` // of start: each call that begins has a line began
	Time    time.Time       `json:"time,omitzero"`     // of start, user, began, result and end
	Model   string          `json:"model,omitempty"`
	Mode    string          `json:"mode,omitempty"`
	Text    string          `json:"text,omitempty"`
	Images  []dialect.Media `json:"images,omitempty"` // of user
	*Assistant
	Answer   *dialect.Answer `json:"answer,omitempty"`
	Tool     string          `json:"tool,omitempty"`
	Repairs  []string        `json:"repairs,omitempty"`  // what of a call's arguments was mended
	Messages []entry         `json:"messages,omitempty"` // of compact
	Stop     Stop            `json:"stop,omitempty"`
	Usage    *Usage          `json:"usage,omitempty"`
	Error    string          `json:"error,omitempty"`

	Call  string `json:"call,omitempty"`  // of calling and began: the call's ID
	Reads bool   `json:"reads,omitempty"` // of calling: a tool of our own that only reads
	Began *Began `json:"began,omitempty"`
	State State  `json:"state,omitempty"` // of result: what became of a call that was interrupted
	Undo  string `json:"undo,omitempty"`  // of result: what helve undo takes

	Code tool.Code `json:"code,omitempty"` // of result: what kind of failure it is
	Turn int       `json:"turn,omitempty"` // of back: the last one that counts
}

// Began is what a call was about to do when its job began.
type Began struct {
	Time  time.Time   `json:"time"`
	Kinds []tool.Kind `json:"kinds,omitempty"` // of its effects, each once
	Own   bool        `json:"own,omitempty"`   // it is one of helve's own tools
	Held  bool        `json:"held,omitempty"`  // what its command changes is held back until it ends
	Reads bool        `json:"reads,omitempty"` // its command only looks, and can change nothing
	Calls bool        `json:"calls,omitempty"` // it makes calls itself, as a script does

	// Parent is that of the calls of one draft, which are one undo of that name; "": it is none of them.
	Parent string `json:"parent,omitempty"`
}

// maxLine bounds a line of a log: a result with pictures, encoded.
const maxLine = 64 << 20

// record writes a line. The first failure is kept and told at the end of the run: it must not cost a conversation.
func (a *Agent) record(e entry) {
	if a.Log == nil {
		return
	}
	b, err := json.Marshal(e)
	a.logMu.Lock()
	defer a.logMu.Unlock()
	if a.logErr != nil {
		return
	}
	if err == nil {
		_, err = a.Log.Write(append(b, '\n'))
	}
	if err != nil {
		a.logErr = fmt.Errorf("session log: %w", err)
	}
}

// failedLog is why the log is not whole; nil: it is.
func (a *Agent) failedLog() error {
	a.logMu.Lock()
	defer a.logMu.Unlock()
	return a.logErr
}

// Watch notes in the log what each call is about to do, so that a run which was killed tells what became of the call
// that was under way. It is what tool.KitOptions.Watch takes, for all kits that the agent calls; Watched is to be set
// then.
func (a *Agent) Watch(_ context.Context, e tool.Event) {
	c := e.Job.Call
	if e.Step != tool.Began || c.Session != a.Session {
		return
	}
	if e.Job.Spec.Origin == turnOrigin { // its calls are noted
		return
	}
	id, parent := c.ID, c.Parent
	if _, of, script := strings.Cut(c.Parent, "-"); script { // what it does is the script's doing
		id, parent = of, ""
	}
	began := &Began{
		Parent: parent,
		Time:   time.Now().UTC(),
		Own:    e.Job.Spec.Origin.Kind == tool.Builtin,
		Held:   e.Job.Line != nil && e.Job.Line.Held && !goesOn(c.Args),
		Reads:  e.Job.Line != nil && e.Job.Line.Decision == tool.Allow,
		Calls:  e.Job.Spec.Calls,
	}
	seen := map[tool.Kind]bool{}
	for _, effect := range e.Job.Judged() {
		if !seen[effect.Kind] {
			seen[effect.Kind] = true
			began.Kinds = append(began.Kinds, effect.Kind)
		}
	}
	a.record(entry{Type: "began", Call: id, Tool: e.Job.Spec.Name, Began: began})
}

// MarshalJSON writes text at its own place: an embedded message has one, too.
func (e entry) MarshalJSON() ([]byte, error) {
	type plain entry
	if e.Assistant != nil && e.Text == "" {
		e.Text = e.Assistant.Text
	}
	return json.Marshal(plain(e))
}

// entries are messages as lines.
func entries(messages []Message) []entry {
	var out []entry
	for _, m := range messages {
		switch m := m.(type) {
		case User:
			out = append(out, entry{Type: "user", Text: m.Text, Images: m.Images})
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

// Back is the line of a log by which the conversation goes on behind the turn of that number, from 1: what came after
// it does not count any more.
func Back(turn int) []byte {
	b, _ := json.Marshal(entry{Type: "back", Turn: turn}) // has nothing in it that could not be encoded
	return append(b, '\n')
}
