package script_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"helve/script"
	"helve/tool"
)

// client is an Asker that answers in a second round, as MCP clients do.
func client(answer *atomic.Value) tool.Asker {
	return func(_ context.Context, q *tool.Question) (tool.Answer, error) {
		r := q.Job.Call.Resume
		if r == nil || string(r.Answers) == "{}" {
			need := &tool.Need{Requests: json.RawMessage(`{"approval":{"title":"` + q.Job.Title + `"}}`)}
			return tool.Answer{Need: need}, nil
		}
		answer.Store(string(r.Answers))
		return tool.Answer{Yes: string(r.Answers) == `{"approval":"yes"}`}, nil
	}
}

// rounds runs a script until it needs no answer any more, each one being said.
func (b *bench) rounds(source, said string) (res *tool.Result, asked []string) {
	b.t.Helper()
	args := map[string]any{"script": source}
	res = b.call(args, nil)
	for res.Need != nil && len(asked) < 50 {
		asked = append(asked, string(res.Need.Requests))
		res = b.call(args, &tool.Resume{State: res.Need.State, Answers: json.RawMessage(said)})
	}
	return res, asked
}

const twoWrites = `
before = add(a=1).sum
first = put(path="one")
second = put(path="two")
[before, first, second, add(a=before).sum]
`

func TestAScriptThatNeedsAYesGoesOnAndNothingRunsTwice(t *testing.T) {
	var said atomic.Value
	var calls sync.Map
	count := func(next tool.Caller) tool.Caller {
		return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
			res, err := next(ctx, c)
			if res != nil && res.Need == nil {
				n, _ := calls.LoadOrStore(c.Name+string(c.Args), new(atomic.Int32))
				n.(*atomic.Int32).Add(1)
			}
			return res, err
		}
	}
	b := newBench(t, tool.KitOptions{Ask: client(&said), Around: []func(tool.Caller) tool.Caller{count}})
	res, asked := b.rounds(twoWrites, `{"approval":"yes"}`)
	if want := `[2,"wrote one","wrote two",3]`; res.Text() != want {
		t.Errorf("got %s, want %s", res.Text(), want)
	}
	if len(asked) != 2 || !strings.Contains(asked[0], "put one") || !strings.Contains(asked[1], "put two") {
		t.Errorf("asked %q", asked)
	}
	if n := b.writes.Load(); n != 2 {
		t.Errorf("%d writes, want 2", n)
	}
	calls.Range(func(call, n any) bool {
		if got := n.(*atomic.Int32).Load(); got != 1 && !strings.HasPrefix(call.(string), "run_script") {
			t.Errorf("%s ran %d times", call, got)
		}
		return true
	})
}

// What a script's calls brought is kept while somebody is asked, up to eight megabytes.
func TestWhatAScriptBroughtIsKeptUpToABound(t *testing.T) {
	if raceOn {
		t.Skip("the detector takes more memory than a script's process may have")
	}
	big := tool.New(tool.Spec{Name: "big", Kind: tool.Read, Origin: tool.Origin{Kind: tool.Builtin, Name: "big"}, Doc: tool.Doc{Short: "Brings much."}},
		func(context.Context, *tool.Call, struct{}) (*tool.Result, error) {
			return tool.Textf("%s", strings.Repeat("x", 1500<<10)), nil
		})
	for calls, kept := range map[int]bool{1: true, 4: true, 6: false} {
		var said atomic.Value
		b := newBench(t, tool.KitOptions{Ask: client(&said)}, big)
		source := strings.Repeat("big()\n", calls) + "put(path='a')\nput(path='b' + str(len(big())))"
		res, asked := b.rounds(source, `{"approval":"yes"}`)
		if (len(asked) > 0) != kept || !kept && !strings.Contains(res.Text(), "more than the 8 MiB") {
			t.Errorf("%d calls: asked %d times, %.200s", calls, len(asked), res.Text())
		}
	}
}

func TestANoRaisesInTheScript(t *testing.T) {
	var said atomic.Value
	b := newBench(t, tool.KitOptions{Ask: client(&said)})
	res, _ := b.rounds(`try_call(put, path="a")[1].code`, `{"approval":"no"}`)
	if res.Text() != "permission_error" || b.writes.Load() != 0 {
		t.Errorf("got %s, %d writes", res.Text(), b.writes.Load())
	}
	res, _ = b.rounds("add(a=1)\nput(path='a')", `{"approval":"no"}`)
	if res.Err == nil || res.Err.Code != tool.Permission || !strings.Contains(res.Text(), `add {"a":1} (done)`) {
		t.Errorf("got %s", res.Text())
	}
}

func TestQuestionsOfAParallelComeOneByOne(t *testing.T) {
	var said atomic.Value
	b := newBench(t, tool.KitOptions{Ask: client(&said)})
	res, asked := b.rounds(`parallel([(lambda i=i: put(path=str(add(a=i, b=0).sum))) for i in range(12)])[11]`, `{"approval":"yes"}`)
	if res.Text() != "wrote 11" || b.writes.Load() != 12 || len(asked) != 12 {
		t.Errorf("got %s, %d writes, %d questions", res.Text(), b.writes.Load(), len(asked))
	}
}

