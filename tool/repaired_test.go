package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"helve/tool"
)

// What was mended is told, and it is the mended call that is judged, shown and run.
func TestAnApprovalShowsTheRepairedArguments(t *testing.T) {
	var seen, ran string
	var reg tool.Registry
	put := tool.New(tool.Spec{Name: "put", Kind: tool.Write}, func(_ context.Context, c *tool.Call, in struct {
		Count int `json:"count"`
	}) (*tool.Result, error) {
		ran = string(c.Args)
		return tool.Textf("done"), nil
	})
	if err := reg.Add(put); err != nil {
		t.Fatal(err)
	}
	kit := reg.Kit(tool.KitOptions{Ask: func(_ context.Context, q *tool.Question) (tool.Answer, error) {
		seen = string(q.Job.Call.Args)
		return tool.Answer{Yes: true}, nil
	}})
	res, err := kit.Call(t.Context(), &tool.Call{Name: "put", Args: json.RawMessage("```json\n{\"count\":\"10\",}\n```")})
	if err != nil || res.Err != nil {
		t.Fatal(err, res)
	}
	if want := `{"count":10}`; seen != want || ran != want {
		t.Errorf("shown %s, run %s, want %s", seen, ran, want)
	}
	if notes := strings.Join(res.Repairs, "; "); !strings.Contains(notes, `count: "10" read as 10`) {
		t.Errorf("notes %q", notes)
	}
}

// What was mended before a call failed is told as well: whoever reads the result sees which arguments were judged.
func TestAFailedCallTellsItsRepairs(t *testing.T) {
	type in struct {
		Count int    `json:"count"`
		Mode  string `json:"mode,omitempty" jsonschema:"enum=plan,enum=ask"`
	}
	var reg tool.Registry
	err := reg.Add(
		tool.New(tool.Spec{Name: "broken", Kind: tool.Read}, func(context.Context, *tool.Call, in) (*tool.Result, error) {
			return nil, errors.New("no luck")
		}),
		tool.Plan(tool.Spec{Name: "stuck", Kind: tool.Read}, func(context.Context, *tool.Call, in) (*tool.Job, error) {
			return nil, errors.New("no such thing")
		}),
		tool.New(tool.Spec{Name: "forbidden", Kind: tool.Write}, func(context.Context, *tool.Call, in) (*tool.Result, error) {
			return tool.Textf("done"), nil
		}),
	)
	if err != nil {
		t.Fatal(err)
	}
	no := func(context.Context, *tool.Question) (tool.Answer, error) { return tool.Answer{}, nil }
	kit := reg.Kit(tool.KitOptions{Ask: no})
	for _, c := range []struct {
		name, args string
		code       tool.Code
	}{
		{"broken", `{"count":"10"}`, tool.Execution},
		{"stuck", `{"count":"10"}`, tool.Execution},
		{"forbidden", `{"count":"10"}`, tool.Permission},
		{"broken", `{"count":"10","mode":"x"}`, tool.Validation},
	} {
		res, err := kit.Call(t.Context(), &tool.Call{Name: c.name, Args: json.RawMessage(c.args)})
		if err != nil || res.Err == nil || res.Err.Code != c.code {
			t.Errorf("%s %s: %+v, %v, want %s", c.name, c.args, res, err, c.code)
			continue
		}
		if notes := strings.Join(res.Repairs, "; "); !strings.Contains(notes, `count: "10" read as 10`) {
			t.Errorf("%s %s: notes %q", c.name, c.args, notes)
		}
	}
}
