package serve

import (
	"bytes"
	"context"
	"encoding/json"

	"helve/cmd/internal/command"
	"helve/server/console"
	"helve/wrap"
)

// shownFirst is how many of the last calls on record a console begins with.
const shownFirst = 100

// followRecord shows the calls that other processes put on record, such as a server on stdin and stdout, until ctx is
// done. Those of the console's own person it knows already.
func followRecord(ctx context.Context, s command.Streams, hub *console.Hub) {
	var last [][]byte // of what was kept before
	live := false
	show := func(line []byte) {
		var r wrap.Record
		if json.Unmarshal(line, &r) == nil && r.Principal != "console" && r.Outcome != "need" {
			hub.Recorded(pastOf(&r))
		}
	}
	err := s.Records().Follow(ctx, func(line []byte) bool {
		if live {
			show(line)
			return ctx.Err() == nil
		}
		if len(last) == shownFirst {
			last = append(last[:0], last[1:]...)
		}
		last = append(last, bytes.Clone(line))
		return ctx.Err() == nil
	}, func() {
		for _, line := range last {
			show(line)
		}
		live, last = true, nil
	})
	if err != nil && ctx.Err() == nil {
		s.Note("the record of calls cannot be followed: %s", command.Printable(err.Error()))
	}
}

// pastOf is a record as a page shows it.
func pastOf(r *wrap.Record) console.Past {
	p := console.Past{
		Time:      r.Time,
		Name:      r.Name,
		Title:     r.Title,
		Parent:    r.Parent,
		Family:    r.Family,
		Session:   r.Session,
		Principal: r.Principal,
		Effects:   r.Effects,
		Approver:  r.Approver,
		Took:      r.Duration,
		Waited:    r.Asked,
		In:        r.In,
		Out:       r.Out,
		Message:   r.Error,
		State:     endOf(r.Outcome),
	}
	if p.State != console.Done {
		p.Error = r.Outcome
	}
	if r.Origin != nil {
		p.Source = r.Origin.Source()
	}
	if v := r.Verdict; v != nil {
		p.Verdict, p.Why = v.Decision.String(), v.Reason
	}
	return p
}

// endOf is how a call ended, by the word of its record.
func endOf(outcome string) console.State {
	switch outcome {
	case "ok":
		return console.Done
	case "permission_error":
		return console.Refused
	case "stopped", "cancelled":
		return console.Stopped
	}
	return console.Failed
}
