package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"helve/policy"
	"helve/tool"
)

// A layer is a draft of files in memory, beside those on disk.
type layer struct {
	mu    sync.Mutex
	files map[string]string
	seen  bool // somebody must see it before it is kept
	none  bool // it has a tool for nothing
}

type putIn struct {
	Path string `json:"path" jsonschema:"maxLength=20"`
}

func putSpec() tool.Spec {
	return tool.Spec{
		Name: "put", Kind: tool.Write, Origin: tool.Origin{Kind: tool.Builtin, Name: "put"}, Doc: tool.Doc{Short: "Writes."},
	}
}

// put writes to files.
func put(files func(path string), seen func()) tool.Tool {
	return tool.Plan(putSpec(), func(_ context.Context, c *tool.Call, in putIn) (*tool.Job, error) {
		return &tool.Job{
			Title:   "put " + in.Path,
			Effects: []tool.Effect{{Kind: tool.Write, Target: in.Path}},
			Review:  seen,
			Drafted: true, // a tool's word for it counts nothing
			Run: func(context.Context) (*tool.Result, error) {
				files(in.Path)
				return tool.Textf("%s by %s", in.Path, c.By.Kind), nil
			},
		}, nil
	})
}

func (l *layer) In(t tool.Tool) tool.Tool {
	if t.Spec().Name != "put" || l.none {
		return nil
	}
	write := func(path string) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.files[path] = "drafted"
	}
	return put(write, func() { l.seen = true })
}

// A call in a draft is that of the tool which the draft has for it: found, checked and judged as any other.
func TestACallInADraftIsDoneThere(t *testing.T) {
	disk := map[string]string{}
	r := &tool.Registry{}
	if err := r.Add(put(func(path string) { disk[path] = "written" }, nil)); err != nil {
		t.Fatal(err)
	}
	rules, err := policy.New(policy.Options{Mode: policy.AskFirst}, policy.Layer{Rules: []policy.Rule{
		{Decision: tool.Allow, Text: "put:free"}, {Decision: tool.Deny, Text: "put:denied"}, {Decision: tool.Ask, Text: "put:asked"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	ask := func(context.Context, *tool.Question) (tool.Answer, error) {
		asked++
		return tool.Answer{Yes: true, By: tool.Approver{Kind: tool.ByPerson}}, nil
	}
	grants := policy.NewGrants(policy.GrantOptions{Workspace: "w", Store: policy.Memory()})
	kit := r.Kit(tool.KitOptions{Policy: rules, Ask: ask, Grants: grants})
	call := func(l *layer, path string) *tool.Result {
		t.Helper()
		c := &tool.Call{Name: "put", Args: json.RawMessage(fmt.Sprintf(`{"path":%q}`, path))}
		if l != nil {
			c.Draft = l
		}
		res, err := kit.Call(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	for _, c := range []struct {
		path, text        string
		drafted, ask, see bool
	}{
		{path: "a", text: "a by mode", drafted: true, see: true},
		{path: "free", text: "free by rule", drafted: true},
		{path: "asked", text: "asked by person", drafted: true, ask: true},
		{path: "denied"},
		{path: "0123456789012345678901234567890"},
	} {
		l := &layer{files: map[string]string{}}
		before := asked
		res := call(l, c.path)
		if (res.Err == nil) != c.drafted || c.drafted && res.Text() != c.text {
			t.Errorf("%s: got %s", c.path, res.Text())
		}
		if (l.files[c.path] != "") != c.drafted || len(disk) > 0 || l.seen != c.see || (asked > before) != c.ask {
			t.Errorf("%s: draft %v, disk %v, to be seen %v, asked %d", c.path, l.files, disk, l.seen, asked-before)
		}
		if c.drafted && (!res.Job.Drafted || res.Spec.Name != "put" || res.Verdict.Review != c.see) {
			t.Errorf("%s: %+v, %+v", c.path, res.Job, res.Verdict)
		}
	}
	// Where the draft has none, and where there is no draft, the tool works on the disk.
	for _, l := range []*layer{nil, {none: true}} {
		if res := call(l, "b"); res.Job.Drafted || res.Text() != "b by person" || disk["b"] != "written" {
			t.Errorf("got %s, %v, %v", res.Text(), res.Job.Drafted, disk)
		}
		delete(disk, "b")
	}
	// What a person has said yes to for always need not be seen.
	j, err := kit.Understand(t.Context(), &tool.Call{Name: "put", Args: json.RawMessage(`{"path":"known"}`)})
	if err != nil {
		t.Fatal(err)
	}
	if err := grants.Remember(j, tool.Answer{Yes: true, For: tool.Always, By: tool.Approver{Kind: tool.ByPerson}}); err != nil {
		t.Fatal(err)
	}
	l := &layer{files: map[string]string{}}
	if res := call(l, "known"); res.Text() != "known by grant" || l.seen || len(disk) > 0 || res.Verdict.Review {
		t.Errorf("got %s, to be seen %v, %v", res.Text(), l.seen, disk)
	}
}
