package wrap

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"helve/tool"
)

// A Record is what the audit keeps of one call.
type Record struct {
	Time      time.Time       `json:"time"`
	Principal string          `json:"principal,omitempty"`
	Workspace string          `json:"workspace,omitempty"` // its first folder; records of older versions have none
	Session   string          `json:"session,omitempty"`
	Call      string          `json:"call,omitempty"`    // the caller's ID
	Parent    string          `json:"parent,omitempty"`  // as the call has it
	Family    string          `json:"family,omitempty"`  // the parent of the calls that were made on its behalf
	Gateway   string          `json:"gateway,omitempty"` // whose call this host ran: that one has it on its record, too
	Name      string          `json:"name"`              // as it was called
	Origin    *tool.Origin    `json:"origin,omitempty"`
	Title     string          `json:"title,omitempty"`
	Effects   []tool.Effect   `json:"effects,omitempty"`
	Digest    tool.Digest     `json:"digest,omitempty"` // of the job, without its preview
	Verdict   *RecordVerdict  `json:"verdict,omitempty"`
	Approver  tool.Approver   `json:"approver,omitzero"` // none: the policy refused, or nobody could be asked
	Outcome   string          `json:"outcome"`           // ok, need, or the error's code; stopped: the host gave up
	Error     string          `json:"error,omitempty"`
	Duration  float64         `json:"ms"`                 // milliseconds, without those of Asked
	Asked     float64         `json:"asked_ms,omitempty"` // milliseconds that the approver took
	In        int             `json:"in"`                 // bytes of arguments
	Out       int             `json:"out"`                // bytes of the result
	Cut       int             `json:"cut,omitempty"`      // bytes that were left out of the result
	Args      json.RawMessage `json:"args,omitempty"`

	// ArgsDigest is the SHA-256 of the arguments as they came, ResultDigest that of the result as DigestResult makes
	// it, both in hexadecimal. They stand for what is not kept: who has a text can tell whether it was that one.
	ArgsDigest   string `json:"args_digest"`
	ResultDigest string `json:"result_digest,omitempty"` // none: the call came to no result

	// Changed are the files that a call of our own tools changed, Held those that it did not since another program
	// would run or follow them, and WouldWait those of them that the configuration has made all the same. The first of
	// each.
	Changed   []string `json:"changed,omitempty"`
	Held      []string `json:"held,omitempty"`
	WouldWait []string `json:"would_wait,omitempty"`

	// Prev is the SHA-256 of the line before, in hexadecimal, zeros in the first. Whoever keeps the lines adds it.
	Prev string `json:"prev,omitempty"`
}

// A RecordVerdict is what was decided and by which rule.
type RecordVerdict struct {
	Decision tool.Decision `json:"decision"`
	Reason   string        `json:"reason,omitempty"`
	Rule     string        `json:"rule,omitempty"`
	Layer    string        `json:"layer,omitempty"`
	File     string        `json:"file,omitempty"`
	Line     int           `json:"line,omitempty"`
}

// AuditOptions say where records go and what is in them.
type AuditOptions struct {
	Principal string // whose the calls without a session are
	Workspace string // in which they are made

	Write func(line []byte) error // one JSON object, without a line end; required
	// Later is Write for records that may come a moment after the call's answer, which need not wait for them: see
	// Record.late. It keeps line, and tells by itself who is to know that it could not be written. nil: Write.
	Later func(line []byte)
	Args  bool             // keep the arguments, too
	Fail  func(error)      // told when Write fails; nil: nobody. The call goes on
	Now   func() time.Time // nil: time.Now
}

const (
	// recordText bounds titles, errors and targets in a record, recordArgs the arguments, in bytes: people read the
	// lines of a record, and a model can make all of these as long as it likes.
	recordText = 500
	recordArgs = 64 << 10
	// recordEffects bounds how many effects of one job are kept, for the same reason.
	recordEffects = 50
)

// Audit records every call when it is over, refusals included. It is an Around middleware. Calls may end at the same
// time, so that Write must be safe for concurrent use.
func Audit(o AuditOptions) func(tool.Caller) tool.Caller {
	if o.Now == nil {
		o.Now = time.Now
	}
	return func(next tool.Caller) tool.Caller {
		return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
			start := o.Now()
			res, err := next(ctx, c)
			r := record(c, res, err)
			if c.Session == nil {
				r.Principal = o.Principal
			}
			r.Time, r.Workspace = start.UTC(), o.Workspace
			took := o.Now().Sub(start)
			if res != nil {
				took -= res.Asked // a person's thinking is not the tool's slowness
				r.Asked = milliseconds(res.Asked + res.Took)
			}
			r.Duration = milliseconds(max(0, took))
			if o.Args && len(c.Args) <= recordArgs && json.Valid(c.Args) {
				r.Args = c.Args
			}
			o.keep(r)
			return res, err
		}
	}
}

