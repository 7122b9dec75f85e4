package script

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"helve/script/internal/wire"
	"helve/tool"
	"helve/tool/drafting"
)

const (
	// maxRecord bounds what is kept of a script while somebody is asked, in bytes: the arguments and results of its
	// calls, which it is given again.
	maxRecord = 8 << 20
	// maxRecords bounds the scripts that wait so; the oldest of who has most goes first.
	maxRecords = 16
	// recordTime is how long they wait: longer than the questions of a server.
	recordTime = 30 * time.Minute
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
	certain []*entry      // the calls that it was about, whatever was said
	undoes  bool          // there is a tool that takes back what they did
	consent *tool.Consent // nil: nothing was agreed to
	note    string        // what a person said with it, for the model
	until   time.Time
	timer   *time.Timer // ends its wait

	drafts drafting.Drafts
	did    []changes // what its calls and commits changed, in order
	end    *ending   // what it came to, if it is over and only its changes wait for an answer
}

// An entry is one call of a script.
type entry struct {
	key   string
	tool  string
	args  json.RawMessage
	reply *wire.Reply // nil: it has none yet
	draft int         // in which of the drafts it changed something, from 1; 0: in none
	away  bool        // it did something that is no file here
	need  *tool.Need  // it waits for an answer
	used  bool        // in this run
}

// same tells that a call is the one of the record.
func (e *entry) same(c *wire.Call) bool {
	return e.tool == c.Tool && string(e.args) == string(c.Args)
}

// line is a call in a line, for errors.
func (r *record) line(e *entry) string {
	end, became := "done", ""
	if len(r.drafts.Fates) > 0 && e.away {
		end = "done elsewhere"
	}
	if e.draft > 0 {
		became = r.drafts.Fates[e.draft-1].String()
		end = became
	}
	switch {
	case e.reply == nil && e.need != nil:
		end = "not made: it waits for approval"
	case e.reply == nil:
		end = "not made"
	case e.reply.Err != nil:
		end = cmp.Or(endings[tool.Code(e.reply.Err.Code)], "failed")
		if e.draft > 0 {
			end += "; what it did: " + became
		}
	}
	return fmt.Sprintf("%s (%s)", drafting.CallText(e.tool, e.args), end)
}

// endings are the ends of calls that are more than a failure.
var endings = map[tool.Code]string{
	tool.Permission:     "refused",
	tool.Cancelled:      "cancelled: it may have been done in part",
	tool.TimedOut:       "timed out: it may have been done in part",
	tool.OutcomeUnknown: "what became of it is not known",
}

// size is what a record takes, in bytes.
func (r *record) size() int {
	n := 0
	if r.end != nil && r.end.out != nil {
		n += len(r.end.out.Result) + len(r.end.out.Printed)
	}
	for _, e := range r.order {
		n += len(e.args)
		if e.reply != nil {
			n += len(e.reply.Data) + len(e.reply.Text)
		}
	}
	return n
}

// slim forgets what the calls brought: the script does not run again.
func (r *record) slim() {
	for _, e := range r.order {
		if e.reply != nil {
			e.reply = &wire.Reply{Err: e.reply.Err}
		}
	}
}

// came notes what a call came to.
func (r *record) came(e *entry, id int, res *tool.Result) {
	e.reply = reply(id, res)
	if res.Job == nil {
		return
	}
	if !res.Job.Drafted {
		kind := res.Job.Spec.Kind
		did := changesOf(res)
		r.did = append(r.did, did)
		e.away = kind != tool.Read && len(did.Files) == 0 && res.Job.Spec.Touches != tool.Nothing
		return
	}
	e.draft = r.drafts.Came(res)
}

