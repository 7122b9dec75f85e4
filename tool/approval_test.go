package tool_test

import (
	"context"
	"errors"
	"testing"

	"helve/tool"
)

func TestWhoeverIsThereIsAsked(t *testing.T) {
	gone := errors.New("gone")
	says := func(a tool.Answer, err error) tool.Asker {
		return func(context.Context, *tool.Question) (tool.Answer, error) { return a, err }
	}
	nobody := says(tool.Answer{Unasked: true, Note: "nobody"}, nil)
	yes, no := says(tool.Answer{Yes: true}, nil), says(tool.Answer{Note: "no"}, nil)
	need := says(tool.Answer{Need: &tool.Need{}}, nil)
	for _, c := range []struct {
		name   string
		askers []tool.Asker
		yes    bool
		note   string
		need   bool
		err    error
	}{
		{"the first", []tool.Asker{yes, no}, true, "", false, nil},
		{"a no is an answer", []tool.Asker{no, yes}, false, "no", false, nil},
		{"the first is not there", []tool.Asker{nobody, nil, yes}, true, "", false, nil},
		{"nobody is there", []tool.Asker{nobody, nobody}, false, "nobody", false, nil},
		{"the client must be asked", []tool.Asker{nobody, need, yes}, false, "", true, nil},
		{"the first breaks", []tool.Asker{says(tool.Answer{}, gone), yes}, false, "", false, gone},
	} {
		a, err := tool.AskInTurn(c.askers...)(t.Context(), &tool.Question{})
		if a.Yes != c.yes || a.Note != c.note || (a.Need != nil) != c.need || !errors.Is(err, c.err) {
			t.Errorf("%s: %+v, %v", c.name, a, err)
		}
	}
	if tool.AskInTurn() != nil || tool.AskInTurn(nil, nil) != nil {
		t.Error("nobody can be asked")
	}
}
