package display

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"helve/agent"
	"helve/cmd/internal/terminal"
	"helve/tool"
)

// A stage is a display where no terminal is, with a clock that stands still.
type stage struct {
	*Display
	out, talk strings.Builder
	now       time.Time
}

func newStage() *stage {
	s := &stage{now: time.Unix(0, 0)}
	say := func(format string, args ...any) { fmt.Fprintf(&s.talk, "say: "+format+"\n", args...) }
	s.Display = New(Options{
		Stdout:   &s.out,
		Terminal: terminal.Terminal{Out: &s.talk},
		Say:      say,
		Model:    "test/model",
		Now:      func() time.Time { return s.now },
	})
	return s
}

func (s *stage) pass(d time.Duration) { s.now = s.now.Add(d) }

func calling(id, name string) agent.Calling {
	return agent.Calling{ID: id, Name: name, Args: `{"x":1}`}
}

// ended is a call of a tool of that kind, with its result.
func ended(id, title string, kind tool.Kind, r *tool.Result) agent.Called {
	r.Job = &tool.Job{Title: title, Spec: &tool.Spec{Name: "x", Kind: kind}}
	return agent.Called{ID: id, Name: "x", Result: r}
}

func failed(text, summary string) *tool.Result {
	r := tool.NewResult(tool.Text(text)).WithSummary("%s", summary)
	r.Err = tool.Errorf(tool.Execution, "%s", summary)
	return r
}

func (s *stage) wants(t *testing.T, want string) {
	t.Helper()
	if diff := cmp.Diff(want, s.talk.String()); diff != "" {
		t.Error(diff)
	}
}

func TestTheTimeOfACallIsShownWithoutThatOfItsQuestions(t *testing.T) {
	s := newStage()
	s.Event(calling("1", "bash"))
	s.pass(2 * time.Second)
	resume := s.Pause("1")
	s.pass(time.Hour)
	resume()
	s.pass(10 * time.Second)
	s.Event(ended("1", "bash make", tool.Exec, tool.NewResult().WithSummary("built")))
	s.Event(calling("2", "read"))
	s.pass(999 * time.Millisecond)
	s.Event(ended("2", "read a.go", tool.Read, tool.NewResult().WithSummary("40 lines")))
	s.wants(t, "✓ bash make  built  12s\n✓ read a.go  40 lines\n")
}

func TestTimesAreReadable(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                                  "",
		999 * time.Millisecond:             "",
		1234 * time.Millisecond:            "  1.2s",
		59600 * time.Millisecond:           "  1m0s",
		61 * time.Second:                   "  1m1s",
		2*time.Hour + 3*time.Minute + 1:    "  2h3m",
		27*time.Hour + 59*time.Minute + 59: "  27h59m",
	} {
		if got := elapsed(d); got != want {
			t.Errorf("%v: got %q, want %q", time.Duration(d), got, want)
		}
	}
}

