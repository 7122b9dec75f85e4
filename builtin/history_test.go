package builtin_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/builtin"
	"helve/tool"
)

// withPast is a workspace that remembers what calls change, and the tools by which a person has it taken back.
func withPast(t *testing.T, o builtin.Options) (h, past *fixture) {
	t.Helper()
	o.History.On = true
	h = open(t, o)
	reg := &tool.Registry{}
	if err := reg.Add(builtin.PastByPerson(h.ws)...); err != nil {
		t.Fatal(err)
	}
	return h, &fixture{t: t, dir: h.dir, ws: h.ws, kit: reg.Kit(tool.KitOptions{Policy: allowAll{}}), state: h.state}
}

// must is the text of a call that has to succeed.
func (h *fixture) must(name string, a args) string {
	h.t.Helper()
	res := h.call(name, a)
	if res.Err != nil {
		h.t.Fatalf("%s %v: %s", name, a, res.Text())
	}
	return res.Text()
}

// read is what is in a file of the workspace; "" where there is none.
func (h *fixture) read(name string) string {
	b, err := os.ReadFile(filepath.Join(h.dir, name))
	if err != nil && !os.IsNotExist(err) {
		h.t.Fatal(err)
	}
	return string(b)
}

// made makes calls on behalf of another one, and returns their parent.
func (h *fixture) made(calls ...args) string {
	h.t.Helper()
	script := &tool.Call{ID: "7"}
	parent := script.AsParent()
	for _, a := range calls {
		b, err := json.Marshal(a)
		if err != nil {
			h.t.Fatal(err)
		}
		c := &tool.Call{Name: "write", Args: b, Parent: parent}
		res, err := h.kit.Call(context.Background(), c)
		if err != nil || res.Err != nil {
			h.t.Fatalf("%v: %v, %v", a, err, res)
		}
	}
	return parent
}

// What a script did is one undo, and so is it by its ID; one of its calls can be undone by its own.
func TestCallsOfOneParentAreOneUndo(t *testing.T) {
	h, past := withPast(t, writing())
	h.must("write", args{"file_path": "before", "contents": "kept\n"})
	parent := h.made(
		args{"file_path": "a", "contents": "1\n"},
		args{"file_path": "b", "contents": "2\n"},
		args{"file_path": "a", "contents": "3\n"},
	)
	if list := past.must("history", args{}); strings.Count(list, "(part of "+parent+")") != 3 {
		t.Errorf("three calls belong together:\n%s", list)
	}
	past.must("undo", args{})
	if h.read("a") != "" || h.read("b") != "" || h.read("before") != "kept\n" {
		t.Errorf("after the undo: a %q, b %q, before %q", h.read("a"), h.read("b"), h.read("before"))
	}
	past.must("redo", args{})
	if h.read("a") != "3\n" || h.read("b") != "2\n" {
		t.Errorf("after the redo: a %q, b %q", h.read("a"), h.read("b"))
	}
	if diff := past.must("diff", args{"calls": parent[:4]}); !strings.Contains(diff, "+3") || !strings.Contains(diff, "+2") {
		t.Errorf("the diff of all of them:\n%s", diff)
	}
	past.must("undo", args{"call": parent})
	if h.read("a") != "" || h.read("b") != "" {
		t.Errorf("undone by the parent: a %q, b %q", h.read("a"), h.read("b"))
	}
	if res := past.call("undo", args{"call": parent}); !strings.Contains(res.Text(), "undone already") {
		t.Errorf("a second time: %s", res.Text())
	}
}

// A call of a family can be undone alone; the family's undo then takes the others.
func TestOneOfAFamilyIsUndoneByItsOwnID(t *testing.T) {
	h, past := withPast(t, writing())
	parent := h.made(args{"file_path": "a", "contents": "1\n"}, args{"file_path": "b", "contents": "2\n"})
	var data struct {
		Calls []struct{ ID, Parent string }
	}
	if err := json.Unmarshal(past.call("history", args{}).Data, &data); err != nil {
		t.Fatal(err)
	}
	if len(data.Calls) != 2 || data.Calls[0].Parent != parent {
		t.Fatalf("got %+v", data.Calls)
	}
	past.must("undo", args{"call": data.Calls[1].ID})
	if h.read("a") != "" || h.read("b") != "2\n" {
		t.Errorf("one of two: a %q, b %q", h.read("a"), h.read("b"))
	}
	past.must("undo", args{})
	if h.read("b") != "" {
		t.Errorf("the other one: b %q", h.read("b"))
	}
}

// What no tool writes is left alone and named, with the rest of its repository; everything else of the call is undone.
func TestUndoLeavesWhatNoToolWrites(t *testing.T) {
	o := writing()
	guarded := false
	o.Guarded = func(target string) string {
		if guarded && target == "r/.git/description" {
			return "git runs programs that it names"
		}
		return ""
	}
	h, past := withPast(t, o)
	h.made(
		args{"file_path": "x", "contents": "x\n"},
		args{"file_path": "r/.git/HEAD", "contents": "ref\n"},
		args{"file_path": "r/.git/description", "contents": "[core]\n"},
		args{"file_path": "other/.git/HEAD", "contents": "ref\n"},
	)
	guarded = true
	res := past.call("undo", args{"force": true})
	for _, want := range []string{
		"Left alone: r/.git/description: it is never written by a tool: git runs programs that it names",
		"Left alone: r/.git/HEAD: a part of this repository is never written by a tool",
	} {
		if !strings.Contains(res.Text(), want) {
			t.Errorf("the result does not say %q:\n%s", want, res.Text())
		}
	}
	if res.Err == nil || h.read("r/.git/HEAD") != "ref\n" || h.read("r/.git/description") != "[core]\n" {
		t.Errorf("what was to stay: %q %q", h.read("r/.git/HEAD"), h.read("r/.git/description"))
	}
	if h.read("x") != "" || h.read("other/.git/HEAD") != "" {
		t.Errorf("what was to be undone: %q %q", h.read("x"), h.read("other/.git/HEAD"))
	}
}
