package script_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"helve/script"
	"helve/tool"
)

// remoteTool is a tool of an MCP server.
func remoteTool(t *testing.T, name string) tool.Tool {
	t.Helper()
	wire := json.RawMessage(fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object","properties":{"path":{"type":"string"}}}}`, name))
	x, err := tool.Raw(tool.Spec{Name: name, Origin: tool.Origin{Kind: tool.MCP, Server: "srv", Name: name}, Wire: wire},
		func(_ context.Context, _ *tool.Call, args json.RawMessage) (*tool.Result, error) {
			return tool.Textf("%s %s", name, args), nil
		})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// A script that goes another way when it runs again, as the tools are others by then, ends with what it did, and makes no
// other call in place of the one that was approved.
func TestAScriptThatGoesAnotherWayTheSecondTimeEndsWithWhatItDid(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"another call", "n = add(a=1).sum\nput(path='late' if hasattr(srv, 'late') else 'early')",
			`it calls put {"path":"late"} where it called put {"path":"early"}`},
		{"another tool", "n = add(a=1).sum\n(srv.first if hasattr(srv, 'late') else put)(path='x')", `it calls mcp__srv__first`},
		{"a call less", "n = add(a=1).sum\nadd(a=5) if not hasattr(srv, 'late') else None\nput(path='x')", `it calls put {"path":"x"} where`},
		{"an end before it", "n = add(a=1).sum\nput(path='x') if not hasattr(srv, 'late') else 7", "it did not call put again"},
	} {
		var said atomic.Value
		b := newBench(t, tool.KitOptions{Ask: client(&said)})
		add, _ := b.kit.View().Get("add")
		put, _ := b.kit.View().Get("put")
		scripts := script.Tool(nil, script.Options{})
		t.Cleanup(func() { scripts.Close() })
		r := &tool.Registry{}
		if err := r.Add(scripts, add, put, remoteTool(t, "first")); err != nil {
			t.Fatal(err)
		}
		b.kit = r.Kit(tool.KitOptions{Ask: client(&said)})
		args := map[string]any{"script": c.source}
		first := b.call(args, nil)
		if first.Need == nil {
			t.Fatalf("%s: %s", c.name, first.Text())
		}
		if err := r.Add(remoteTool(t, "late")); err != nil {
			t.Fatal(err)
		}
		res := b.call(args, &tool.Resume{State: first.Need.State, Answers: json.RawMessage(`{"approval":"yes"}`)})
		if res.Err == nil || !strings.Contains(res.Text(), "another way") || !strings.Contains(res.Text(), c.want) ||
			!strings.Contains(res.Text(), `add {"a":1} (done)`) {
			t.Errorf("%s: got %s\nwant %q in it", c.name, res.Text(), c.want)
		}
		if b.writes.Load() != 0 {
			t.Errorf("%s: %d writes", c.name, b.writes.Load())
		}
	}
}

// Functions of a parallel that share a list do the same to it however long each call takes, and also when the script runs
// again from its beginning: what they do does not depend on time, so that nothing they share has to be frozen.
func TestWhatAParallelDoesNeverDependsOnTime(t *testing.T) {
	const source = `
seen, total = [], {"n": 0}
def f(i):
    seen.append(i)
    total["n"] = total["n"] * 3 % 1009 + pause(a=i)["sum"]
    seen.append(-i)
    if i % 4 == 0: put(path=str(total["n"]))
    seen.append(100 + i)
    return total["n"]
r = parallel([(lambda i=i: f(i)) for i in range(11)])
[r, seen, total["n"]]
`
	pause := tool.Renders[sum](tool.New(
		tool.Spec{Name: "pause", Kind: tool.Read, Origin: tool.Origin{Kind: tool.Builtin, Name: "pause"}, Doc: tool.Doc{Short: "Waits."}},
		func(_ context.Context, _ *tool.Call, in addIn) (*tool.Result, error) {
			time.Sleep(rand.N(6 * time.Millisecond))
			return tool.Render(sum{Sum: in.A}), nil
		}))
	want := newBench(t, tool.KitOptions{Ask: yes}, pause).run(source)
	if want.Err != nil {
		t.Fatal(want.Text())
	}
	for range 4 {
		var said atomic.Value
		b := newBench(t, tool.KitOptions{Ask: client(&said)}, pause)
		res, asked := b.rounds(source, `{"approval":"yes"}`)
		if res.Text() != want.Text() || b.writes.Load() != 3 || len(asked) != 3 {
			t.Errorf("in %d rounds with %d writes: %s\nat once: %s", len(asked), b.writes.Load(), res.Text(), want.Text())
		}
	}
}

// What was asked before a script began is answered once, for this script, in its time.
func TestTheQuestionAboutCallsIsAnsweredOnceInItsTime(t *testing.T) {
	now := time.Now()
	var said atomic.Value
	b := newBench(t, tool.KitOptions{Ask: client(&said)})
	put, _ := b.kit.View().Get("put")
	scripts := script.Tool(nil, script.Options{Now: func() time.Time { return now }})
	t.Cleanup(func() { scripts.Close() })
	r := &tool.Registry{}
	if err := r.Add(scripts, put); err != nil {
		t.Fatal(err)
	}
	b.kit = r.Kit(tool.KitOptions{Ask: client(&said)})
	const source = "put(path='a')\nput(path='b')"
	args := map[string]any{"script": source}
	yes := func(res *tool.Result) *tool.Resume {
		return &tool.Resume{State: res.Need.State, Answers: json.RawMessage(`{"approval":"yes"}`)}
	}
	first := b.call(args, nil)
	for name, other := range map[string]map[string]any{
		"another script":  {"script": "put(path='a')\nput(path='c')"},
		"other inputs":    {"script": source, "inputs": 1},
		"nearly the same": {"script": source + "\n"},
	} {
		if res := b.call(other, yes(first)); res.Err == nil || !strings.Contains(res.Text(), "another script") {
			t.Errorf("%s: %s", name, res.Text())
		}
	}
	if res := b.call(args, yes(first)); res.Err != nil || b.writes.Load() != 2 {
		t.Errorf("in time: %s, %d writes", res.Text(), b.writes.Load())
	}
	if res := b.call(args, yes(first)); res.Err == nil || b.writes.Load() != 2 {
		t.Errorf("twice: %s, %d writes", res.Text(), b.writes.Load())
	}
	second := b.call(args, nil)
	now = now.Add(29 * time.Minute)
	if res := b.call(args, yes(second)); res.Err != nil || b.writes.Load() != 4 {
		t.Errorf("after half an hour: %s, %d writes", res.Text(), b.writes.Load())
	}
	third := b.call(args, nil)
	now = now.Add(31 * time.Minute)
	if res := b.call(args, yes(third)); res.Err == nil || !strings.Contains(res.Text(), "too old") || b.writes.Load() != 4 {
		t.Errorf("later: %s, %d writes", res.Text(), b.writes.Load())
	}
}