func TestOutputIsFoldedAndWhatIsHiddenIsCounted(t *testing.T) {
	var long strings.Builder
	for i := range 20 {
		fmt.Fprintf(&long, "line %d\n", i+1)
	}
	last5 := "  line 16\n  line 17\n  line 18\n  line 19\n  line 20\n"
	cut := strings.Replace(long.String(), "line 7\n", "[… 123456 bytes of stdout cut: filter it …]\nline 7\n", 1)
	for name, c := range map[string]struct {
		result *tool.Result
		want   string
	}{
		"long":  {tool.NewResult(tool.Text(long.String())).WithSummary("x"), "✓ x\n  … 15 more lines above\n" + last5},
		"cut":   {tool.NewResult(tool.Text(cut)).WithSummary("x"), "✓ x\n  … 15 more lines and 123456 bytes above\n" + last5},
		"short": {tool.NewResult(tool.Text("one\ntwo\n")).WithSummary("x"), "✓ x\n  one\n  two\n"},
		"one hidden": {tool.NewResult(tool.Text("0\n1\n2\n3\n4\n5")).WithSummary("x"),
			"✓ x\n  … 1 more line above\n  1\n  2\n  3\n  4\n  5\n"},
		"nothing":          {tool.NewResult(tool.Text("")).WithSummary("x"), "✓ x\n"},
		"only the summary": {tool.NewResult(tool.Text("done so")), "✓ x  done so\n"},
		"failed":           {failed("It failed:\nwhy\n", "It failed"), "✗ x  It failed\n  why\n"},
		"hostile": {tool.NewResult(tool.Text("\x1b[2J\u202e\r\n10%\r20%\r100%\n\x07")).WithSummary("x"),
			"✓ x\n" + `  \u001b[2J\u202e` + "\n  100%\n" + `  \u0007` + "\n"},
	} {
		s := newStage()
		s.Event(ended("1", "x", tool.Exec, c.result))
		if diff := cmp.Diff(c.want, s.talk.String()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// A line of a megabyte, of controls or of wide signs takes one line.
func TestNoLineIsLongerThanThereIsRoomFor(t *testing.T) {
	for _, text := range []string{strings.Repeat("x", 1<<20), strings.Repeat("\x1b", 1<<18), strings.Repeat("日", 1<<18), strings.Repeat("\xff", 1<<18)} {
		s := newStage()
		s.Event(ended("1", text, tool.Exec, failed("first\n"+text, text)))
		v := s.callView(running{title: text, report: tool.Progress{Message: text}}, 3)("⠹")
		for _, l := range append(strings.Split(s.talk.String(), "\n"), v...) {
			if n := terminal.Cells(l); n > lineCells {
				t.Errorf("%.8q: a line of %d cells, want %d at most", text, n, lineCells)
			}
		}
	}
}

func TestACallThatRunsShowsItsLastLines(t *testing.T) {
	s := newStage()
	r := running{title: "bash make", began: s.now, report: tool.Progress{Message: "1\n2\n3\n4\n5\n6\n\x1b[2J\n"}}
	view := s.callView(r, 2)
	s.pass(65 * time.Second)
	want := []string{"⠹ bash make  and 2 more  1m5s", "  3", "  4", "  5", "  6", `  \u001b[2J`}
	if diff := cmp.Diff(want, view("⠹")); diff != "" {
		t.Error(diff)
	}
	r.report = tool.Progress{Done: 1, Total: 4}
	if diff := cmp.Diff([]string{"⠋ bash make  25 %  1m5s"}, s.callView(r, 0)("⠋")); diff != "" {
		t.Error(diff)
	}
}

func TestTheModelIsWaitedForAndTheServerToo(t *testing.T) {
	s := newStage()
	s.Begin()
	s.pass(3 * time.Second)
	if diff := cmp.Diff([]string{"⠹ test/model  3s"}, s.modelView()("⠹")); diff != "" {
		t.Error(diff)
	}
	s.Event(agent.Again{Err: errors.New("busy\x07"), Wait: 20 * time.Second, Try: 2, Of: 4})
	s.wants(t, "say: busy\\u0007\nsay: waiting 20s, then try 2 of 4\n")
	view := s.modelView()
	for _, want := range []string{"  waiting 20s, then try 2 of 4", "  waiting 5s, then try 2 of 4", "  25s"} {
		if diff := cmp.Diff([]string{"⠹ test/model" + want}, view("⠹")); diff != "" {
			t.Error(diff)
		}
		s.pass(15 * time.Second)
		if want == "  waiting 5s, then try 2 of 4" {
			s.pass(-5 * time.Second)
		}
	}
}

// Text is printed when its turn is whole: what was said before the model is asked again does not count.
func TestTextIsPrintedOnceItCounts(t *testing.T) {
	s := newStage()
	for _, e := range []agent.Event{
		agent.Said{Text: "Half"}, agent.Again{Err: errors.New("cut"), Try: 2, Of: 4},
		agent.Said{Text: "Whole"}, agent.Said{Text: " answer.\n\n"}, agent.Turn{Number: 1},
		agent.Turn{Number: 2},
		agent.Said{Text: "never ended"},
	} {
		s.Event(e)
	}
	s.Close()
	if got := s.out.String(); got != "Whole answer.\n" {
		t.Errorf("got %q", got)
	}
}

func TestAChangeIsShownUnlessItWasApproved(t *testing.T) {
	diff := tool.Diff{Path: "a", Unified: "-one\n+two\n" + strings.Repeat("+x\n", 50), Added: 51, Removed: 1}
	done := func() agent.Called {
		r := tool.NewResult(tool.Text("ok"))
		r.Display = diff
		return ended("1", "edit a", tool.Write, r)
	}
	shown := "✓ edit a  +51 -1\n  -one\n  +two\n" + strings.Repeat("  +x\n", 38) + "  … 12 more lines\n"
	for _, c := range []struct {
		preview tool.Display
		yes     bool
		want    string
	}{
		{diff, true, "✓ edit a  +51 -1\n"},
		{diff, false, shown},
		{tool.Diff{Path: "a", Added: 1}, true, shown}, // another one
		{tool.Summary("x"), true, shown},
	} {
		s := newStage()
		if c.yes {
			q := &tool.Question{Job: &tool.Job{Call: &tool.Call{ID: "1"}}, Preview: c.preview}
			resume := s.Pause("1")
			s.Approved(q)
			resume()
		}
		s.Event(done())
		s.wants(t, c.want)
	}
}

func TestCountsAreWords(t *testing.T) {
	for n, want := range map[int]string{0: "0 turns", 1: "1 turn", 2: "2 turns"} {
		if got := Count(n, "turn"); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
