package wire

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"
)

// A Member is a worker as it tells of itself.
type Member struct {
	Instance  string    `json:"instance"` // new at every start
	Pool      string    `json:"pool"`
	Workspace string    `json:"workspace"` // its name, which gateways compare with their own
	Host      string    `json:"host"`
	Version   string    `json:"version"`
	Slots     int       `json:"slots"`
	Running   int       `json:"running"`
	Sessions  int       `json:"sessions"`
	Set       string    `json:"set"` // digest of its definitions
	Draining  bool      `json:"draining,omitempty"`
	Alone     bool      `json:"alone,omitempty"` // it has claimed the workspace: no worker that has not is used for it
	Gone      bool      `json:"gone,omitempty"`  // its last word
	Started   time.Time `json:"started"`         // for people: nothing is decided by it
}

// Room is how many runs may wait at a worker of so many slots: the next begins when one ends, and not a trip later.
func Room(slots int) int { return (slots + 1) / 2 }

const (
	mostSlots = 10_000
	// nameLength is how long a name of a member may be, in bytes.
	nameLength = 256
)

// ParseMember reads a member and refuses one that cannot be.
func ParseMember(b []byte) (*Member, error) {
	var m Member
	if err := decode(b, &m); err != nil {
		return nil, err
	}
	if !ValidInstance(m.Instance) {
		return nil, fmt.Errorf("a member calls itself %.80q", m.Instance)
	}
	if m.Slots < 1 || m.Slots > mostSlots || m.Running < 0 || m.Sessions < 0 {
		return nil, fmt.Errorf("member %s: %d slots, %d running", m.Instance, m.Slots, m.Running)
	}
	for _, name := range []string{m.Pool, m.Workspace, m.Host, m.Version, m.Set} {
		if len(name) > nameLength || !utf8.ValidString(name) {
			return nil, fmt.Errorf("member %s: the name %.80q", m.Instance, name)
		}
	}
	return &m, nil
}

// Definitions are the digests of a worker's tools by name.
type Definitions map[string]string

// Set names the definitions: two workers with the same set have the same tools.
func (d Definitions) Set() string {
	sum := sha256.Sum256(Encode(d)) // the names are sorted
	return hex.EncodeToString(sum[:16])
}

// mostTools is how many tools a worker may have.
const mostTools = 10_000

// ParseDefinitions reads them.
func ParseDefinitions(b []byte) (Definitions, error) {
	var d Definitions
	if err := decode(b, &d); err != nil {
		return nil, err
	}
	if len(d) > mostTools {
		return nil, fmt.Errorf("%d tools of one worker, want at most %d", len(d), mostTools)
	}
	return d, nil
}

// A Session says on whose behalf a call is made.
type Session struct {
	Key       string `json:"key"`     // of the session at its gateway; "": the call has none
	Gateway   string `json:"gateway"` // who answers for it
	Principal string `json:"principal,omitempty"`
	Shared    bool   `json:"shared,omitempty"`
	Lasting   bool   `json:"lasting,omitempty"` // other gateways go on with it under the same key

	// Asks says that there is a client which can be told and asked; Capabilities are what it can be asked for. A
	// conversation has the same in all its calls.
	Asks         bool            `json:"asks,omitempty"`
	Capabilities json.RawMessage `json:"capabilities,omitempty"`
	// Level is the least urgent log message that a client of the session protocol wants, "" for any other client. It
	// may be another one with each call. Chosen says that the client asked for it: servers of the session protocol
	// are told.
	Level  string `json:"level,omitempty"`
	Chosen bool   `json:"chosen,omitempty"`
}

// A Request asks to prepare or preview a call. Its arguments travel beside the JSON, as they are: they may be a file of
// some MiB, which nobody needs to read on the way.
type Request struct {
	Call       json.RawMessage `json:"call"` // a tool.Call without its arguments
	Args       json.RawMessage `json:"-"`
	Definition string          `json:"definition"` // digest of the tool as the gateway knows it
	// Origin is the tool's at the worker, where it is the worker's own: the call's name is the gateway's for it. "":
	// both have the tool, and the name means it.
	Origin  string  `json:"origin,omitempty"`
	Session Session `json:"session"`
	Policy  string  `json:"policy,omitempty"` // the Sum of the bus's policy that the gateway judges by; "": none
}

// mostHead is how long the JSON of a request may be, in bytes: it has what a client sent along with the call.
const mostHead = 4 << 20

// EncodeRequest is a *Request or a *Run with its arguments.
func EncodeRequest(head any, args json.RawMessage) []byte {
	h := Encode(head)
	out := make([]byte, 0, 4+len(h)+len(args))
	out = binary.BigEndian.AppendUint32(out, uint32(len(h)))
	out = append(out, h...)
	return append(out, args...)
}

// ParseRequest reads what asks to prepare or preview.
func ParseRequest(b []byte) (*Request, error) {
	var r Request
	args, err := decodeHead(b, &r)
	r.Args = args
	return &r, err
}

// ParseRun reads what asks to run.
func ParseRun(b []byte) (*Run, error) {
	var r Run
	args, err := decodeHead(b, &r)
	r.Args = args
	return &r, err
}

