package script

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"helve/script/internal/wire"
	"helve/tool"
)

const (
	// maxRecord bounds what is kept of a script while somebody is asked, in bytes: the arguments and results of its
	// calls, which it is given again.
	maxRecord = 8 << 20
	// maxRecords bounds the scripts that wait so; the oldest of who has most goes first.
	maxRecords = 16
	// recordTime is how long they wait: longer than the questions of a server.
	recordTime = 30 * time.Minute
	// listed is how many calls an error names.
	listed = 30
	// listedArgs is how much of their arguments it shows, in bytes.
	listedArgs = 120
)

// A record is what a script's calls came to, so that it can run again up to the question that ended it, and none of
// them runs twice.
type record struct {
	owner   string // whose it is
	digest  string // of script, inputs and whose it is
	parent  string // of its calls: one family, however often it is begun again
	entries map[string]*entry
	order   []*entry      // as they were made
	asked   string        // the key of the call whose Need is with the client
	need    *tool.Need    // of the question about the calls that are certain; nil: it is not with the client
	begun   bool          // that question is over, and the script has begun
	consent *tool.Consent // nil: nothing was agreed to
	note    string        // what a person said with it, for the model
	until   time.Time
}

// An entry is one call of a script.
type entry struct {
	key   string
	tool  string
	args  json.RawMessage
	reply *wire.Reply // nil: it has none yet
	need  *tool.Need  // it waits for an answer
	used  bool        // in this run
}

// same tells that a call is the one of the record.
func (e *entry) same(c *wire.Call) bool {
	return e.tool == c.Tool && string(e.args) == string(c.Args)
}

// String is the call in a line, for errors.
func (e *entry) String() string {
	end := "done"
	switch {
	case e.reply == nil:
		end = "not made"
	case e.reply.Err != nil:
		end = "failed"
	}
	return fmt.Sprintf("%s (%s)", callText(e.tool, e.args), end)
}

// callText is a call as errors show it.
func callText(name string, raw json.RawMessage) string {
	args := string(raw)
	if len(args) > listedArgs {
		args = strings.ToValidUTF8(args[:listedArgs], "") + "…"
	}
	return name + " " + args
}

// size is what a record takes, in bytes.
func (r *record) size() int {
	n := 0
	for _, e := range r.order {
		n += len(e.args)
		if e.reply != nil {
			n += len(e.reply.Data) + len(e.reply.Text)
		}
	}
	return n
}

// made are the calls of a script that were made, in lines.
func (r *record) made() []string {
	var out []string
	for _, e := range r.order {
		if e.reply != nil {
			out = append(out, e.String())
		}
	}
	if len(out) > listed {
		more := fmt.Sprintf("and %d more", len(out)-listed)
		out = append(out[:listed:listed], more)
	}
	return out
}

// begin begins the record anew for another run.
func (r *record) begin() {
	for _, e := range r.order {
		e.used = false
	}
}

// A ticket is what the client holds meanwhile: it works once, and tells what was done where the record is gone.
type ticket struct {
	ID     string   `json:"id"`
	Digest string   `json:"digest"`
	Made   []string `json:"made,omitempty"`
}

// records are those of all scripts that wait for an answer. The zero value is ready.
type records struct {
	mu  sync.Mutex
	all map[string]*record
}

// keep keeps a record and gives out its ticket.
func (rs *records) keep(r *record, now time.Time) ([]byte, error) {
	t := ticket{ID: rand.Text(), Digest: r.digest, Made: r.made()}
	state, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.all == nil {
		rs.all = map[string]*record{}
	}
	r.until = now.Add(recordTime)
	rs.all[t.ID] = r
	if len(rs.all) > maxRecords {
		delete(rs.all, rs.spare())
	}
	return state, nil
}

// spare is the oldest record of whoever has most of them: nobody's scripts push out those of others.
func (rs *records) spare() string {
	has := map[string]int{}
	for _, r := range rs.all {
		has[r.owner]++
	}
	oldest := ""
	for id, r := range rs.all {
		o := rs.all[oldest]
		switch {
		case o == nil, has[r.owner] > has[o.owner]:
			oldest = id
		case has[r.owner] == has[o.owner] && r.until.Before(o.until):
			oldest = id
		}
	}
	return oldest
}

// take is the record of a ticket, once. The error says why there is none, with the calls that were made.
func (rs *records) take(state []byte, digest string, now time.Time) (*record, error) {
	var t ticket
	if json.Unmarshal(state, &t) != nil || t.ID == "" {
		return nil, tool.Errorf(tool.Validation, "the script cannot go on: what the client brought back is no ticket of a script")
	}
	if t.Digest != digest {
		return nil, gone("the answer belongs to another script, or to another client", t.Made)
	}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	r := rs.all[t.ID]
	delete(rs.all, t.ID)
	if r == nil || now.After(r.until) {
		return nil, gone("its record is not there any more: it was used, is too old, or the server was started anew", t.Made)
	}
	return r, nil
}

// gone is the error of a script that cannot go on.
func gone(why string, made []string) *tool.Error {
	hint := "It made no call before."
	if len(made) > 0 {
		hint = "Calls that it made before, which are not taken back:\n" + strings.Join(slices.Clone(made), "\n")
	}
	return tool.Errorf(tool.Execution, "the script cannot go on: %s", why).WithHint("%s", hint)
}
