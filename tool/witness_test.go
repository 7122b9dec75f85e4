package tool_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"helve/tool"
)

// Another's tool never takes a name by which one of ours is known.
func TestAnAliasOfOursIsNoOneElsesName(t *testing.T) {
	ours := with(tool.Spec{Name: "read", Aliases: []string{"read_file", "cat"}, Kind: tool.Read}, done)
	var foreign []tool.Tool
	for _, name := range []string{"cat", "read_file", "other"} {
		foreign = append(foreign, with(tool.Spec{Name: name, Kind: tool.Read, Origin: tool.Origin{Kind: tool.Command, Name: name}}, done))
	}
	for _, tools := range [][]tool.Tool{append([]tool.Tool{ours}, foreign...), append(foreign[:3:3], ours)} {
		k := registry(t, tools...).Kit(tool.KitOptions{Policy: rules{judge: allow[*tool.Job]}})
		got := names(k.View())
		for _, name := range got {
			if name == "cat" || name == "read_file" {
				t.Errorf("%s is another's in %v", name, got)
			}
		}
		if len(got) != 4 || !k.View().Has("other") {
			t.Errorf("%v", got)
		}
	}
}

// An error that a tool returns without its name gets it wherever the error is shown, and what the tool says besides
// stays.
func TestAnErrorHasItsToolsNameWhereverItStands(t *testing.T) {
	nameless := tool.Errorf(tool.Execution, "no such thing")
	for _, c := range []struct {
		res           *tool.Result
		text, display string
	}{
		{&tool.Result{Err: nameless}, "x: no such thing", ""},
		{&tool.Result{Err: nameless, Display: tool.Summary(nameless.Error())}, "x: no such thing", "Error: x: no such thing."},
		{&tool.Result{Err: nameless, Parts: []tool.Part{tool.Text("its own words")}, Display: tool.Summary("own")}, "its own words", "own"},
	} {
		k := k2(t, tool.KitOptions{}, with(tool.Spec{Name: "x", Kind: tool.Read}, func(context.Context) (*tool.Result, error) {
			return c.res, nil
		}))
		got := call(t, k, "x", `{}`)
		if !strings.Contains(got.Text(), c.text) || got.Err.Tool != "x" {
			t.Errorf("text %q, tool %q, want %q", got.Text(), got.Err.Tool, c.text)
		}
		if shown, _ := got.Display.(tool.Summary); c.display != "" && string(shown) != c.display {
			t.Errorf("display %q, want %q", shown, c.display)
		}
	}
}

// A host that ends while an approved call runs learns so.
func TestAHostThatEndsDuringAnApprovedCallIsTold(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	k := k2(t, tool.KitOptions{Policy: rules{judge: ask[*tool.Job]}, Ask: yes}, with(tool.Spec{Name: "x", Kind: tool.Read}, func(context.Context) (*tool.Result, error) {
		stop()
		return tool.Textf("done"), nil
	}))
	if _, err := k.Call(ctx, &tool.Call{Name: "x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
