package tool

import (
	"context"
	"fmt"
	"reflect"

	"helve/engine/schema"
)

// NewOut makes a tool of a function that returns a value: Spec.Output is the schema of the struct type Out, the result's
// data is the value, and the text that a model reads is Out's own, Text() string, where it has that method, else the
// data as JSON. In is as New says, and so are panics; MakeOut returns the error.
//
//	forecast := tool.NewOut(tool.Spec{Name: "forecast", Kind: tool.Read, Touches: tool.Nothing},
//		func(ctx context.Context, c *tool.Call, in where) (weather, error) { … })
func NewOut[In, Out any](s Spec, run func(context.Context, *Call, In) (Out, error)) Tool {
	return must(MakeOut(s, run))
}

// MakeOut is NewOut with the error of a spec, an In or an Out that is no tool's. An Out is a struct, or a pointer to
// one: structured content is an object in every protocol.
func MakeOut[In, Out any](s Spec, run func(context.Context, *Call, In) (Out, error)) (Tool, error) {
	if s.Output == nil {
		out, err := schema.ForType(reflect.TypeFor[Out]())
		if err != nil {
			return nil, fmt.Errorf("tool %s: its result: %w", s.Name, err)
		}
		s.Output = out
	}
	return Make(s, func(ctx context.Context, c *Call, in In) (*Result, error) {
		out, err := run(ctx, c, in)
		if err != nil {
			return nil, err
		}
		return returned(out)
	})
}

// returned is the result of a call that returned a value.
func returned(out any) (*Result, error) {
	if v := reflect.ValueOf(out); v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, fmt.Errorf("it returned neither a result nor an error")
	}
	res := (&Result{}).WithData(out)
	if res.Data == nil {
		return nil, fmt.Errorf("its result, a %T, has no JSON form", out)
	}
	text := string(res.Data)
	if known, ok := out.(Rendered); ok {
		text = known.Text()
	}
	res.Parts = []Part{Text(text)}
	return res, nil
}
