package console

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"helve/tool"
)

const (
	// maxText bounds arguments and result of a call as they are kept, in bytes: a page shows their beginning.
	maxText = 4 << 10
	// maxTitle bounds titles, targets and messages, in bytes: they stand in one line.
	maxTitle = 300
	// maxEffects bounds the effects that are shown of one job; how many there are is told.
	maxEffects = 8
	// maxRepairs bounds what is told of mended arguments, in sentences.
	maxRepairs = 8
)

// A State is how far a call has come.
type State string

const (
	Running    State = "running" // it is looked at, or its job runs
	Asking     State = "asking"  // somebody is asked whether it may run
	WithClient State = "client"  // the client has been asked, and calls again with the answer
	Done       State = "ok"
	Failed     State = "failed"  // the tool, or its arguments
	Refused    State = "refused" // by policy, mode or person
	Stopped    State = "stopped" // by the caller or at the console
)

func (s State) over() bool {
	return s != Running && s != Asking && s != WithClient
}

// A call is what pages are told of one.
type call struct {
	N         uint64        `json:"n"`   // from 1, in the order in which they came
	Rev       uint64        `json:"rev"` // of two texts about one call the one with the greater number is newer
	Time      time.Time     `json:"time"`
	Name      string        `json:"name"` // the tool's public name; as it was called, where there is no such tool
	Source    string        `json:"source,omitempty"`
	Kind      string        `json:"kind,omitempty"`
	Title     string        `json:"title,omitempty"`
	Parent    string        `json:"parent,omitempty"` // of calls that were made on behalf of another one: that one's family
	Family    string        `json:"family,omitempty"` // the parent of the calls that were made on its behalf
	Session   string        `json:"session,omitempty"`
	Principal string        `json:"principal,omitempty"`
	Effects   []tool.Effect `json:"effects,omitempty"`
	More      int           `json:"more,omitempty"` // effects that are left out
	State     State         `json:"state"`
	Verdict   string        `json:"verdict,omitempty"`
	Why       string        `json:"why,omitempty"`
	By        string        `json:"by,omitempty"`    // who decided
	Error     string        `json:"error,omitempty"` // its code
	Message   string        `json:"message,omitempty"`
	Took      float64       `json:"ms"`
	Waited    float64       `json:"asked_ms,omitempty"` // of Took, for who was asked
	In        int           `json:"in"`                 // bytes
	Out       int           `json:"out"`                // bytes
	Progress  *progress     `json:"progress,omitempty"`
	Elsewhere bool          `json:"elsewhere,omitempty"` // another process made it
}

type progress struct {
	Done    float64 `json:"done,omitempty"`
	Total   float64 `json:"total,omitempty"`
	Message string  `json:"message,omitempty"`
}

// A record is a call as the hub keeps it. The hub's lock guards it, but for what never changes.
type record struct {
	call
	began   time.Time // with the monotonic clock, which never goes back
	session *tool.Session
	stop    context.CancelFunc
	args    string
	result  string
	repairs []string
	line    string // the command line, where the job runs one

	// Texts are made of these when a page looks.
	verdict  tool.Verdict
	hasWord  bool // of the policy
	approver tool.Approver
}

func newRecord(c *tool.Call, stop context.CancelFunc, noArgs bool) *record {
	now := time.Now()
	r := &record{began: now, session: c.Session, stop: stop}
	r.Time = now.UTC()
	r.Name = clip(c.Name, maxTitle)
	r.State = Running
	r.In, r.Parent = len(c.Args), clip(c.Parent, maxTitle)
	if c.Session != nil {
		r.Session, r.Principal = c.Session.ID, c.Session.Principal
	}
	if !noArgs {
		r.args = beginning(c.Args)
	}
	return r
}

// beginning is a copy: what is kept must not keep the rest.
func beginning(b []byte) string {
	if len(b) <= maxText {
		return string(b)
	}
	return clip(string(b[:maxText+utf8.UTFMax]), maxText)
}

func (r *record) understood(j *tool.Job) {
	r.Name = clip(j.Call.Name, maxTitle)
	r.Title = clip(j.Title, maxTitle)
	r.tool(j.Spec)
	r.Effects, r.More = effectsOf(j)
	if j.Line != nil {
		r.line = clip(j.Line.Text, maxText)
	}
}

