package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"helve/engine/schema"
)

// What an input type may say of itself, with a value or a pointer receiver. Guard each use:
//
//	var _ tool.Validator = (*readIn)(nil)
type (
	// A Validator checks what a schema cannot say. Its error is the model's to mend.
	Validator interface{ Validate() error }

	// An Effecter knows what the call would do. Without it the effects are unknown, and judged as
	// the worst of the tool's kind.
	Effecter interface{ Effects() []Effect }

	// A Stringer gives the job's title: func (in readIn) String() string { return "read " +
	// in.FilePath }
	Stringer = fmt.Stringer
)

// New makes a tool of one function. The struct type In gives the parameters: json tags their names,
// jsonschema tags description, enum, default and bounds; see schema.For. An error of run is the
// model's; see Result. Say in Spec.Touches what the tool touches, or give In Effects.
//
// New panics if the spec or In is no tool's: a first test run finds that. Make returns the error.
func New[In any](s Spec, run func(context.Context, *Call, In) (*Result, error)) Tool {
	return must(Make(s, run))
}

// Make is New for what is known at run time only: a spec or an In that is no tool's is an error, which names tool, field
// and tag.
func Make[In any](s Spec, run func(context.Context, *Call, In) (*Result, error)) (Tool, error) {
	of := reflect.TypeFor[In]()
	if s.Touches == Unsaid && says(of) {
		s.Touches = EachJob
	}
	return planned(s, of, func(_ context.Context, c *Call, in any) (*Job, error) {
		v := *in.(*In)
		return &Job{Run: func(ctx context.Context) (*Result, error) { return run(ctx, c, v) }}, nil
	})
}

// Plan makes a tool of a function that understands the call and returns the job: for tools with
// effects or previews of their own. plan must not read content, dial or start anything. What it
// leaves empty, In's methods fill in. It panics as New does.
func Plan[In any](s Spec, plan func(context.Context, *Call, In) (*Job, error)) Tool {
	if s.Touches == Unsaid {
		s.Touches = EachJob
	}
	// This is compiled once more for each type, so that it is short: the rest knows the type by reflection.
	return must(planned(s, reflect.TypeFor[In](), func(ctx context.Context, c *Call, in any) (*Job, error) {
		return plan(ctx, c, *in.(*In))
	}))
}

// must is for what a first test run finds.
func must(t Tool, err error) Tool {
	if err != nil {
		panic(err.Error())
	}
	return t
}

// says tells that the type is an Effecter, or a pointer to it is.
func says(of reflect.Type) bool {
	effecter := reflect.TypeFor[Effecter]()
	return of.Implements(effecter) || reflect.PointerTo(of).Implements(effecter)
}

// planned makes a tool whose parameters are those of the type of; plan gets a pointer to one.
func planned(s Spec, of reflect.Type, plan func(context.Context, *Call, any) (*Job, error)) (Tool, error) {
	spec := completed(s)
	if s.Input == nil {
		in, err := schema.ForType(of)
		if err != nil {
			return nil, fmt.Errorf("tool %s: %w", s.Name, err)
		}
		spec.Input = in
	}
	if err := spec.valid(); err != nil {
		return nil, err
	}
	return &made{spec, func(ctx context.Context, c *Call) (*Job, error) {
		in := reflect.New(of).Interface()
		if err := decode(c.Args, in); err != nil {
			return nil, err
		}
		j, err := plan(ctx, c, in)
		if err != nil || j == nil {
			return nil, err
		}
		fill(j, in)
		return j, nil
	}}, nil
}

// Raw makes a tool with a foreign schema, s.Input; run gets arguments that satisfy it. It never
// panics.
func Raw(s Spec, run func(context.Context, *Call, json.RawMessage) (*Result, error)) (Tool, error) {
	spec := completed(s)
	if err := spec.valid(); err != nil {
		return nil, err
	}
	return &made{spec, func(_ context.Context, c *Call) (*Job, error) {
		return &Job{Run: func(ctx context.Context) (*Result, error) { return run(ctx, c, c.Args) }}, nil
	}}, nil
}

type made struct {
	spec    *Spec
	prepare func(context.Context, *Call) (*Job, error)
}

func (m *made) Spec() *Spec                                        { return m.spec }
func (m *made) Prepare(ctx context.Context, c *Call) (*Job, error) { return m.prepare(ctx, c) }

// completed is a copy of the spec with its defaults.
func completed(s Spec) *Spec {
	if s.Version == "" {
		s.Version = "1.0.0"
	}
	if s.Origin == (Origin{}) {
		s.Origin = Origin{Kind: Go, Name: s.Name}
	}
	if s.Kind == Read {
		s.ReadOnly = true
	}
	return &s
}

func (s *Spec) valid() error {
	switch {
	case s.Name == "":
		return errors.New("tool: a tool needs a name")
	case s.Origin.Name == "":
		return fmt.Errorf("tool %s: its origin needs a name", s.Name)
	case s.Kind >= State: // what a tool does has a kind, what it remembers is an effect
		return fmt.Errorf("tool %s: unknown kind %d", s.Name, s.Kind)
	case s.ReadOnly && (s.Kind == Write || s.Kind == Exec) && ours(s):
		return fmt.Errorf("tool %s: a tool of kind %s is not read-only", s.Name, s.Kind)
	}
	return nil
}

// decode turns checked arguments into the tool's own type, a pointer to which is in.
func decode(args json.RawMessage, in any) error {
	if err := json.Unmarshal(orEmpty(args), in); err != nil {
		return invalid(plainly(err))
	}
	v, ok := in.(Validator)
	if !ok {
		return nil
	}
	err := v.Validate()
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return invalid(err)
}

// plainly tells in words what a Go type cannot hold although the schema allows it: a number that is too large, as a
// rule.
func plainly(err error) error {
	bad, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return err
	}
	what := "is of another type than the tool can take"
	if strings.HasPrefix(bad.Value, "number") {
		what = "the number is larger than the tool can take"
	}
	if bad.Field == "" {
		return errors.New(what)
	}
	return fmt.Errorf("%s: %s", bad.Field, what)
}

// invalid says what is wrong with the arguments, in the words that a failed Check begins with.
func invalid(err error) *Error {
	return Verbatim(Validation, "Parameter validation failed: %w", err)
}

func fill(j *Job, in any) {
	if s, ok := in.(Stringer); ok && j.Title == "" {
		j.Title = s.String()
	}
	if e, ok := in.(Effecter); ok && j.Effects == nil {
		j.Effects = e.Effects()
	}
}
