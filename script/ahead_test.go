package script_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"helve/policy"
	"helve/script"
	"helve/tool"
)

// A desk keeps what it was asked, and answers.
type desk struct {
	mu    sync.Mutex
	asked []*tool.Question
	say   func(*tool.Question) tool.Answer
}

func (d *desk) ask(_ context.Context, q *tool.Question) (tool.Answer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = append(d.asked, q)
	return d.say(q), nil
}

// titles are the questions, in order, those about several calls with how many.
func (d *desk) titles() string {
	var out []string
	for _, q := range d.asked {
		title := q.Job.Title
		if len(q.Calls) > 0 {
			title = fmt.Sprint(len(q.Calls), " together")
		}
		out = append(out, title)
	}
	return strings.Join(out, ", ")
}

func (d *desk) yes(*tool.Question) tool.Answer {
	return tool.Answer{Yes: true, By: tool.Approver{Kind: tool.ByPerson, Via: "desk"}}
}

// newDesk is a kit in which a person answers.
func newDesk(t testing.TB, o tool.KitOptions) (*bench, *desk) {
	d := &desk{}
	d.say = d.yes
	o.Ask = d.ask
	return newBench(t, o), d
}

// What is certain is asked about once, and nothing is asked about twice; what depends on a result, or comes once more than
// was shown, is asked about when it comes.
func TestCallsThatAreCertainAreAskedAboutTogether(t *testing.T) {
	for _, c := range []struct{ name, source, asked string }{
		{"two", "put(path='a')\nput(path='b')", "2 together"},
		{"one", "put(path='a')", "put a"},
		{"none", "add(a=1)", ""},
		{"a result is carried and not looked at", "x = add(a=1)\ny = [x, put(path='a')]\nput(path='b')\ny", "2 together"},
		{"printed", "print(put(path='a'))\nput(path='b')", "2 together"},
		{"until a result is looked at", "put(path='a')\nput(path='b')\nif add(a=1).sum == 2: put(path='c')", "2 together, put c"},
		{"in parallel", "parallel([(lambda i=i: put(path=str(i))) for i in range(5)])", "5 together"},
		{"in a function", "def f(p):\n    put(path=p)\nf('a')\nf('b')", "2 together"},
		{"the same target again", "put(path='a')\nput(path='b')\nput(path='a')", "2 together, put a"},
		{"once more than shown", "put(path='a')\nput(path='b')\nif add(a=1).sum: put(path='b')", "2 together, put b"},
		{"not behind a comparison with a result", "if put(path='a') == 'x': put(path='b')\nput(path='c')", "put a, put c"},
		{"nor with None", "if add(a=1) == None: put(path='a')\nput(path='b')\nput(path='c')", "put b, put c"},
		{"nor None with it", "if None != put(path='x'): put(path='a')\nput(path='b')", "put x, put a, put b"},
		{"nor in a list", "if add(a=1) in ['a']: put(path='a')\nput(path='b')\nput(path='c')", "put b, put c"},
		{"nor in a tuple of it", "if 'a' not in (add(a=1),): put(path='a')\nput(path='b')\nput(path='c')", "put a, put b, put c"},
		{"nor a text with it", "if 'x' != put(path='x'): put(path='a')\nput(path='b')", "put x, put a, put b"},
		{"nor behind its type", "if type(put(path='x')) == 'unknown': put(path='a')\nput(path='b')", "put x, put b"},
		{"nor behind hasattr", "if not hasattr(add(a=1), 'sum'): put(path='a')\nput(path='b')\nput(path='c')", "put b, put c"},
		{"nor behind getattr", "if getattr(add(a=1), 'sum', 7) == 7: put(path='a')\nput(path='b')\nput(path='c')", "put b, put c"},
		{"nor behind dir", "if not dir(add(a=1)): put(path='a')\nput(path='b')\nput(path='c')", "put b, put c"},
		{"nor where two are compared", "if add(a=1) == add(a=2): put(path='a')\nput(path='b')\nput(path='c')", "put b, put c"},
		{"nor behind a failure", "e = try_call(put, path='a')[1]\nif e: put(path='x')\nput(path='b')", "put a, put b"},
		{"a failure that nobody looks at", "try_call(put, path='a')\ntry_call(put, path='b')", "2 together"},
		{"until the script fails", "put(path='a')\nput(path='b')\nfail('x')\nput(path='c')", "2 together"},
	} {
		b, d := newDesk(t, tool.KitOptions{})
		b.run(c.source)
		if got := d.titles(); got != c.asked {
			t.Errorf("%s: asked %q, want %q", c.name, got, c.asked)
		}
	}
}