// keep writes a record, or leaves it to be written.
func (o AuditOptions) keep(r *Record) {
	if o.Later != nil && r.late() {
		o.Later(r.encode())
		return
	}
	if bad := o.Write(r.encode()); bad != nil && o.Fail != nil {
		o.Fail(bad)
	}
}

// late tells that nobody relies on the record when the answer is out: the call went well, nobody was asked about it, and
// it only read, or another program did it. What somebody answered, what was refused or failed, and what our own tools
// changed or ran is on record before anybody hears of it.
func (r *Record) late() bool {
	unasked := r.Approver.Kind == tool.ByRule || r.Approver.Kind == tool.ByMode
	if !unasked || r.Outcome != outcomeOK {
		return false
	}
	if r.Origin != nil && r.Origin.Kind == tool.MCP {
		return true
	}
	more := func(e tool.Effect) bool { return e.Kind != tool.Read }
	return len(r.Effects) > 0 && !slices.ContainsFunc(r.Effects, more)
}

// outcomeOK is the outcome of a call that went well.
const outcomeOK = "ok"

func milliseconds(d time.Duration) float64 {
	return float64(d.Microseconds()) / 1000
}

// record is what is known of a call when it is over. The outcome is that of the host until the result has one.
func record(c *tool.Call, res *tool.Result, err error) *Record {
	r := &Record{
		Call:    clip(c.ID),
		Parent:  clip(c.Parent),
		Gateway: clip(c.Gateway),
		Name:    clip(c.Name),
		In:      len(c.Args),
		Outcome: "stopped",

		ArgsDigest: digestOf(c.Args),
	}
	if c.Session != nil {
		r.Session, r.Principal = c.Session.ID, c.Session.Principal
	}
	if err != nil {
		r.Error = clip(err.Error())
	}
	if res == nil {
		return r
	}
	for _, p := range res.Parts {
		r.Out += tool.Size(p)
	}
	r.Cut, r.Family = res.Cut, clip(res.Family)
	if res.Need == nil {
		r.ResultDigest = DigestResult(res)
	}
	r.Approver = res.Approver
	switch {
	case err != nil:
	case res.Err != nil:
		r.Outcome = string(res.Err.Code)
		r.Error = clip(res.Err.Error())
	case res.Need != nil:
		r.Outcome = "need"
	default:
		r.Outcome = outcomeOK
	}
	switch {
	case res.Job != nil:
		r.job(res.Job)
		r.files(res)
	case res.Spec != nil: // refused before it was understood: what its tool can do is all that is known
		r.tool(res.Spec)
		r.Effects = []tool.Effect{{Kind: res.Spec.Kind, Target: tool.AnyTarget}}
	}
	if v := res.Verdict; res.Job != nil || v.Reason != "" {
		r.Verdict = &RecordVerdict{
			Decision: v.Decision,
			Reason:   v.Reason,
			Rule:     v.Rule,
			Layer:    v.Layer,
			File:     v.File,
			Line:     v.Line,
		}
	}
	return r
}

func (r *Record) tool(s *tool.Spec) {
	origin := s.Origin
	r.Origin = &origin
}

func (r *Record) job(j *tool.Job) {
	r.tool(j.Spec)
	r.Title = clip(j.Title)
	r.Digest = j.Digest(nil)
	effects := j.Judged()
	for _, e := range effects[:min(len(effects), recordEffects)] {
		e.Target = clip(e.Target)
		r.Effects = append(r.Effects, e)
	}
}

// files notes what a call of ours changed, as its metadata has it.
func (r *Record) files(res *tool.Result) {
	if r.Origin.Kind != tool.Builtin || len(res.Meta) == 0 || res.Job.Spec.ReadOnly {
		return
	}
	type file struct {
		Path string `json:"path"`
	}
	var meta struct {
		Changes []file `json:"changes"`
		Held    []file `json:"held_back"`
		Told    []file `json:"would_wait"`
	}
	if json.Unmarshal(res.Meta, &meta) != nil { // another tool's word for something else
		return
	}
	paths := func(list []file) []string {
		var out []string
		for _, f := range list[:min(len(list), recordEffects)] {
			out = append(out, clip(f.Path))
		}
		return out
	}
	r.Changed, r.Held, r.WouldWait = paths(meta.Changes), paths(meta.Held), paths(meta.Told)
}

// clip bounds what stands in a record.
func clip(s string) string {
	if len(s) <= recordText {
		return s
	}
	return s[:recordText] + "…"
}
