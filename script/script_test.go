package script_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"helve/engine/sandbox"
	"helve/internal/testing/leaktest"
	"helve/policy"
	"helve/script"
	"helve/script/interpreter"
	"helve/tool"
	"helve/wrap"
)

// helperScript is the variable by which this program knows that it is to run scripts until it is killed.
const helperScript = "HELVE_TEST_SCRIPT"

// TestMain lets the program be its own sandbox launcher and its own interpreter.
func TestMain(m *testing.M) {
	sandbox.Init()
	interpreter.Init()
	if os.Getenv(helperScript) != "" {
		runUntilKilled()
	}
	leaktest.Main(m)
}

// runUntilKilled is a program that runs a script without an end.
func runUntilKilled() {
	add := tool.New(tool.Spec{Name: "add", Kind: tool.Read, Doc: tool.Doc{Short: "Does nothing."}},
		func(context.Context, *tool.Call, struct{}) (*tool.Result, error) { return tool.Textf("added"), nil })
	r := &tool.Registry{}
	if err := r.Add(script.Tool(nil, script.Options{}), add); err != nil {
		panic(err)
	}
	args := json.RawMessage(`{"script":"while True: add()"}`)
	for {
		r.Kit(tool.KitOptions{}).Call(context.Background(), &tool.Call{Name: "run_script", Args: args})
	}
}

// A bench is a kit with a few tools and run_script.
type bench struct {
	t       testing.TB
	kit     *tool.Kit
	session *tool.Session
	writes  atomic.Int32
}

type addIn struct {
	A int `json:"a"`
	B int `json:"b,omitempty" jsonschema:"default=1"`
}

type sum struct {
	Sum  int    `json:"sum"`
	Note string `json:"note,omitempty"`
}

func (s sum) Text() string { return fmt.Sprint(s.Sum) }

type pathIn struct {
	Path string `json:"path"`
}

// newBench makes one with these options.
func newBench(t testing.TB, o tool.KitOptions, more ...tool.Tool) *bench {
	t.Helper()
	if err := script.Confined(t.Context()); err != nil {
		t.Skip(err)
	}
	b := &bench{t: t, session: &tool.Session{ID: "s"}}
	scripts := script.Tool(nil, script.Options{})
	t.Cleanup(func() {
		if err := scripts.Close(); err != nil {
			t.Error(err)
		}
		b.session.Close()
	})
	own := func(name string) tool.Origin { return tool.Origin{Kind: tool.Builtin, Name: name} }
	add := tool.Renders[sum](tool.New(tool.Spec{Name: "add", Kind: tool.Read, Origin: own("add"), Doc: tool.Doc{Short: "Adds."}},
		func(_ context.Context, _ *tool.Call, in addIn) (*tool.Result, error) {
			if in.A < 0 {
				return nil, tool.Errorf(tool.Execution, "%d is negative", in.A).WithHint("Take a larger one.")
			}
			return tool.Render(sum{Sum: in.A + in.B}), nil
		}))
	put := tool.Plan(tool.Spec{Name: "put", Kind: tool.Write, Serial: true, Origin: own("put"), Doc: tool.Doc{Short: "Writes."}},
		func(_ context.Context, _ *tool.Call, in pathIn) (*tool.Job, error) {
			return &tool.Job{
				Title:   "put " + in.Path,
				Effects: []tool.Effect{{Kind: tool.Write, Target: in.Path}},
				Run: func(context.Context) (*tool.Result, error) {
					b.writes.Add(1)
					return tool.Textf("wrote %s", in.Path), nil
				},
			}, nil
		})
	r := &tool.Registry{}
	if err := r.Add(append([]tool.Tool{scripts, add, put}, more...)...); err != nil {
		t.Fatal(err)
	}
	if o.Policy == nil {
		o.Policy = policy.AskFirst
	}
	o.Wrap = append(o.Wrap, wrap.Standard(wrap.Options{})...)
	b.kit = r.Kit(o)
	return b
}

// run runs a script.
func (b *bench) run(source string) *tool.Result {
	b.t.Helper()
	return b.call(map[string]any{"script": source}, nil)
}

func (b *bench) call(args map[string]any, resume *tool.Resume) *tool.Result {
	b.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		b.t.Fatal(err)
	}
	res, err := b.kit.Call(b.t.Context(), &tool.Call{ID: "c1", Name: "run_script", Args: raw, Session: b.session, Resume: resume})
	if err != nil {
		b.t.Fatal(err)
	}
	return res
}

// says runs a script and wants a text.
func (b *bench) says(source, want string) {
	b.t.Helper()
	res := b.run(source)
	if got := res.Text(); got != want || res.Err != nil {
		b.t.Errorf("%s\ngot  %q %v\nwant %q", source, got, res.Err, want)
	}
}

// fails runs a script and wants words in its error.
func (b *bench) fails(source string, want ...string) *tool.Result {
	b.t.Helper()
	res := b.run(source)
	if res.Err == nil {
		b.t.Errorf("%s\ngave %q", source, res.Text())
		return res
	}
	for _, w := range want {
		if !strings.Contains(res.Text(), w) {
			b.t.Errorf("%s\ngot  %q\nwant %q in it", source, res.Text(), w)
		}
	}
	return res
}

func yes(context.Context, *tool.Question) (tool.Answer, error) { return tool.Answer{Yes: true}, nil }

func TestAScriptCallsToolsAndGivesWhatItMadeOfThem(t *testing.T) {
	b := newBench(t, tool.KitOptions{Ask: yes})
	b.says(`1 + 2`, "3")
	b.says(`add(a=2, b=3).sum`, "5")
	b.says(`add(2)["sum"]`, "3")
	b.says("result = [add(a=i).sum for i in range(3)]\nprint('x')", "x\n[1,2,3]")
	b.says("print('only', 'printed')", "only printed")
	b.says(`try_call(add, a=-1)[1].code`, "execution_error")
	b.says(`try_call(add, a=-1)[1].message`, "Error: add: -1 is negative.")
	b.says(`[r.sum for r in parallel([(lambda i=i: add(a=i)) for i in range(20)])][19]`, "20")
	b.says(`put(path="a")`, "wrote a")
	b.says(`x = add(a=1)`+"\n"+`{"keys": x.keys(), "same": x == add(a=1), "all": x}`, `{"keys":["sum"],"same":true,"all":{"sum":2}}`)
	b.fails(`add(a=-1)`, "Error: run_script: add: -1 is negative (line 1).", "Take a larger one", `add {"a":-1} (failed)`)
	b.fails(`add(a="x")`, "Parameter validation failed")
	b.fails(`add(a=1)`+"\n"+`fail("no more")`, "no more", `add {"a":1} (done)`)
}