// made says in lines what the calls of a script changed, which were made, and which of those that it came to or was
// certain to make were not.
func (r *record) made() []string {
	var made, open []string
	for _, e := range r.order {
		if e.reply != nil {
			made = append(made, r.line(e))
			continue
		}
		open = append(open, r.line(e))
	}
	for _, e := range r.certain {
		if r.entries[e.key] == nil {
			open = append(open, r.line(e))
		}
	}
	if more := len(open) - drafting.Listed; more > 0 {
		open = append(open[:drafting.Listed], fmt.Sprintf("and %d more", more))
	}
	out := r.changes().told(r.undoes)
	heading := "Calls before that, which are not taken back:"
	if len(r.drafts.Fates) > 0 {
		heading = "Calls before that, and what became of each:"
		if len(out) == 0 {
			out = append(out, "No file on disk is another one.")
		}
	}
	if earlier := len(made) - drafting.Listed; earlier > 0 { // the last ones tell where it ended
		made = append([]string{fmt.Sprintf("(%d before these)", earlier)}, made[earlier:]...)
	}
	out = append(out, headed(heading, made)...)
	return append(out, headed("Not done, like all that comes after it in the script:", open)...)
}

// headed are lines below a heading; none without a line.
func headed(heading string, lines []string) []string {
	if len(lines) == 0 {
		return nil
	}
	return append([]string{heading}, lines...)
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
	mu     sync.Mutex
	all    map[string]*record
	closed bool
}

// keep keeps a record, and has the client hold its ticket while it is asked what need wants to know.
func (rs *records) keep(r *record, need *tool.Need, now time.Time) (*tool.Result, error) {
	t := ticket{ID: rand.Text(), Digest: r.digest, Made: r.made()}
	state, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	if !rs.add(t.ID, r, now) {
		return nil, tool.Errorf(tool.Cancelled, "the server ends")
	}
	return &tool.Result{Need: &tool.Need{
		State:    state,
		Requests: need.Requests,
		Here:     true,
		SoFar:    strings.Join(t.Made, "\n"),
	}}, nil
}

// add adds a record of this ID. Where the records are closed it does not.
func (rs *records) add(id string, r *record, now time.Time) bool {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.closed {
		return false
	}
	if rs.all == nil {
		rs.all = map[string]*record{}
	}
	r.until = now.Add(recordTime)
	r.timer = time.AfterFunc(recordTime, func() { rs.forget(id) })
	rs.all[id] = r
	if len(rs.all) > maxRecords {
		rs.lose(rs.spare())
	}
	return true
}

// forget loses a record that nobody came back for.
func (rs *records) forget(id string) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.lose(id)
}

// lose is forget with the lock held: what its calls changed in a draft is dropped.
func (rs *records) lose(id string) {
	if r := rs.out(id); r != nil {
		r.drafts.Over(drafting.Dropped)
	}
}

// out takes a record out; nil: it is not there.
func (rs *records) out(id string) *record {
	r := rs.all[id]
	delete(rs.all, id)
	if r != nil {
		r.timer.Stop()
	}
	return r
}

// close loses all records, and takes no more.
func (rs *records) close() {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.closed = true
	for id := range rs.all {
		rs.lose(id)
	}
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
		const foreign = "the script cannot go on: what the client brought back is no ticket of a script"
		return nil, tool.Errorf(tool.Validation, foreign)
	}
	if t.Digest != digest {
		return nil, gone("the answer belongs to another script, or to another client", t.Made)
	}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	r := rs.out(t.ID)
	if r != nil && now.After(r.until) {
		r.drafts.Over(drafting.Dropped)
		r = nil
	}
	if r == nil {
		const why = "its record is not there any more: it was used, is too old, or the server was started anew"
		return nil, gone(why, t.Made)
	}
	return r, nil
}

// gone is the error of a script that cannot go on.
func gone(why string, made []string) *tool.Error {
	hint := "It made no call before."
	if len(made) > 0 {
		hint = strings.Join(made, "\n")
	}
	return tool.Errorf(tool.Execution, "the script cannot go on: %s", why).WithHint("%s", hint)
}
