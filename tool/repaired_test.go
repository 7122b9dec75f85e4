package tool_test

import (
	"context"
	"encoding/json"
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
		return tool.Textf("done", ""), nil
	})
	if err := reg.Add(put); err != nil {
		t.Fatal(err)
	}
	kit := reg.Kit(tool.KitOptions{Write: true, Ask: func(_ context.Context, j *tool.Job, _ tool.Display) (tool.Answer, error) {
		seen = string(j.Call.Args)
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
