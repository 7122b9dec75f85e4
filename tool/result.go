package tool

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// A Result is what a call came to: parts for the model, a display for the person, data for the
// program.
type Result struct {
	Parts   []Part
	Display Display         // nil: the texts of Parts serve
	Data    json.RawMessage // structured content, an object; satisfies Spec.Output where there is one
	Meta    json.RawMessage // the tool's own fields, an object: metadata on the command line
	Extra   json.RawMessage // the protocol's _meta, as an upstream sent it

	Err  *Error // nil on success
	Need *Need  // set: nothing was done yet, input is wanted

	// Family is the Parent of the calls that were made on behalf of this one: what they all did is one undo under it.
	// "": none could be made.
	Family string

	// What was understood and decided, for those around the call. The door sets them; Job is nil
	// when the call was refused before it was understood.
	Job     *Job
	Verdict Verdict
	Repairs []string // what was mended or ignored in the arguments; the model reads it in Parts

	// Cut is how many bytes of text were left out for the model's sake: the whole is kept elsewhere.
	Cut int

	// Spec is the tool that the call meant, also of a call that was refused before it was
	// understood; nil: no tool has the name.
	Spec *Spec

	// Approver is who decided. It is zero where a policy refused, where nobody could be asked, and
	// where the call did not come so far.
	Approver Approver

	// Asked is how long the call waited for the answer of whoever was asked for approval; 0: nobody
	// was. Took is how long the answer to an earlier round took, which this call did not wait for.
	Asked, Took time.Duration
}

// Text is the texts for the model, joined by line ends.
func (r *Result) Text() string {
	var b strings.Builder
	for _, p := range r.Parts {
		t, ok := p.(Text)
		if !ok {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(string(t))
	}
	return b.String()
}

// Show is what a person sees: the display, else the first line that the model reads.
func (r *Result) Show() string {
	if r.Display != nil {
		return r.Display.String()
	}
	line, _, _ := strings.Cut(r.Text(), "\n")
	return line
}

// A Part is one block of content for the model: Text, Image, Audio, Link, Resource or Foreign.
type Part interface{ part() }

// Text is plain text or Markdown.
type Text string

// An Image is a picture, Data its file bytes.
type Image struct {
	MIME string
	Data []byte
}

// Audio is a sound, Data its file bytes.
type Audio struct {
	MIME string
	Data []byte
}

// A Link points at a resource that the client can read.
type Link struct {
	URI, Name, Title, Description, MIME string
	Size                                int64 // bytes, 0 if unknown
}

// A Resource is embedded content with an address: text, or bytes if Blob is not nil.
type Resource struct {
	URI, MIME string
	Text      string
	Blob      []byte
}

// Foreign is a block as an upstream sent it, byte for byte. Who changes one makes a new part of
// another type.
type Foreign json.RawMessage

func (Text) part()     {}
func (Image) part()    {}
func (Audio) part()    {}
func (Link) part()     {}
func (Resource) part() {}
func (Foreign) part()  {}

// Size is the number of bytes that a part brings, an upper bound that needs no decoding.
func Size(p Part) int {
	switch p := p.(type) {
	case Text:
		return len(p)
	case Image:
		return len(p.Data)
	case Audio:
		return len(p.Data)
	case Resource:
		return len(p.Text) + len(p.Blob)
	case Foreign:
		return len(p)
	case Link:
		return len(p.URI) + len(p.Name) + len(p.Title) + len(p.Description)
	}
	return 0
}

// NewResult is the result of a call that succeeded, with these parts for the model. People see the
// first line of its text until a Display says more.
func NewResult(parts ...Part) *Result { return &Result{Parts: parts} }

// Textf is the result of a call that succeeded with one text for the model, formatted as by
// fmt.Sprintf. A text that is not known when the program is written is no format:
// NewResult(Text(s)).
func Textf(format string, args ...any) *Result { return NewResult(Text(fmt.Sprintf(format, args...))) }

// WithSummary sets what people see: a short text, formatted as by fmt.Sprintf. It returns the
// result for chaining.
func (r *Result) WithSummary(format string, args ...any) *Result {
	r.Display = Summary(fmt.Sprintf(format, args...))
	return r
}

// WithMeta sets the tool's own fields from any value that encodes to a JSON object. It returns the
// result for chaining.
func (r *Result) WithMeta(v any) *Result {
	b, err := json.Marshal(v)
	if err == nil {
		r.Meta = b
	}
	return r
}

// A Display is a view for people: Summary, Diff or Todos. String is its plain form, in one line
// where that serves.
type Display interface {
	String() string
	display()
}

// Summary is a short text.
type Summary string

// A Diff is a change to one file, Unified its text in unified format.
type Diff struct {
	Path           string `json:"path"`
	Unified        string `json:"unified"`
	Added, Removed int    `json:"-"`
	Note           string `json:"note,omitempty"` // a sentence above it

	// Unchanged says of a preview that the call changes nothing, to the last byte: a difference that shows nothing is no
	// such word.
	Unchanged bool `json:"-"`
}

// Todos is a list with states.
type Todos struct {
	Items []Todo `json:"items"`
}

// A Todo is one item of a list.
type Todo struct {
	ID       string `json:"id"`
	Content  string `json:"content"`
	Status   string `json:"status"`   // pending, in_progress or completed
	Priority string `json:"priority"` // low, medium or high
}

func (Summary) display() {}
func (Diff) display()    {}
func (Todos) display()   {}

func (s Summary) String() string { return string(s) }

func (d Diff) String() string {
	if d.Note == "" {
		return d.Unified
	}
	return d.Note + "\n" + d.Unified
}

func (t Todos) String() string {
	marks := map[string]string{"completed": "[x]", "in_progress": "[>]"}
	var b strings.Builder
	for i, it := range t.Items {
		if i > 0 {
			b.WriteByte('\n')
		}
		mark := marks[it.Status]
		if mark == "" {
			mark = "[ ]"
		}
		b.WriteString(mark + " " + it.Content)
	}
	return b.String()
}
