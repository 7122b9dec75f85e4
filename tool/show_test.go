package tool_test

import (
	"context"
	"testing"

	"helve/tool"
)

func TestWhatIsNotShownCanBeCalledByName(t *testing.T) {
	reg := &tool.Registry{}
	for _, name := range []string{"seen", "unseen"} {
		tl := tool.New(tool.Spec{Name: name, Kind: tool.Read, Origin: tool.Origin{Kind: tool.Go, Name: name}},
			func(context.Context, *tool.Call, struct{}) (*tool.Result, error) {
				return tool.Textf("ran "+name, ""), nil
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
