package workspace

import (
	"encoding/json"
	"time"

	"helve/source/upstream"
	"helve/tool"
	"helve/wrap"
)

// asked puts a question of an MCP server on record, beside the calls: who was asked what, and what the client said. The
// name is the question's method, the title its text.
func (w *Assembly) asked(q upstream.Question) {
	r := wrap.Record{
		Time:      q.Began.UTC(),
		Principal: "local",
		Name:      q.Method,
		Origin:    &tool.Origin{Kind: tool.MCP, Server: q.Server, Name: q.Method},
		Title:     q.Text,
		Outcome:   q.Outcome,
		Duration:  float64(q.Took.Round(time.Microsecond).Microseconds()) / 1000,
	}
	if q.Session != nil {
		r.Session, r.Principal = q.Session.ID, q.Session.Principal
	}
	if err := w.Note(r); err != nil {
		w.o.Log.Error("the record of what servers ask cannot be kept: " + err.Error())
	}
}

// Note puts something on record that is no call, such as a switch that a person set. It stands among the calls.
func (w *Assembly) Note(r wrap.Record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return w.record(line)
}
