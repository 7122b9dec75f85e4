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

// An asked fixture is one whose late questions are answered.
type asked struct {
	*fixture
	answer tool.Answer
	seen   []*tool.Question
}

func openAsked(t *testing.T) *asked {
	t.Helper()
	a := &asked{fixture: open(t, writing())}
	needLayer(t, a.fixture)
	reg := &tool.Registry{}
	if err := reg.Add(builtin.All(a.ws)...); err != nil {
		t.Fatal(err)
	}
	a.kit = reg.Kit(tool.KitOptions{Policy: allowAll{}, Ask: func(_ context.Context, q *tool.Question) (tool.Answer, error) {
		a.seen = append(a.seen, q)
		if q.Job.Call.Resume != nil {
			return tool.Answer{Yes: string(q.Job.Call.Resume.Answers) == `"yes"`}, nil
		}
		return a.answer, nil
	}})
	return a
}

const plants = "echo 'use flake' >.envrc; mkdir .helve; echo '{}' >.helve/config.json; echo x >plain"

// What was found dangerous is shown to a person, with the difference, and made if they say yes.
func TestWhatOthersRunLaterIsAskedAbout(t *testing.T) {
	a := openAsked(t)
	a.answer = tool.Answer{Yes: true, For: tool.Always}
	a.put("plant.sh", plants) // what the judgement of words cannot see
	res := a.call("bash", args{"command": "sh plant.sh"})
	if len(a.seen) != 1 {
		t.Fatalf("asked %d times: %q", len(a.seen), res.Text())
	}
	q := a.seen[0]
	if !q.Late || q.Job.Title != "let the command change .envrc" || len(q.Job.Effects) != 1 || q.Job.Effects[0].Target != ".envrc" ||
		!strings.Contains(q.Preview.String(), "+use flake") || !strings.Contains(q.Verdict.Reason, "direnv runs it") {
		t.Errorf("%+v, %+v, %v", q, q.Job, q.Preview)
	}
	if a.get(".envrc") != "use flake\n" || a.get("plain") != "x\n" {
		t.Errorf("not made: %q", res.Text())
	}
	if _, err := os.Stat(filepath.Join(a.dir, ".helve/config.json")); err == nil {
		t.Error("what decides about rights was made by a command")
	}
	if !strings.Contains(res.Text(), ".helve was held back") || strings.Contains(res.Text(), ".envrc was held") {
		t.Errorf("%q", res.Text())
	}
}

// A no keeps it out, with the person's words for the model.
func TestADeclinedChangeIsNotMade(t *testing.T) {
	a := openAsked(t)
	for note, want := range map[string]string{"": "The person declined. Do not retry", "put it into .env": "The person says: put it into .env"} {
		a.answer = tool.Answer{Note: note}
		res := a.call("bash", args{"command": "echo x >.envrc; echo x >>plain"})
		if _, err := os.Stat(filepath.Join(a.dir, ".envrc")); err == nil || !strings.Contains(res.Text(), want) {
			t.Errorf("%q: %v", res.Text(), err)
		}
	}
	if a.get("plain") != "x\nx\n" {
		t.Errorf("plain is %q", a.get("plain"))
	}
}

// A client that is asked in rounds brings the answer with the ticket: the command does not run again, and no ticket is
// good twice.
func TestTheAnswerOfAnotherRoundFindsTheCommand(t *testing.T) {
	for answer, made := range map[string]bool{`"yes"`: true, `"no"`: false} {
		a := openAsked(t)
		a.answer = tool.Answer{Need: &tool.Need{Requests: json.RawMessage(`{"approval":{}}`)}}
		c := &tool.Call{Name: "bash", Args: json.RawMessage(`{"command":"echo run >>.envrc; echo run >>plain"}`)}
		res, err := a.kit.Call(t.Context(), c)
		if err != nil || res.Need == nil {
			t.Fatalf("%+v, %v", res, err)
		}
		if _, err := os.Stat(filepath.Join(a.dir, "plain")); err == nil {
			t.Error("something was made before the answer")
		}
		c.Resume = &tool.Resume{State: res.Need.State, Answers: json.RawMessage(answer)}
		res, err = a.kit.Call(t.Context(), c)
		if err != nil || res.Err != nil || a.get("plain") != "run\n" {
			t.Errorf("%q, %v", res.Text(), err)
		}
		text, _ := os.ReadFile(filepath.Join(a.dir, ".envrc"))
		if (string(text) == "run\n") != made {
			t.Errorf("%s: .envrc is %q", answer, text)
		}
		res, err = a.kit.Call(t.Context(), c)
		if err != nil || res.Err == nil || !strings.Contains(res.Text(), "no command any more that waits") || a.get("plain") != "run\n" {
			t.Errorf("a ticket twice: %q, %v", res.Text(), err)
		}
	}
}

