package tool_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"helve/tool"
)

func TestWhatIsNotShownCanBeCalledByName(t *testing.T) {
	reg := &tool.Registry{}
	for _, name := range []string{"seen", "unseen"} {
		tl := tool.New(tool.Spec{Name: name, Kind: tool.Read, Origin: tool.Origin{Kind: tool.Go, Name: name}},
			func(context.Context, *tool.Call, struct{}) (*tool.Result, error) {
				return tool.Textf("ran %s", name), nil
			})
		if err := reg.Add(tl); err != nil {
			t.Fatal(err)
		}
	}
	k := reg.Kit(tool.KitOptions{Show: func(s *tool.Spec) bool { return s.Name == "seen" }})
	v := k.View()
	if v.Len() != 1 || len(v.Unlisted()) != 1 || v.Unlisted()[0].Name != "unseen" || len(v.Withheld()) != 0 {
		t.Errorf("listed %v, unlisted %v, withheld %v", v.Specs(), v.Unlisted(), v.Withheld())
	}
	if r, err := k.Call(t.Context(), &tool.Call{Name: "unseen"}); err != nil || r.Err != nil || r.Text() != "ran unseen" {
		t.Errorf("unseen: %v, %v", r, err)
	}
}

// A model that was never shown a tool's parameters reads them when its guess was wrong.
func TestADeferredToolAnswersAWrongGuessWithItsSchema(t *testing.T) {
	reg := &tool.Registry{}
	for _, name := range []string{"seen", "unseen"} {
		tl := tool.New(tool.Spec{Name: name, Kind: tool.Read}, func(_ context.Context, _ *tool.Call, in struct {
			City string `json:"city"`
			Days int    `json:"days"`
		}) (*tool.Result, error) {
			return tool.Textf("ran"), nil
		})
		if err := reg.Add(tl); err != nil {
			t.Fatal(err)
		}
	}
	k := reg.Kit(tool.KitOptions{Show: func(s *tool.Spec) bool { return s.Name == "seen" }})
	for _, c := range []struct {
		call   tool.Call
		taught bool
	}{
		{tool.Call{Name: "unseen", Args: json.RawMessage(`{"town":"Bonn","days":"3"}`)}, true},
		{tool.Call{Name: "unseen", Args: json.RawMessage(`{"town":`)}, true},
		{tool.Call{Name: "seen", Args: json.RawMessage(`{"town":"Bonn"}`)}, false},
		{tool.Call{Name: "seen", Args: json.RawMessage(`{"town":"Bonn"}`), Unseen: true}, true},
	} {
		res, err := k.Call(t.Context(), &c.call)
		if err != nil || res.Err == nil || res.Err.Code != tool.Validation {
			t.Fatalf("%+v, %v", res, err)
		}
		if got := strings.Contains(res.Text(), `"city":{"type":"string"}`); got != c.taught {
			t.Errorf("%s %s: the model reads\n%s", c.call.Name, c.call.Args, res.Text())
		}
	}
}
