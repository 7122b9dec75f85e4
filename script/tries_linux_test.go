package script_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"helve/policy"
	"helve/tool"
)

// What a hostile script tries, to get out of its child: each is an error, or says no more than what it was given.
func TestTriesToGetOutOfTheChild(t *testing.T) {
	if raceOn {
		t.Skip("the race detector's own memory is more than a child may have")
	}
	b := newBench(t, tool.KitOptions{Ask: yes})
	for _, c := range []struct{ source, want string }{
		{`load("/etc/passwd", "root")`, "load"},
		{`load("add", "x")`, "load"},
		{`def f(): load("a", "b")`, "load"},
		{`getattr(add, "__globals__")`, "no .__globals__"},
		{`getattr("", "__class__")`, "no .__class__"},
		{`"{0.__class__}".format(add)`, "not supported"},
		{`"{0[0]}".format([add])`, "not supported"},
		{`"%s" % add`, "<built-in function add>"},
		{`dir(add)`, "[]"},
		{`str(json)`, "<module \"json\">"},
		{`json.decode('{"__class__": 1}').__class__`, "1"},
		{`json.decode("[" * 100000)`, "too deeply"},
		{`json.encode(add)`, "cannot encode"},
		{`[x for x in dir(math) if "file" in x or "os" in x or "exec" in x]`, `["acos","acosh","cos","cosh"]`},
		{`_look(1)`, "undefined: _look"},
		{`_last_expression`, "_last_expression"},
		{`inputs.x`, "no .x field"},
		{`add.name = "put"`, "can't assign"},
		{`json.decode = add`, "can't assign"},
		{`x = [1]\nfor y in x: x.append(y)`, "during iteration"},
		{`fail(print)`, "built-in function print"},
		{`try_call(lambda: fail("a"))[1].code`, "script_error"},
	} {
		res := b.run(strings.ReplaceAll(c.source, "\\n", "\n"))
		if !strings.Contains(res.Text(), c.want) || strings.Contains(res.Text(), "root:") || strings.Contains(res.Text(), "0xc0") {
			t.Errorf("%s\ngot  %.300s\nwant %q in it", c.source, res.Text(), c.want)
		}
	}
}