// decodeHead reads the JSON of a request. What follows it are the arguments.
func decodeHead(b []byte, head any) (args json.RawMessage, err error) {
	if len(b) < 4 {
		return nil, errors.New("message: it ends too early")
	}
	n := binary.BigEndian.Uint32(b)
	b = b[4:]
	if n > mostHead || int(n) > len(b) {
		return nil, fmt.Errorf("message: a head of %d bytes, and %d are there", n, len(b))
	}
	if len(b) > int(n) {
		args = b[n:]
	}
	return args, decode(b[:n], head)
}

// An Effect is one effect of a job.
type Effect struct {
	Kind   string `json:"kind"`
	Target string `json:"target"`
}

// A Job is a call as a worker understood it.
type Job struct {
	Title     string          `json:"title"`
	Effects   []Effect        `json:"effects"` // null: unknown
	Line      json.RawMessage `json:"line,omitempty"`
	Signature string          `json:"signature,omitempty"`
	Rule      string          `json:"rule,omitempty"`
	Digest    string          `json:"digest"`
	Preview   bool            `json:"preview,omitempty"` // there is one
	Confine   bool            `json:"confine,omitempty"` // that is possible
	Review    bool            `json:"review,omitempty"`
}

const (
	mostEffects  = 10_000
	titleLength  = 4 << 10
	digestLength = 32 // hex digits of tool.Digest
	lineLength   = 1 << 20
)

// ParseJob reads a job and refuses one that cannot be.
func ParseJob(b []byte) (*Job, error) {
	var j Job
	if err := decode(b, &j); err != nil {
		return nil, err
	}
	switch {
	case len(j.Effects) > mostEffects:
		return nil, fmt.Errorf("a job of %d effects, want at most %d", len(j.Effects), mostEffects)
	case len(j.Title) > titleLength || len(j.Rule) > lineLength || len(j.Signature) > lineLength:
		return nil, fmt.Errorf("a job with a title of %d bytes", len(j.Title))
	case len(j.Digest) != digestLength:
		return nil, fmt.Errorf("a digest of %d digits, want %d", len(j.Digest), digestLength)
	}
	return &j, nil
}

// A Preview is what a job would do.
type Preview struct {
	Shown  json.RawMessage `json:"shown"`  // a tool.Result whose display it is
	Digest string          `json:"digest"` // of the job with what was shown
}

// A Run asks to run a call that was judged.
type Run struct {
	Request
	Run      string        `json:"run"`
	Digest   string        `json:"digest"` // what was judged, and shown if Shown
	Shown    bool          `json:"shown,omitempty"`
	Confined bool          `json:"confined,omitempty"`
	Review   bool          `json:"review,omitempty"`
	Sure     bool          `json:"sure,omitempty"`  // it begins only when the gateway says Go
	Left     time.Duration `json:"left,omitempty"`  // until the gateway gives up; 0: it does not
	Queue    bool          `json:"queue,omitempty"` // it may wait a moment at the worker for a slot
	Task     bool          `json:"task,omitempty"`  // whoever calls can go on without its result

	// Judged and Seen are the Sum of the Job and of the Preview that the gateway got; "": it signs nothing. So a
	// worker that wants tickets knows that nobody changed them on the way.
	Judged string `json:"judged,omitempty"`
	Seen   string `json:"seen,omitempty"`

	// Traceparent and Tracestate are W3C's trace context of the gateway's span, which the worker's is below.
	Traceparent string `json:"traceparent,omitempty"`
	Tracestate  string `json:"tracestate,omitempty"`
}

// A RunID names a run.
type RunID struct {
	Run string `json:"run"`
}

// A Begin is the gateway's word on a run that waits to begin.
type Begin struct {
	Run string `json:"run"`
	OK  bool   `json:"ok"`
}

// A State is how far a run has come.
type State string

// The states of a run.
const (
	Unknown State = "unknown" // nothing is known of it
	Waiting State = "waiting" // it did not begin, and may
	Begun   State = "begun"
	Done    State = "done"    // its result can be had again
	Refused State = "refused" // it never began and never will
)

// Alive is the answer to a ping.
type Alive struct {
	State State `json:"state"`
}

// A Late is a tool.Late.
type Late struct {
	Title   string          `json:"title"`
	Why     string          `json:"why"`
	Effects []Effect        `json:"effects"`
	Shown   json.RawMessage `json:"shown"` // a tool.Result whose display it is
}

// A Progress is a tool.Progress.
type Progress struct {
	Done    float64 `json:"done,omitempty"`
	Total   float64 `json:"total,omitempty"`
	Message string  `json:"message,omitempty"`
}

// Encode is a message as bytes.
func Encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil { // RawMessages that are no JSON: their makers encode them
		return nil
	}
	return b
}

// Decode reads one of the messages above that has no bounds of its own.
func Decode[T any](b []byte) (T, error) {
	var v T
	err := decode(b, &v)
	return v, err
}

func decode(b []byte, v any) error {
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("message: %w", err)
	}
	return nil
}