// A client is asked about what is certain before the script begins, and about the rest as it comes, in rounds of which
// each goes on where the one before ended.
func TestAClientIsAskedAboutWhatIsCertainFirst(t *testing.T) {
	var said atomic.Value
	b := newBench(t, tool.KitOptions{Ask: client(&said)})
	const source = `
wrote = parallel([(lambda i=i: put(path=str(i))) for i in range(12)])
last = put(path=wrote[11][6:] + "th")
add(a=1)
[len(wrote), last]
`
	res, asked := b.rounds(source, `{"approval":"yes"}`)
	if res.Text() != `[12,"wrote 11th"]` || b.writes.Load() != 13 {
		t.Errorf("got %s, %d writes", res.Text(), b.writes.Load())
	}
	if len(asked) != 2 || !strings.Contains(asked[0], "with 12 calls") || !strings.Contains(asked[1], "put 11th") {
		t.Errorf("asked %q", asked)
	}
	res, asked = b.rounds(source, `{"approval":"no"}`)
	if res.Err == nil || res.Err.Code != tool.Permission || len(asked) != 1 || b.writes.Load() != 13 {
		t.Errorf("a no: got %s, %d writes, asked %q", res.Text(), b.writes.Load(), asked)
	}
}

func TestATicketWorksOnceForItsOwnScript(t *testing.T) {
	var said atomic.Value
	b := newBench(t, tool.KitOptions{Ask: client(&said)})
	source := "add(a=1)\nput(path='a')"
	yes := json.RawMessage(`{"approval":"yes"}`)
	first := b.call(map[string]any{"script": source}, nil)
	if first.Need == nil {
		t.Fatal(first.Text())
	}
	resume := &tool.Resume{State: first.Need.State, Answers: yes}
	wants := func(name string, res *tool.Result, words ...string) {
		t.Helper()
		for _, w := range words {
			if res.Err == nil || !strings.Contains(res.Text(), w) {
				t.Errorf("%s: got %q, want %q in it", name, res.Text(), w)
			}
		}
	}
	wants("another script", b.call(map[string]any{"script": source + " "}, resume), "another script", `add {"a":1} (done)`)
	wants("another input", b.call(map[string]any{"script": source, "inputs": 1}, resume), "another script")
	if res := b.call(map[string]any{"script": source}, resume); res.Text() != "wrote a" {
		t.Errorf("the right one: %s", res.Text())
	}
	wants("twice", b.call(map[string]any{"script": source}, resume), "was used", `add {"a":1} (done)`)
	wants("garbage", b.call(map[string]any{"script": source}, &tool.Resume{State: json.RawMessage(`{"ran":true,"inner":"e30="}`)}), "no ticket")
	if b.writes.Load() != 1 {
		t.Errorf("%d writes", b.writes.Load())
	}
}

func TestATicketIsTooOldAfterADay(t *testing.T) {
	now := time.Now()
	var said atomic.Value
	b := newBench(t, tool.KitOptions{Ask: client(&said)})
	scripts := script.Tool(nil, script.Options{Now: func() time.Time { return now }})
	defer scripts.Close()
	r := &tool.Registry{}
	put, _ := b.kit.View().Get("put")
	if err := r.Add(scripts, put); err != nil {
		t.Fatal(err)
	}
	b.kit = r.Kit(tool.KitOptions{Ask: client(&said)})
	args := map[string]any{"script": "put(path='a')"}
	first := b.call(args, nil)
	if first.Need == nil {
		t.Fatal(first.Text())
	}
	now = now.Add(24 * time.Hour)
	res := b.call(args, &tool.Resume{State: first.Need.State, Answers: json.RawMessage(`{"approval":"yes"}`)})
	if res.Err == nil || !strings.Contains(res.Text(), "too old") || b.writes.Load() != 0 {
		t.Errorf("got %s, %d writes", res.Text(), b.writes.Load())
	}
}

// A person thinks for longer than the script may take, which has time enough on a busy machine for what it does itself.
const (
	thinking = 2200 * time.Millisecond
	patient  = 2000 // milliseconds
)

func TestAnAnswerTakesNoTimeOfTheScript(t *testing.T) {
	slow := func(context.Context, *tool.Question) (tool.Answer, error) {
		time.Sleep(thinking)
		return tool.Answer{Yes: true}, nil
	}
	b := newBench(t, tool.KitOptions{Ask: slow})
	res := b.call(map[string]any{"script": "put(path='a')", "timeout": patient}, nil)
	if res.Text() != "wrote a" {
		t.Errorf("got %s", res.Text())
	}
}

func TestTheCallsOfAScriptAreOneFamilyAndKnowTheirParent(t *testing.T) {
	var mu sync.Mutex
	var inner []*tool.Call
	note := func(next tool.Caller) tool.Caller {
		return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
			if c.Name != "run_script" {
				mu.Lock()
				inner = append(inner, c)
				mu.Unlock()
			}
			return next(ctx, c)
		}
	}
	var said atomic.Value
	b := newBench(t, tool.KitOptions{Ask: client(&said), Around: []func(tool.Caller) tool.Caller{note}})
	b.rounds(twoWrites, `{"approval":"yes"}`)
	parents := map[string]bool{}
	for _, c := range inner {
		parents[c.Parent] = true
		if !strings.HasSuffix(c.Parent, "-c1") || !strings.HasPrefix(c.ID, "c1/") || c.Session == nil || c.Whole == 0 {
			t.Errorf("call %+v", c)
		}
	}
	if len(parents) != 1 || len(inner) < 4 {
		t.Errorf("%d calls of %d families: %v", len(inner), len(parents), parents)
	}
}

func TestAScriptCannotRunAnother(t *testing.T) {
	b := newBench(t, tool.KitOptions{Ask: yes})
	b.fails(`run_script(script="1")`, "cannot run another")
	b.fails(`execute_script(script="1")`, "undefined")
}
