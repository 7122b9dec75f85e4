package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/internal/testing/wiretest"
)

// A driven run is what a stream told of it.
type drivenRun struct {
	questions []string // with title and preview
	results   map[string]string
	end       struct {
		Undo    []string
		Changes []struct{ Path string }
		Calls   struct{ Total, Failed, Refused int }
	}
}

// answered runs a prompt whose questions are answered so, in their order; the last answer is to all further ones.
func (d *runDesk) answered(t *testing.T, answers ...string) (out drivenRun) {
	t.Helper()
	cmd, in, stream := d.drive(t)
	say := func(v map[string]string) {
		b, _ := json.Marshal(v)
		if _, err := in.Write(append(b, '\n')); err != nil {
			t.Error(err)
		}
	}
	say(map[string]string{"type": "prompt", "text": "Go."})
	out.results = map[string]string{}
	lines := json.NewDecoder(stream)
	for {
		var raw json.RawMessage
		if err := lines.Decode(&raw); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		var e struct{ Type, ID, Text, Title, Preview string }
		if err := json.Unmarshal(raw, &e); err != nil {
			t.Fatal(err)
		}
		switch e.Type {
		case "question":
			say(map[string]string{"type": "answer", "question": e.ID, "option": answers[min(len(out.questions), len(answers)-1)]})
			out.questions = append(out.questions, e.Title+"\n"+e.Preview)
		case "result":
			out.results[e.ID] = e.Text
		case "done":
			if err := json.Unmarshal(raw, &out.end); err != nil {
				t.Fatal(err)
			}
			say(map[string]string{"type": "end"})
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	return out
}

// wholeTurn is a reply that reads, writes, edits and runs a command which sees all of that.
func wholeTurn() wiretest.Turn {
	return wiretest.Turn{Calls: []wiretest.Call{
		call("a", "read", `{"file_path":"a.txt"}`),
		call("w", "write", `{"file_path":"new.txt","contents":"fresh\n"}`),
		call("r", "read", `{"file_path":"new.txt"}`),
		call("e", "edit", `{"file_path":"a.txt","old_string":"one","new_string":"eins"}`),
		bash("b", "cat new.txt a.txt; echo three >>a.txt; sh -c 'echo from a command >made.txt'"),
	}}
}

// needsLayer skips where nothing can be held back.
func (d *runDesk) needsLayer(t *testing.T) {
	t.Helper()
	if out, _ := d.helve(0, "why", "bash", "touch x", "--mode", "auto"); strings.Contains(out, "not held back") {
		t.Skip("nothing can be held back here")
	}
}

// With "review": "turn" the calls of one reply are one question, one change and one undo.
func TestAReplysCallsAreReviewedAtOnce(t *testing.T) {
	d := newRunDesk(t, wholeTurn(),
		wiretest.Turn{Calls: []wiretest.Call{call("n", "edit", `{"file_path":"new.txt","old_string":"fresh","new_string":"newer"}`)}},
		wiretest.Turn{Text: "Done."})
	d.needsLayer(t)
	d.configure(`{"mode": "review", "review": "turn"}`)
	got := d.answered(t, "yes", "no")
	if len(got.questions) != 2 {
		t.Fatalf("%d questions: %q\nresults %q", len(got.questions), got.questions, got.results)
	}
	for _, want := range []string{"make what the calls of this turn changed: 1 changed, 2 new", "The model made 3 calls", "-one", "+eins", "+three", "+fresh", "+from a command"} {
		if !strings.Contains(got.questions[0], want) {
			t.Errorf("%q is not in the question:\n%s", want, got.questions[0])
		}
	}
	d.holds("a.txt", "eins\ntwo\nthree\n")
	d.holds("new.txt", "fresh\n")
	d.holds("made.txt", "from a command\n")
	for id, want := range map[string]string{"w": "[committed: ", "r": "fresh", "e": "[committed: ", "b": "eins\ntwo"} {
		if !strings.Contains(got.results[id], want) {
			t.Errorf("%s: %q lacks %q", id, got.results[id], want)
		}
	}
	if len(got.end.Undo) != 1 || len(got.end.Changes) != 3 || got.end.Calls.Total != 6 || got.end.Calls.Refused != 1 {
		t.Fatalf("the end tells %+v", got.end)
	}
	if !strings.Contains(got.questions[1], "+newer") { // the one call of the next reply
		t.Errorf("%q", got.questions[1])
	}
	d.helve(0, "undo", got.end.Undo[0], "--yes")
	d.holds("a.txt", "one\ntwo\n")
	if _, err := os.Stat(filepath.Join(d.dir, "new.txt")); err == nil {
		t.Error("the undo left a file")
	}
	audit, _ := d.helve(0, "audit", "--json")
	if !strings.Contains(audit, `"turn"`) || !strings.Contains(audit, `"stream"`) {
		t.Errorf("who said yes is not on record:\n%s", audit)
	}
}

// A no drops all of it, and the model is told so of each call.
func TestADeclinedReplyLeavesNothing(t *testing.T) {
	d := newRunDesk(t, wholeTurn(), wiretest.Turn{Text: "Done."})
	d.needsLayer(t)
	d.configure(`{"mode": "review", "review": "turn"}`)
	got := d.answered(t, "no")
	if len(got.questions) != 1 || len(got.end.Undo) != 0 || len(got.end.Changes) != 0 {
		t.Fatalf("%d questions, the end tells %+v", len(got.questions), got.end)
	}
	d.holds("a.txt", "one\ntwo\n")
	if _, err := os.Stat(filepath.Join(d.dir, "new.txt")); err == nil {
		t.Error("a file is there")
	}
	for id, want := range map[string]string{"w": "drafted and dropped", "r": "it is not what is on disk", "e": "drafted and dropped", "b": "drafted and dropped"} {
		if !strings.Contains(got.results[id], want) {
			t.Errorf("%s: %q lacks %q", id, got.results[id], want)
		}
	}
	if !strings.Contains(got.results["b"], "eins") || strings.Contains(got.results["w"], "Successfully") {
		t.Errorf("%q", got.results)
	}
	if asked := d.asked(); !strings.Contains(asked, "drafted and dropped") {
		t.Errorf("the model was told: %s", asked)
	}
}