func TestTheQuestionAboutCallsSaysWhatTheyAre(t *testing.T) {
	b, d := newDesk(t, tool.KitOptions{})
	b.run("# tidy\nput(path='a')\nput(path='b')\nadd(a=1)")
	if len(d.asked) != 1 {
		t.Fatalf("asked %s", d.titles())
	}
	q := d.asked[0]
	text := q.Preview.String()
	for _, want := range []string{"1. put {\"path\":\"a\"}\n", "2. put {\"path\":\"b\"}\n", "\nAll of it:\n# tidy\nput(path='a')"} {
		if !strings.Contains(text, want) {
			t.Errorf("shown %q, want %q in it", text, want)
		}
	}
	want := []tool.Effect{{Kind: tool.Write, Target: "a"}, {Kind: tool.Write, Target: "b"}}
	if fmt.Sprint(q.Job.Effects) != fmt.Sprint(want) || q.Job.Title != "run a script of 4 lines with 2 calls" || q.Late {
		t.Errorf("%q with %v", q.Job.Title, q.Job.Effects)
	}
}

func TestANoToTheCallsMeansThatTheScriptDoesNotBegin(t *testing.T) {
	b, d := newDesk(t, tool.KitOptions{})
	d.say = func(*tool.Question) tool.Answer { return tool.Answer{Note: "not today"} }
	res := b.run("add(a=1)\nput(path='a')\nput(path='b')")
	if res.Err == nil || res.Err.Code != tool.Permission || !strings.Contains(res.Text(), "not today") || len(d.asked) != 1 {
		t.Errorf("got %s, asked %s", res.Text(), d.titles())
	}
	if strings.Contains(res.Text(), "Calls before") || b.writes.Load() != 0 {
		t.Errorf("something ran: %s", res.Text())
	}
}

func TestEachOfTheCallsCanBeAskedAboutByItself(t *testing.T) {
	b, d := newDesk(t, tool.KitOptions{})
	d.say = func(q *tool.Question) tool.Answer {
		return tool.Answer{Each: len(q.Calls) > 0, Yes: q.Job.Title == "put a"}
	}
	b.run("[try_call(put, path=p)[1] == None for p in ['a', 'b']]")
	if d.titles() != "put a, put b" { // the first is looked at before the second is made
		t.Errorf("asked %s", d.titles())
	}
	d.asked = nil
	res := b.run("x = [try_call(put, path=p) for p in ['a', 'b']]\n[y[1] == None for y in x]")
	if d.titles() != "2 together, put a, put b" || res.Text() != "[true,false]" || b.writes.Load() != 2 {
		t.Errorf("asked %s, got %s", d.titles(), res.Text())
	}
}

// Nobody there is no no: what needs nobody runs, and the rest is refused as it comes.
func TestWhereNobodyIsThereTheScriptRunsAllTheSame(t *testing.T) {
	b, d := newDesk(t, tool.KitOptions{})
	d.say = func(*tool.Question) tool.Answer { return tool.Answer{Unasked: true, Note: "away"} }
	res := b.run("x = [try_call(put, path=p) for p in ['a', 'b']]\n[y[1].code for y in x] + [add(a=1).sum]")
	if res.Text() != `["permission_error","permission_error",2]` || b.writes.Load() != 0 {
		t.Errorf("got %s", res.Text())
	}
}

// A yes for always is one to this script with these calls: the same script is not asked about again, another one is.
func TestAYesForAlwaysIsToThisScriptAndTheseCalls(t *testing.T) {
	grants := policy.NewGrants(policy.GrantOptions{Workspace: "w", Store: policy.Memory()})
	b, d := newDesk(t, tool.KitOptions{Grants: grants})
	d.say = func(q *tool.Question) tool.Answer {
		return tool.Answer{Yes: true, For: tool.Always, By: tool.Approver{Kind: tool.ByPerson}}
	}
	const source = "put(path='a')\nput(path='b')"
	for range 2 {
		if res := b.run(source); res.Err != nil || d.titles() != "2 together" {
			t.Fatalf("got %s, asked %s", res.Text(), d.titles())
		}
	}
	d.asked = nil
	b.run(source + "\n")
	if d.titles() != "2 together" {
		t.Errorf("another script: asked %s", d.titles())
	}
	d.asked = nil
	d.say = func(*tool.Question) tool.Answer { return tool.Answer{} }
	b.run("put(path='a')")
	if d.titles() != "put a" {
		t.Errorf("one of the calls by itself: asked %s", d.titles())
	}
}

