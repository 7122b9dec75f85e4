package tool_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"helve/tool"
)

func TestWhoWatchesIsToldOfEveryStepInOrder(t *testing.T) {
	person := tool.Approver{Kind: tool.ByPerson}
	for _, c := range []struct {
		name   string
		kind   tool.Kind
		answer *tool.Answer // nil: nobody can be asked
		want   []string
	}{
		{"a call that runs", tool.Read, nil, []string{"understood", "judged allow", "began mode", "end"}},
		{"nobody to ask", tool.Write, nil, []string{"understood", "judged ask", "end"}},
		{"a yes", tool.Write, &tool.Answer{Yes: true, By: person},
			[]string{"understood", "judged ask", "asked do it", "answered true", "began person", "end"}},
		{"a no", tool.Write, &tool.Answer{By: person},
			[]string{"understood", "judged ask", "asked do it", "answered false", "end"}},
	} {
		var got []string
		around := func(next tool.Caller) tool.Caller {
			return func(ctx context.Context, call *tool.Call) (*tool.Result, error) {
				defer func() { got = append(got, "end") }()
				return next(context.WithValue(ctx, whose{}, call.ID), call)
			}
		}
		o := tool.KitOptions{Around: []func(tool.Caller) tool.Caller{around}, Grants: forgetful{}}
		o.Watch = func(ctx context.Context, e tool.Event) {
			if ctx.Value(whose{}) != "7" || e.Job.Call.ID != "7" {
				t.Errorf("%s: an event of nobody's call", c.name)
			}
			word := e.Step.String()
			switch e.Step {
			case tool.Judged:
				word += " " + e.Verdict.Decision.String()
			case tool.Asked:
				word += " " + e.Question.Job.Title
			case tool.Answered:
				word += fmt.Sprintf(" %v", e.Answer.Yes)
			case tool.Began:
				word += " " + string(e.Approver.Kind)
			}
			got = append(got, word)
		}
		if c.answer != nil {
			o.Ask = func(context.Context, *tool.Question) (tool.Answer, error) { return *c.answer, nil }
		}
		r := &tool.Registry{}
		plan := func(context.Context, *tool.Call, struct{}) (*tool.Job, error) {
			return &tool.Job{Title: "do it", Run: func(context.Context) (*tool.Result, error) { return tool.Textf("done"), nil }}, nil
		}
		if err := r.Add(tool.Plan(tool.Spec{Name: "x", Kind: c.kind}, plan)); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Kit(o).Call(t.Context(), &tool.Call{ID: "7", Name: "x"}); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// whose is the key of a call's ID in its context.
type whose struct{}

func TestNobodyHearsOfACallThatWasNotUnderstood(t *testing.T) {
	r := &tool.Registry{}
	k := r.Kit(tool.KitOptions{Watch: func(context.Context, tool.Event) { t.Error("an event") }})
	if _, err := k.Call(t.Context(), &tool.Call{Name: "nothing"}); err != nil {
		t.Fatal(err)
	}
}

func TestAPanicOfWhoWatchesIsTheCallsFailure(t *testing.T) {
	r := &tool.Registry{}
	work := func(context.Context, *tool.Call, struct{}) (*tool.Result, error) { return tool.Textf("done"), nil }
	if err := r.Add(tool.New(tool.Spec{Name: "x", Kind: tool.Read}, work)); err != nil {
		t.Fatal(err)
	}
	k := r.Kit(tool.KitOptions{Watch: func(context.Context, tool.Event) { panic("watching") }})
	res, err := k.Call(t.Context(), &tool.Call{Name: "x"})
	if err != nil || res.Err == nil || res.Err.Code != tool.Unknown {
		t.Errorf("%+v, %v", res, err)
	}
}

func BenchmarkWatch(b *testing.B) {
	r := &tool.Registry{}
	work := func(context.Context, *tool.Call, struct{}) (*tool.Result, error) { return tool.Textf("done"), nil }
	if err := r.Add(tool.New(tool.Spec{Name: "x", Kind: tool.Read}, work)); err != nil {
		b.Fatal(err)
	}
	steps := 0
	for name, watch := range map[string]func(context.Context, tool.Event){
		"nobody":   nil,
		"somebody": func(context.Context, tool.Event) { steps++ },
	} {
		k := r.Kit(tool.KitOptions{Watch: watch})
		c := &tool.Call{Name: "x"}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := k.Call(b.Context(), c); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
