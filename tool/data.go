package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"helve/engine/schema"
	rawjson "helve/internal/json"
)

// MaxWhole is the most that a result brings to a program, in bytes of its data: 16 MiB, which a program reads in a
// tenth of a second. It is also the most that Call.Whole can say.
const MaxWhole = 16 << 20

// ScriptWhole is what Call.Whole is for a call inside of a script, which makes many and keeps their results: 4 MiB.
const ScriptWhole = 4 << 20

// Rendered is structured content that knows its text: what a model reads of it. Text uses exported fields alone, so
// that the same text can be made of the encoded data.
type Rendered interface{ Text() string }

// A Renderer is a Tool that tells how the text of its results is made of their data.
type Renderer interface {
	// TextOf is the text of a result with this data: Result.Text of the same result. The error is one of data that
	// the tool did not make.
	TextOf(data json.RawMessage) (string, error)
}

// Renders makes of t a tool whose results are made by Render of an Out. Spec.Output is then the schema of Out, and the
// tool is a Renderer. The schema is made when somebody asks for it, which panics where Out has none: a first test run
// finds that.
func Renders[Out Rendered](t Tool) Tool { return renders(t, reflect.TypeFor[Out]()) }

// renders is Renders for a type: one copy of the code for all of them.
func renders(t Tool, of reflect.Type) Tool {
	s := *t.Spec()
	s.Output = schema.Later(of)
	return &rendering{Tool: t, spec: &s, of: of}
}

// A rendering is a tool whose text is made of its data.
type rendering struct {
	Tool
	spec *Spec
	of   reflect.Type // of the data: one that is Rendered
}

func (r *rendering) Spec() *Spec { return r.spec }

func (r *rendering) TextOf(data json.RawMessage) (string, error) {
	out := reflect.New(r.of)
	if err := json.Unmarshal(data, out.Interface()); err != nil {
		return "", fmt.Errorf("data of %s: %w", r.spec.Name, err)
	}
	return out.Elem().Interface().(Rendered).Text(), nil
}

var _ Renderer = (*rendering)(nil)

// Render is the result of a call that succeeded: v as its data, and the text of v for the model.
func Render(v Rendered) *Result { return NewResult(Text(v.Text())).WithData(v) }

// WithData sets the structured content from any value that encodes to a JSON object. A value that has no JSON form is
// left out. It returns the result for chaining.
func (r *Result) WithData(v any) *Result {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // code is full of < and &
	if e.Encode(v) == nil {
		r.Data = bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	}
	return r
}

// wholeOf is how much data a call may bring to a program.
func wholeOf(c *Call) int { return min(max(c.Whole, 0), MaxWhole) }

// Room is how many bytes of data the call may bring: Whole, or n for a model.
func (c *Call) Room(n int) int {
	if c.Whole > 0 {
		return c.Whole
	}
	return n
}

// TooLarge is the failure of a call whose data does not fit into Whole. A tool may return it as soon as it knows; the
// kit returns it in any case.
func (c *Call) TooLarge() *Error {
	return Errorf(Execution, "the result is larger than the %s that a program may have at once", mib(c.Whole)).
		WithHint("Ask for less: a narrower pattern or path, a part of the file, a limit.")
}

// mib is a number of bytes in words.
func mib(n int) string {
	if n >= 1<<20 && n%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

// bounded fails a result that is larger than the program that called can take. A part of it would look like the whole.
func (r *Result) bounded(j *Job) *Result {
	whole := j.Call.Whole
	if whole == 0 || r.Need != nil || r.weight() <= whole {
		return r
	}
	e := j.Call.TooLarge().of(j.Call.Name)
	if r.Err != nil { // what went wrong is told all the same, with as much of it as an error has
		e = r.Err
	} else if !j.Spec.ReadOnly {
		e.Hint = "The call was carried out; only its result is missing. Look at what it did before you repeat it."
	}
	out := fail(e)
	out.Meta = r.Meta
	return out
}

// weight is what a program takes of a result, in bytes: its data, or all parts of one that has none.
func (r *Result) weight() int {
	if r.Data != nil {
		return len(r.Data)
	}
	n := 0
	for _, p := range r.Parts {
		n += Size(p)
	}
	return n
}

// wholeInput is the schema of the arguments without the defaults that are limits for models.
func (s *Spec) wholeInput() *schema.Schema {
	raw := s.Input.JSON()
	properties := rawjson.Get(raw, "properties")
	for _, name := range s.Limits {
		p := rawjson.Get(properties, name)
		if p != nil {
			properties = rawjson.Set(properties, name, rawjson.Set(p, "default", nil))
		}
	}
	input, err := schema.Parse(rawjson.Set(raw, "properties", properties))
	if err != nil { // it was parsed before: a schema with fewer words is one, too
		return s.Input
	}
	return input
}
