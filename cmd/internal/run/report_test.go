package run

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"helve/agent"
	"helve/tool"
)

// Who let an agent work reads at its end what takes its changes back, the newest first.
func TestTheEndOfARunNamesWhatTakesItsChangesBack(t *testing.T) {
	r := &reporter{format: jsonFormat}
	for i := range 7 {
		res := tool.Textf("done").WithMeta(map[string]string{"undo": fmt.Sprintf("call%d", i)})
		r.event(agent.Called{Result: res})
		r.event(agent.Called{Result: tool.Textf("read something")})
	}
	if got, want := strings.Join(r.now.undo, " "), "call0 call1 call2 call3 call4 call5 call6"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	const want = "helve undo call6, helve undo call5, helve undo call4, helve undo call3, helve undo call2" +
		" and 2 more: helve history"
	if got := undoLine(r.now.undo); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	end := r.outcome("end", ending{Outcome: &agent.Outcome{}}, &r.now, 1, agent.Usage{})
	if len(end.Undo) != 7 || end.Calls.Total != 14 {
		t.Errorf("the last line has %q, %+v", end.Undo, end.Calls)
	}
}

// What several calls did to one file is one change of it.
func TestChangesOfARunAreTheirSum(t *testing.T) {
	var sum tally
	for _, c := range []changed{
		{Path: "a", Change: "created", Added: 3}, {Path: "a", Change: "modified", Added: 1, Removed: 2},
		{Path: "b", Change: "modified", Added: 1}, {Path: "b", Change: "deleted", Removed: 9},
		{Path: "c", Change: "created", Added: 1}, {Path: "c", Change: "deleted", Removed: 1},
		{Path: "d", Change: "deleted", Removed: 1}, {Path: "d", Change: "created", Added: 2},
		{Path: "f", From: "e", Change: "renamed"},
		{Path: "g", Change: "created", Added: 1}, {Path: "h", From: "g", Change: "renamed"},
	} {
		sum.change(c)
	}
	want := []changed{
		{Path: "a", Change: "created", Added: 4, Removed: 2}, {Path: "b", Change: "deleted", Added: 1, Removed: 9},
		{Path: "d", Change: "modified", Added: 2, Removed: 1}, {Path: "f", From: "e", Change: "renamed"},
		{Path: "h", Change: "created", Added: 1},
	}
	if diff := cmp.Diff(want, sum.changes); diff != "" {
		t.Error(diff)
	}
}

func TestTestsAreCountedFromWhatTheirRunnersPrint(t *testing.T) {
	for _, c := range []struct {
		line, printed string
		want          *tested
	}{
		{"go test ./...", "ok  \thelve/a\t0.1s\nFAIL\thelve/b\t0.2s\n--- FAIL: TestX (0.00s)\nFAIL\n", &tested{2, 1}},
		{"cd x && go test -v ./a",
			"=== RUN   TestA\n--- PASS: TestA (0.0s)\n    --- PASS: TestA/b (0.0s)\n--- FAIL: TestB (0.0s)\n", &tested{3, 2}},
		{"go test -json .", `{"Action":"pass","Package":"p","Test":"A"}` + "\n" + `{"Action":"pass","Package":"p"}`,
			&tested{1, 1}},
		{"python -m pytest -q", "..F\n1 failed, 2 passed in 0.1s\n", &tested{3, 2}},
		{"cargo test",
			"test result: ok. 3 passed; 0 failed; 0 ignored\ntest result: FAILED. 1 passed; 2 failed;\n", &tested{6, 4}},
		{"npx jest", "Tests:       1 failed, 2 skipped, 3 passed, 6 total\n", &tested{4, 3}},
		{"node --test", "# tests 3\n# pass 2\n# fail 1\n", &tested{3, 2}},
		{"npm run test", "ℹ pass 4\nℹ fail 0\n", &tested{4, 4}},
		{"go test ./...", "no such tool", nil},
		{"echo ok", "ok  \thelve/a\t0.1s\n", nil},
		{"", "3 passed", nil},
	} {
		if diff := cmp.Diff(c.want, testsOf(c.line, c.printed)); diff != "" {
			t.Errorf("%s: %s: %s", c.line, c.printed, diff)
		}
	}
}

// What a command prints is shown as a window of its last lines: what is new in it is told.
func TestOutputIsToldAsWhatIsNew(t *testing.T) {
	for _, c := range [][3]string{
		{"", "a\n", "a\n"}, {"a\n", "a\nb\n", "b\n"}, {"a\nb\n", "b\nc\n", "c\n"}, {"a\n", "x\n", "x\n"}, {"a\n", "a\n", ""},
	} {
		if got := news(c[0], c[1]); got != c[2] {
			t.Errorf("from %q to %q: got %q, want %q", c[0], c[1], got, c[2])
		}
	}
}

func TestTheJSONOfAnAnswerIsFound(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1}`:                              `{"a":1}`,
		"Here it is:\n```json\n{\"a\":1}\n```": `{"a":1}`,
		`In {braces} and {"a":[1]}.`:           `{"a":[1]}`,
		"nothing":                              "",
		strings.Repeat("{", 100_000):           "",
	} {
		got, ok := jsonIn(text)
		if string(got) != want || ok != (want != "") {
			t.Errorf("%.60s: got %s, %v", text, got, ok)
		}
	}
}
