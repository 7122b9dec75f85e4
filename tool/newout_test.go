package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"helve/tool"
)

// A tool whose function returns a value promises it in its schema, and the model reads it.
func ExampleNewOut() {
	type place struct {
		City string `json:"city" jsonschema:"the city, by its English name"`
	}
	type weather struct {
		City    string `json:"city"`
		Celsius int    `json:"celsius"`
	}
	spec := tool.Spec{
		Name:    "forecast",
		Kind:    tool.Read,
		Touches: tool.Nothing,
		Doc:     tool.Doc{Short: "Tells tomorrow's weather."},
	}
	forecast := tool.NewOut(spec, func(_ context.Context, _ *tool.Call, in place) (weather, error) {
		return weather{in.City, 21}, nil
	})
	var reg tool.Registry
	if err := reg.Add(forecast); err != nil {
		panic(err)
	}
	call := &tool.Call{Name: "forecast", Args: json.RawMessage(`{"city":"Oslo"}`)}
	res, _ := reg.Kit(tool.KitOptions{}).Call(context.Background(), call)
	fmt.Println(res.Text())
	fmt.Println(string(forecast.Spec().Output.JSON()))
	// Output:
	// {"city":"Oslo","celsius":21}
	// {"type":"object","properties":{"city":{"type":"string"},"celsius":{"type":"integer"}},"required":["city","celsius"],"additionalProperties":false}
}

type sum struct {
	Total int `json:"total"`
}

func (s sum) Text() string { return fmt.Sprintf("together %d", s.Total) }

func TestAValueThatKnowsItsTextIsReadSo(t *testing.T) {
	add := tool.NewOut(tool.Spec{Name: "add", Kind: tool.Read}, func(_ context.Context, _ *tool.Call, in struct {
		A, B int
	}) (sum, error) {
		if in.A < 0 {
			return sum{}, errors.New("below nothing")
		}
		return sum{in.A + in.B}, nil
	})
	kit := k2(t, tool.KitOptions{}, add)
	res := call(t, kit, "add", `{"A":1,"B":2}`)
	if res.Text() != "together 3" || string(res.Data) != `{"total":3}` {
		t.Errorf("the model reads %q, a program %s", res.Text(), res.Data)
	}
	if res = call(t, kit, "add", `{"A":-1,"B":2}`); res.Err == nil || !strings.Contains(res.Text(), "below nothing") {
		t.Errorf("a function that failed: %q", res.Text())
	}
}

// What is no tool is an error that names tool, field and tag where somebody can look at it, and a panic with the same words elsewhere.
func TestWhatIsNoToolIsAnError(t *testing.T) {
	type bad struct {
		When chan int `json:"when"`
	}
	type badTag struct {
		N int `json:"n" jsonschema:"minimum=few"`
	}
	type in struct{}
	spec := tool.Spec{Name: "clock", Kind: tool.Read}
	for name, c := range map[string]struct {
		make func() (tool.Tool, error)
		want []string
	}{
		"a channel": {func() (tool.Tool, error) {
			return tool.Make(spec, func(context.Context, *tool.Call, bad) (*tool.Result, error) { return nil, nil })
		}, []string{"tool clock", "field When", "chan int"}},
		"a tag": {func() (tool.Tool, error) {
			return tool.Make(spec, func(context.Context, *tool.Call, badTag) (*tool.Result, error) { return nil, nil })
		}, []string{"tool clock", "field N", "minimum=few"}},
		"no name": {func() (tool.Tool, error) {
			return tool.Make(tool.Spec{}, func(context.Context, *tool.Call, in) (*tool.Result, error) { return nil, nil })
		}, []string{"needs a name"}},
		"a result": {func() (tool.Tool, error) {
			return tool.MakeOut(spec, func(context.Context, *tool.Call, in) (bad, error) { return bad{}, nil })
		}, []string{"tool clock", "its result", "field When"}},
		"a result that is no object": {func() (tool.Tool, error) {
			return tool.MakeOut(spec, func(context.Context, *tool.Call, in) (string, error) { return "", nil })
		}, []string{"tool clock", "its result", "want a struct"}},
	} {
		made, err := c.make()
		if err == nil {
			t.Errorf("%s: made %v", name, made.Spec())
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q does not say %q", name, err, want)
			}
		}
	}
	defer func() {
		if said := fmt.Sprint(recover()); !strings.Contains(said, "field When") {
			t.Errorf("New panicked with %q", said)
		}
	}()
	tool.New(spec, func(context.Context, *tool.Call, bad) (*tool.Result, error) { return nil, nil })
}

// reads is an input that says what a call reads.
type reads struct{ Path string }

func (r reads) Effects() []tool.Effect { return []tool.Effect{{Kind: tool.Read, Target: r.Path}} }

// A spec says how its jobs are known, so that a program can be told of a tool that leaves it open.
func TestASpecSaysWhoTellsWhatItTouches(t *testing.T) {
	spec := tool.Spec{Name: "x", Kind: tool.Read}
	for name, c := range map[string]struct {
		tool tool.Tool
		want tool.Touches
	}{
		"a function": {tool.New(spec, func(context.Context, *tool.Call, struct{}) (*tool.Result, error) { return nil, nil }), tool.Unsaid},
		"an input":   {tool.New(spec, func(context.Context, *tool.Call, reads) (*tool.Result, error) { return nil, nil }), tool.EachJob},
		"a plan":     {tool.Plan(spec, func(context.Context, *tool.Call, struct{}) (*tool.Job, error) { return nil, nil }), tool.EachJob},
	} {
		if got := c.tool.Spec().Touches; got != c.want {
			t.Errorf("%s: touches %d, want %d", name, got, c.want)
		}
	}
}