// The record says who agreed: of the script, and of each call.
func TestWhoAgreedToTheCallsIsOnRecord(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	note := func(next tool.Caller) tool.Caller {
		return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
			res, err := next(ctx, c)
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, fmt.Sprintf("%s %s %s: %s", c.Name, res.Approver.Kind, res.Approver.Via, res.Verdict.Why()))
			return res, err
		}
	}
	b, _ := newDesk(t, tool.KitOptions{Around: []func(tool.Caller) tool.Caller{note}})
	b.run("put(path='a')\nput(path='b')")
	const put = "put person desk: approved with the calls that it was one of"
	if len(seen) != 3 || seen[0] != put || seen[1] != put || !strings.HasPrefix(seen[2], "run_script person desk") {
		t.Errorf("got %q", seen)
	}
}

// What is approved is what runs: a yes speaks for no other arguments, and for no call of somebody else.
func TestAYesToCallsSpeaksForNothingElse(t *testing.T) {
	b, d := newDesk(t, tool.KitOptions{})
	d.say = func(q *tool.Question) tool.Answer { return tool.Answer{Yes: len(q.Calls) > 0} }
	res := b.run("put(path='a')\nput(path='b')\nn = add(a=1).sum\ntry_call(put, path='a' * n)[1].code")
	if res.Text() != "permission_error" || b.writes.Load() != 2 {
		t.Errorf("got %s, %d writes", res.Text(), b.writes.Load())
	}
	if res := b.run("put(path='a')"); res.Err == nil {
		t.Errorf("the next script: got %s", res.Text())
	}
}

// A call that a rule denies is denied, whatever somebody said to others.
func TestWhatIsDeniedIsNotAmongTheCalls(t *testing.T) {
	rules, err := policy.New(policy.Options{Mode: policy.AskFirst}, policy.Layer{Rules: []policy.Rule{
		{Decision: tool.Deny, Text: "put:secret"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	b, d := newDesk(t, tool.KitOptions{Policy: rules})
	res := b.run("x = [try_call(put, path=p) for p in ['a', 'b', 'secret']]\n[y[1] == None for y in x]")
	if res.Text() != "[true,true,false]" || d.titles() != "2 together" || b.writes.Load() != 2 {
		t.Errorf("got %s, asked %s", res.Text(), d.titles())
	}
}

// What a script is certain to call can be told without calling anything, and whether there is more to it.
func TestWhatAScriptWillCallIsForeseen(t *testing.T) {
	b := newBench(t, tool.KitOptions{})
	scripts := script.Tool(nil, script.Options{})
	defer scripts.Close()
	for source, want := range map[string]string{
		"put(path='a')\nput(path='b')":               `put {"path":"a"}, put {"path":"b"}, false`,
		"x = add(a=1)\nif x > 1:\n    put(path='a')": `add {"a":1}, true`,
		"1 + 1":                     `false`,
		"put(path='a')\nfail('no')": `put {"path":"a"}, true`,
	} {
		args, err := json.Marshal(map[string]any{"script": source})
		if err != nil {
			t.Fatal(err)
		}
		calls, more, err := scripts.Foresee(t.Context(), b.kit, &tool.Call{Name: "run_script", Args: args, Session: b.session, Dir: "d"})
		if err != nil {
			t.Errorf("%q: %v", source, err)
			continue
		}
		got := ""
		for _, c := range calls {
			got += c.Name + " " + string(c.Args) + ", "
			if c.Session != b.session || c.Dir != "d" {
				t.Errorf("%q: %s is of another session or folder", source, c.Name)
			}
		}
		if got += fmt.Sprint(more); got != want {
			t.Errorf("%q: %s, want %s", source, got, want)
		}
	}
	for _, bad := range []string{`{`, `{"script":""}`} {
		if _, _, err := scripts.Foresee(t.Context(), b.kit, &tool.Call{Name: "run_script", Args: []byte(bad)}); err == nil {
			t.Errorf("%s is a script", bad)
		}
	}
	if b.writes.Load() != 0 {
		t.Errorf("%d calls were made", b.writes.Load())
	}
}