func (r *record) tool(s *tool.Spec) {
	r.Source, r.Kind = s.Origin.Source(), s.Kind.String()
}

func effectsOf(j *tool.Job) (out []tool.Effect, more int) {
	all := j.Judged()
	shown := all[:min(len(all), maxEffects)]
	long := func(e tool.Effect) bool { return len(e.Target) > maxTitle }
	if len(all) <= maxEffects && !slices.ContainsFunc(all, long) {
		return all, 0 // a job's own never change
	}
	out = make([]tool.Effect, 0, len(shown))
	for _, e := range shown {
		e.Target = clip(e.Target, maxTitle)
		out = append(out, e)
	}
	return out, len(all) - len(shown)
}

func (r *record) judged(v tool.Verdict) {
	r.verdict, r.hasWord = v, true
}

func (r *record) answered(a tool.Answer) {
	r.State = Running
	if a.Need != nil {
		r.State = WithClient
	}
}

// ended sets what is known when the call is over, or waits for its client to come again.
func (r *record) ended(res *tool.Result, err error) {
	r.Took = milliseconds(time.Since(r.began))
	r.Progress, r.stop = nil, nil
	if res == nil {
		r.State, r.Error = Stopped, stopCode(err)
		return
	}
	r.Waited, r.Family = milliseconds(res.Asked+res.Took), clip(res.Family, maxTitle)
	for _, p := range res.Parts {
		r.Out += tool.Size(p)
	}
	for _, s := range res.Repairs[:min(len(res.Repairs), maxRepairs)] {
		r.repairs = append(r.repairs, clip(s, maxTitle))
	}
	if res.Job == nil && res.Spec != nil { // refused before it was understood
		r.tool(res.Spec)
	}
	if res.Job != nil || res.Verdict.Reason != "" {
		r.judged(res.Verdict)
	}
	if res.Approver.Kind != "" {
		r.approver = res.Approver
	}
	r.State = stateOf(res, err)
	if res.Err != nil {
		r.Error, r.Message = string(res.Err.Code), clip(res.Err.Error(), maxTitle)
	}
}

func stopCode(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return string(tool.TimedOut)
	}
	if errors.Is(err, context.Canceled) {
		return string(tool.Cancelled)
	}
	return string(tool.Unknown)
}

func stateOf(res *tool.Result, err error) State {
	switch {
	case err != nil:
		return Stopped
	case res.Need != nil:
		return WithClient
	case res.Err == nil:
		return Done
	case res.Err.Code == tool.Permission:
		return Refused
	case res.Err.Code == tool.Cancelled:
		return Stopped
	}
	return Failed
}

// byWords is an approver in words: person (terminal), rule.
func byWords(a tool.Approver) string {
	if a.Via == "" {
		return string(a.Kind)
	}
	return string(a.Kind) + " (" + clip(a.Via, maxTitle) + ")"
}

// resultText is the beginning of what the model reads.
func resultText(res *tool.Result) string {
	if len(res.Parts) == 1 {
		if text, ok := res.Parts[0].(tool.Text); ok { // nearly every result
			return strings.Clone(clip(string(text), maxText))
		}
	}
	var b strings.Builder
	for _, p := range res.Parts {
		if b.Len() >= maxText {
			break
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		switch p := p.(type) {
		case tool.Text:
			b.WriteString(string(p[:min(len(p), maxText+utf8.UTFMax)]))
		case tool.Foreign:
			b.Write(p[:min(len(p), maxText+utf8.UTFMax)])
		case tool.Resource:
			b.WriteString(p.Text[:min(len(p.Text), maxText+utf8.UTFMax)])
		default:
			b.WriteString("[not text]")
		}
	}
	return clip(b.String(), maxText)
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// clip is at most n bytes of a text, cut between characters, with a sign that it was cut. What is cut is a copy: a part
// of a string keeps the whole.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.Clone(s[:n]) + "…"
}

// indented is JSON with a member a line; what is none stays as it is.
func indented(raw string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if !json.Valid([]byte(raw)) || e.Encode(json.RawMessage(raw)) != nil {
		return raw
	}
	return strings.TrimSuffix(b.String(), "\n")
}