// A client that never answers loses what was asked about and nothing else.
func TestWithoutAnAnswerTheRestIsMade(t *testing.T) {
	a := openAsked(t)
	a.answer = tool.Answer{Need: &tool.Need{Requests: json.RawMessage(`{}`)}}
	if res := a.call("bash", args{"command": "echo x >.envrc; echo x >plain"}); res.Need == nil {
		t.Fatalf("%q", res.Text())
	}
	if err := a.ws.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(a.dir, ".envrc")); err == nil || a.get("plain") != "x\n" {
		t.Errorf("%v, plain %q", err, a.get("plain"))
	}
}

// Mode auto lets in for the promise that nothing dangerous stays. Where that cannot be kept, the line says so.
func TestACommandOfWhichNothingIsHeldBackSaysSoBeforeItRuns(t *testing.T) {
	h := open(t, writing())
	needLayer(t, h)
	gap := func(h *fixture, a args) string {
		t.Helper()
		b, _ := json.Marshal(a)
		j, err := builtin.Bash(h.ws).Prepare(t.Context(), &tool.Call{Args: b, Session: session(t, nil)})
		if err != nil {
			t.Fatal(err)
		}
		return j.Line.Gap
	}
	for _, c := range []struct {
		args args
		want string
	}{
		{args{"command": "touch x"}, ""},
		{args{"command": "ls"}, ""},
		{args{"command": "touch x", "run_in_background": true}, "in the background"},
	} {
		got := gap(h, c.args)
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%v: %q, want %q", c.args, got, c.want)
		}
	}
	folders, err := filepath.Glob(filepath.Join(h.state, "changes", "*"))
	if err != nil || len(folders) != 1 {
		t.Fatal(folders, err)
	}
	if err := os.WriteFile(filepath.Join(folders[0], "no-layer"), []byte("the kernel is old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := gap(h, args{"command": "touch x"}); !strings.Contains(got, "the kernel is old") {
		t.Errorf("what an earlier command found out is forgotten: %q", got)
	}
	res := h.call("bash", args{"command": "touch x"})
	if res.Err != nil || !strings.Contains(string(res.Meta), "the kernel is old") {
		t.Errorf("%q, %s", res.Text(), res.Meta)
	}
}

// Of what is more than one question shows nobody is asked: it waits, and the rest is made.
func TestMoreThanAQuestionShowsWaits(t *testing.T) {
	a := openAsked(t)
	a.answer = tool.Answer{Yes: true}
	a.put("plant.sh", `mkdir -p .vscode; for i in 1 2 3; do echo "said $i" >.vscode/$i; done`)
	a.call("bash", args{"command": "sh plant.sh"})
	if len(a.seen) != 1 || !strings.Contains(a.seen[0].Preview.String(), "+said 3") {
		t.Fatalf("asked %d times: %v", len(a.seen), a.seen[0].Preview)
	}
	a.put("plant.sh", `for i in $(seq 20); do head -c 250000 /dev/zero | tr '\0' x >.vscode/$i; done; echo x >plain`)
	res := a.call("bash", args{"command": "sh plant.sh"})
	if len(a.seen) != 1 || !strings.Contains(res.Text(), "too much to be shown in one question") {
		t.Errorf("asked %d times: %q", len(a.seen), res.Text())
	}
	waits, _, err := a.ws.Review().List(false)
	if err != nil || len(waits) != 1 || len(waits[0].Files) != 20 || a.get(".vscode/3") != "said 3\n" || a.get("plain") != "x\n" {
		t.Errorf("%+v, %v; .vscode/3 is %.20q", waits, err, a.get(".vscode/3"))
	}
}