// What a hostile script tries, to have a call run that is denied, or that a person refused, or to have none of it seen:
// nothing runs, and each try is on record.
func TestTriesToHaveARefusedCallRun(t *testing.T) {
	rules, err := policy.New(policy.Options{Mode: policy.AskFirst}, policy.Layer{Rules: []policy.Rule{{Decision: tool.Deny, Text: "put:denied"}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		source string
		tries  int
	}{
		{`put(path="denied")`, 1},
		{`put("denied")`, 1},
		{`put(**{"path": "denied"})`, 1},
		{`put(*["denied"])`, 1},
		{`[f(path="denied") for f in [put]]`, 1},
		{`{"a": put}["a"](path="denied")`, 1},
		{`sorted(["denied"], key=put)`, 1},
		{`max(["denied", "refused"], key=put)`, 1},
		{`def f(g=put): return g(path="denied")\nf()`, 1},
		{`(lambda g: g(path="refused"))(put)`, 1},
		{`try_call(put, path="denied")\ntry_call(put, path="denied")`, 2},
		{`try_call(try_call, put, path="denied")`, 1},
		{`try_call(parallel, [lambda: put(path="refused"), lambda: put(path="denied")])`, 2},
		{`parallel([lambda: try_call(put, path="denied") for i in range(9)])`, 9},
		{`try_call = None\nput(path="denied")`, 1},
		{`add = put\nadd(path="denied")`, 1},
		{`def add(a): return put(path=a)\nadd("denied")`, 1},
		{`x = try_call(put, path="denied")[1].message\nput(path="denied" if x else "refused")`, 2},
		{`for i in range(3): try_call(put, path="refused")`, 3},
		{`put(path="den" + "ied")`, 1},
		{`put(path=json.decode('"den\\\\u0069ed"'))`, 1},
		{`run_script(script="put(path='denied')")`, 0},
		{`execute_script(script="put(path='denied')")`, 0},
	} {
		var mu sync.Mutex
		tries := 0
		note := func(next tool.Caller) tool.Caller {
			return func(ctx context.Context, call *tool.Call) (*tool.Result, error) {
				res, err := next(ctx, call)
				mu.Lock()
				defer mu.Unlock()
				if call.Name == "put" && res.Err != nil && res.Err.Code == tool.Permission && call.Parent != "" {
					tries++
				}
				return res, err
			}
		}
		b := newBench(t, tool.KitOptions{Policy: rules, Ask: no, Around: []func(tool.Caller) tool.Caller{note}})
		res := b.run(strings.ReplaceAll(c.source, "\\n", "\n"))
		if b.writes.Load() != 0 || tries != c.tries {
			t.Errorf("%s\n%d ran, %d refusals on record, want %d: %s", c.source, b.writes.Load(), tries, c.tries, res.Text())
		}
	}
}

// What a hostile script tries, to have a yes speak for more than was shown.
func TestTriesToStretchAYes(t *testing.T) {
	const two = "put(path='a')\nput(path='b')\nn = add(a=1).sum\n"
	for _, more := range []string{
		"put(path='a')", "put('b')", "put(**{'path': 'a'})", "parallel([lambda: put(path='a')])", "try_call(put, path='b')",
		"put(path='c')", "put(path='a' * n)", "put(path='A')", "[put(path=p) for p in ['a', 'b']]",
	} {
		b, d := newDesk(t, tool.KitOptions{})
		d.say = func(q *tool.Question) tool.Answer { return tool.Answer{Yes: len(q.Calls) > 0} }
		b.run(two + more)
		if b.writes.Load() != 2 || len(d.asked) < 2 {
			t.Errorf("%s: %d writes, asked %s", more, b.writes.Load(), d.titles())
		}
	}
	// Nor does a yes that nobody used wait for another script, or the same one.
	b, d := newDesk(t, tool.KitOptions{})
	for range 2 {
		b.run("fail('x') if add(a=1).sum else 0\nput(path='a')\nput(path='b')")
		b.run("put(path='a')\nput(path='b')\nfail('x')")
	}
	if b.writes.Load() != 4 || d.titles() != "2 together, 2 together" {
		t.Errorf("%d writes, asked %s", b.writes.Load(), d.titles())
	}
}

// What a hostile script tries, to use the server up.
func TestTriesToExhaustTheServer(t *testing.T) {
	if raceOn {
		t.Skip("the race detector's own memory is more than a child may have")
	}
	b, d := newDesk(t, tool.KitOptions{})
	for _, c := range []struct {
		source, want string
		most         int // questions
	}{
		{"[put(path=str(i)) for i in range(60)]\n1", "1", 21},
		{"[put(path='x' * 1000000 + str(i)) for i in range(20)]\n1", "1", 20},
		{"parallel([(lambda i=i: put(path=str(i) * 100)) for i in range(50)])\n1", "1", 50},
		{"put(path='a' * 2000)\nput(path='b' * 2000)\n1", "1", 2},
		{"def f(n): return f(n + 1)\nf(0)", "deeply", 0},
		{"for i in range(300000): add\nput(path='a')\nput(path='b')\n1", "1", 2},
		{"x = 'y' * 30000000\nput(path='a')\nput(path='b')\nlen(x)", "30000000", 1},
		{"for i in range(100000): print(i)\nput(path='a')\nput(path='b')", "more bytes were printed", 2},
	} {
		d.asked = nil
		res := b.run(strings.ReplaceAll(c.source, "\\n", "\n"))
		if !strings.Contains(res.Text(), c.want) || len(d.asked) > c.most {
			t.Errorf("%s\ngot %.200s\nwant %q, asked %d times, want at most %d", c.source, res.Text(), c.want, len(d.asked), c.most)
		}
		for _, q := range d.asked {
			if len(q.Calls) > 40 {
				t.Errorf("%s: %d calls in a question", c.source, len(q.Calls))
			}
		}
	}
}

// However many scripts a client begins, no more than eight run at a time.
func TestScriptsWaitForAPlace(t *testing.T) {
	var now, most atomic.Int32
	hold := tool.New(tool.Spec{Name: "hold", Kind: tool.Read, Origin: tool.Origin{Kind: tool.Builtin, Name: "hold"}, Doc: tool.Doc{Short: "Waits."}},
		func(context.Context, *tool.Call, struct{}) (*tool.Result, error) {
			n := now.Add(1)
			defer now.Add(-1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			time.Sleep(20 * time.Millisecond)
			return tool.Textf("held"), nil
		})
	b := newBench(t, tool.KitOptions{Ask: yes}, hold)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if res := b.run("hold()"); res.Text() != "held" {
				t.Errorf("got %s", res.Text())
			}
		})
	}
	wg.Wait()
	if most.Load() > 8 {
		t.Errorf("%d scripts at a time", most.Load())
	}
}

// A client that leaves scripts waiting for answers pushes out none of another.
func TestAScriptThatWaitsIsNotPushedOutByAnother(t *testing.T) {
	var said atomic.Value
	b := newBench(t, tool.KitOptions{Ask: client(&said)})
	args := func(source string) json.RawMessage {
		raw, err := json.Marshal(map[string]string{"script": source})
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	call := func(s *tool.Session, source string, r *tool.Resume) *tool.Result {
		res, err := b.kit.Call(t.Context(), &tool.Call{ID: "x", Name: "run_script", Args: args(source), Session: s, Resume: r})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	mine, other := &tool.Session{ID: "mine", Principal: "a"}, &tool.Session{ID: "other", Principal: "b"}
	t.Cleanup(func() { mine.Close(); other.Close() })
	first := call(mine, "put(path='mine')", nil)
	for i := range 40 {
		call(other, fmt.Sprintf("put(path='%d')", i), nil)
	}
	res := call(mine, "put(path='mine')", &tool.Resume{State: first.Need.State, Answers: json.RawMessage(`{"approval":"yes"}`)})
	if res.Text() != "wrote mine" {
		t.Errorf("got %s", res.Text())
	}
}

// The time of a script stands still while it is asked about its calls, too.
func TestTheQuestionAboutCallsTakesNoTimeOfTheScript(t *testing.T) {
	b, d := newDesk(t, tool.KitOptions{})
	d.say = func(q *tool.Question) tool.Answer {
		time.Sleep(thinking)
		return d.yes(q)
	}
	res := b.call(map[string]any{"script": "put(path='a')\nput(path='b')", "timeout": patient}, nil)
	if res.Text() != "wrote b" || d.titles() != "2 together" {
		t.Errorf("got %s, asked %s", res.Text(), d.titles())
	}
}
