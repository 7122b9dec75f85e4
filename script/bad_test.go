package script_test

import (
	"strings"
	"testing"

	"helve/tool"
)

// What is wrong with a script is said with its line and, where Python means something else, with what to write instead.
func TestABadScriptIsToldWhatIsWrong(t *testing.T) {
	b := newBench(t, tool.KitOptions{Ask: yes})
	for _, c := range []struct{ source, want string }{
		{"", "script"},
		{" \n\t\n", "it is empty"},
		{"# nothing\n", "without a result"},
		{strings.Repeat("x", 1<<20), "at most 65536 are taken"},
		{"if True:\n\tx = 1\n    y = 2", "line 3"},
		{"x = f\"{1}\"", "f-strings"},
		{"import json", "import"},
		{"try:\n  pass\nexcept: pass", "try_call"},
		{"class A: pass", "classes"},
		{"print(f'{1}')", "f-strings"},
		{"nowhere()", "undefined: nowhere"},
		{"add(1, 2, 3)", "has the parameters a, b"},
		{"add(1, a=2)", "given twice"},
		{"add(a=float('nan'))", "no form in JSON"},
		{"add(a=1 << 500)", "larger than the tool can take"},
		{"add(**{'a': {1: 2}})", "keys that are texts"},
		{"add(a=add)", "no form in JSON"},
		{"result = {1: 2}", "keys are texts"},
		{"result = float('inf')", "no form in JSON"},
		{"parallel([1])", "want functions"},
		{"parallel([lambda: parallel([lambda: 1])])", "inside of another parallel"},
		{"parallel([lambda: add(a=1), lambda: fail('two')])", "two"},
		{"try_call()", "want a function"},
		{"x = add(a=1)\nx.none", "no .none field"},
		{"fail('because')", "because"},
	} {
		res := b.run(c.source)
		if !strings.Contains(res.Text(), c.want) || res.Err == nil && c.want != "without a result" {
			t.Errorf("%.60q\ngot  %.300s\nwant %q in it", c.source, res.Text(), c.want)
		}
	}
	res := b.call(map[string]any{"script": "1", "timeout": 1}, nil)
	if res.Err == nil || !strings.Contains(res.Text(), "timeout") {
		t.Errorf("a time-out of a millisecond: %s", res.Text())
	}
	res = b.call(map[string]any{"script": "while True: add(a=1)", "timeout": 200}, nil)
	if res.Err == nil || res.Err.Code != tool.TimedOut && !strings.Contains(res.Text(), "more than 10000 calls") {
		t.Errorf("a script without an end: %s", res.Text())
	}
}

func TestWhatIsLeftOutOfDataReadsAsEmpty(t *testing.T) {
	b := newBench(t, tool.KitOptions{Ask: yes})
	b.says(`add(a=1).note == ""`, "true")
	b.says(`[add(a=1)["note"], add(a=1).get("note"), "note" in add(a=1), "none" in add(a=1)]`, `["","",true,false]`)
}

// The functions of a parallel take turns in one order, whichever reply comes first: what they do to a list that they share
// is the same each time.
func TestTheFunctionsOfAParallelTakeTurns(t *testing.T) {
	b := newBench(t, tool.KitOptions{Ask: yes})
	const source = `
seen = []
def f(i):
    seen.append(i)
    seen.append(10 * add(a=i).sum)
    return i
parallel([(lambda i=i: f(i)) for i in range(12)])
seen
`
	first := b.run(source).Text()
	for range 5 {
		if again := b.run(source).Text(); again != first {
			t.Errorf("got %s, then %s", first, again)
		}
	}
}

func TestInputsAreAGlobal(t *testing.T) {
	b := newBench(t, tool.KitOptions{})
	res := b.call(map[string]any{"script": "[inputs.names[1], inputs['n'] + 1]", "inputs": map[string]any{"names": []string{"a", "b"}, "n": 41}}, nil)
	if res.Text() != `["b",42]` {
		t.Errorf("got %s", res.Text())
	}
	res = b.call(map[string]any{"script": "inputs"}, nil)
	if res.Err != nil {
		t.Errorf("without inputs: %s", res.Text())
	}
}
