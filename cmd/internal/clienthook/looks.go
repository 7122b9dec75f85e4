package clienthook

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"helve/internal/ticket"
	"helve/tool"
	"helve/wrap"
)

// In a sandbox of the client's own helve exec can neither hold back what a line changes nor put it on record. The hook,
// which runs outside of it, looks at the workspace before, and after when the client says that the line has ended, or
// at the next event. helve exec holds a lock meanwhile, and says how the line ended.

// lookTime bounds how long a hook looks at the workspace before a line, and after it: the rest of its time is for the
// verdict. A look that takes longer is given up, and the record says so.
const lookTime = 2500 * time.Millisecond

// A lookedAt is what the hook remembers of a line that it looks after.
type lookedAt struct {
	Record       wrap.Record `json:"record"` // as it will be, but for how it ended
	Client       string      `json:"client"`
	Conversation string      `json:"conversation"`
	Turn         string      `json:"turn,omitempty"`
	Ticket       string      `json:"ticket"` // its key
	End          string      `json:"end"`    // by which it is told how the line ended
	Told         bool        `json:"told"`   // the client says when it has ended
}

// A lookout is a run, as it looks after lines.
type lookout struct{ *run }

// key names the look of a call.
func (r lookout) key() string {
	call := r.event.Call
	if call == "" {
		call = string(r.event.Input)
	}
	sum := sha256.Sum256([]byte(r.Client.Name + "\x00" + r.event.Conversation + "\x00" + call))
	return hex.EncodeToString(sum[:12])
}

// look looks at the workspace before a line that the client may run in its own sandbox. looked is what the ticket says
// of that; without a file nobody looks after the line.
func (r lookout) look(ctx context.Context, j *judged, line string) (file, end string) {
	if r.event.Conversation == "" {
		return "", ""
	}
	ctx, stop := context.WithTimeout(ctx, lookTime)
	defer stop()
	l := lookedAt{
		Record:       r.record(j),
		Client:       r.Client.Name,
		Conversation: r.event.Conversation,
		Turn:         r.event.Turn,
		Ticket:       ticket.Key(r.Client.Name, j.dir, line),
		End:          ticket.EndName(r.key()),
		Told:         r.Client.Ends,
	}
	note, err := json.Marshal(l)
	if err != nil {
		return "", ""
	}
	ticket.Heard(l.End) // what an earlier one left
	changes := !j.verdict.Reads && r.sandbox() != readOnly
	file, err = r.ws.Foreign().Look(ctx, j.call, r.key(), r.title(j), note, changes)
	if err != nil || file == "" {
		return "", ""
	}
	r.looksIn(filepath.Dir(file))
	return file, l.End
}

// record is what is put on record of a call that the client runs.
func (r lookout) record(j *judged) wrap.Record {
	origin := j.call.Origin
	rec := wrap.Record{Outcome: "ok", Origin: &origin, Approver: tool.Approver{Kind: tool.ByClient}}
	if j.said {
		rec.Approver = Person()
	}
	return r.ws.Foreign().Record(j.call, r.title(j), j.verdict, rec)
}

// any tells whether the conversation at hand has lines that are looked after.
func (r lookout) any() bool {
	if r.began.Looks == "" {
		return false
	}
	f, err := os.Open(r.began.Looks)
	if err != nil {
		return false
	}
	defer f.Close()
	list, _ := f.Readdirnames(1)
	return len(list) > 0
}

// ended takes into the history what the line of the event at hand changed, and puts it on record.
func (r lookout) ended(ctx context.Context) error {
	return r.end(ctx, r.key(), true)
}

// settle does the same for lines of which nobody says when they have ended, and for those whose client or turn ended
// before them.
func (r lookout) settle(ctx context.Context) error {
	keys, err := r.ws.Foreign().Ended(func(note json.RawMessage) bool {
		var l lookedAt
		if json.Unmarshal(note, &l) != nil {
			return true
		}
		ours := l.Client == r.Client.Name && l.Conversation == r.event.Conversation
		return ours && (!l.Told || l.Turn != r.event.Turn)
	})
	for _, key := range keys {
		if err := r.end(ctx, key, false); err != nil {
			return err
		}
	}
	return err
}

// end ends a look; told says that the client told of the end.
func (r lookout) end(ctx context.Context, key string, told bool) error {
	f := r.ws.Foreign()
	ctx, stop := context.WithTimeout(ctx, lookTime)
	defer stop()
	note, ok, why := f.Looked(ctx, key, told)
	if !ok {
		return why
	}
	var l lookedAt
	if err := json.Unmarshal(note, &l); err != nil {
		f.Unlook(key)
		return err
	}
	ticket.Take(r.State, l.Ticket) // it was good for this line
	rec := l.ending(told)
	if why != nil {
		rec.Error = strings.TrimPrefix(rec.Error+"; what it changed cannot be undone: "+why.Error(), "; ")
	}
	if err := f.Keep(rec); err != nil {
		return err
	}
	f.Unlook(key)
	return nil
}

// ending is the record of a line that has ended, as far as it is known how.
func (l lookedAt) ending(told bool) wrap.Record {
	rec := l.Record
	e, heard := ticket.Heard(l.End)
	switch {
	case heard:
		rec.Duration = float64(e.Took.Microseconds()) / 1000
		if e.Status != 0 {
			rec.Outcome, rec.Error = string(tool.Execution), fmt.Sprintf("exit status %d", e.Status)
		}
	case told:
		rec.Duration = float64(time.Since(rec.Time).Microseconds()) / 1000
		rec.Outcome, rec.Error = string(tool.OutcomeUnknown), "it has ended, and nobody told how"
	default:
		rec.Outcome, rec.Error = string(tool.OutcomeUnknown), "nobody told whether it ran to its end"
	}
	return rec
}
