package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// In mode review a client of the stateless protocol brings the answer in another round. What was shown is made, once;
// the command does not run again, and its ticket is good for nothing else.
func TestAReviewOverTheStatelessProtocolIsMadeOnce(t *testing.T) {
	v := newVictim(t).put("a.txt", "old\n").put("b.txt", "").put(userConfig, `{"mode":"review"}`)
	r := v.running(t)
	k := stateless{t: t, url: r.url, token: r.token, conversation: "one", name: "reviewer"}
	const command = `{"command":"echo new >a.txt; echo ran >>b.txt; echo spoken"}`
	answered := func(args string, state any) string {
		time.Sleep(60 * time.Millisecond) // an answer at once is no person's
		answer := map[string]any{"action": "accept", "content": map[string]any{"decision": "once"}}
		params := map[string]any{"arguments": json.RawMessage(args), "requestState": state, "inputResponses": map[string]any{"approval": answer}}
		return asJSON(t, k.send("bash", params))
	}
	holds := func(what, name, want string) {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(v.repo, name))
		if err != nil || string(text) != want {
			t.Errorf("%s: %s holds %q, want %q: %v", what, name, text, want, err)
		}
	}

	first := k.send("bash", map[string]any{"arguments": json.RawMessage(command)})
	state, asked := first["requestState"]
	shown := asJSON(t, first)
	if !asked {
		if strings.Contains(shown, "not held back") {
			t.Skip("nothing is held back here: ", shown)
		}
		t.Fatal(shown)
	}
	for _, part := range []string{"-old", "+new", "+ran"} {
		if !strings.Contains(shown, part) {
			t.Errorf("%q is not in %s", part, shown)
		}
	}
	holds("before the answer", "a.txt", "old\n")

	if got := answered(`{"command":"echo evil >a.txt"}`, state); !strings.Contains(got, "error") {
		t.Errorf("another command takes the ticket: %s", got)
	}
	holds("after another command's answer", "a.txt", "old\n")
	if got := answered(command, state); strings.Contains(got, `"isError":true`) || !strings.Contains(got, "spoken") {
		t.Errorf("the answer: %s", got)
	}
	holds("after the answer", "a.txt", "new\n")
	holds("after the answer", "b.txt", "ran\n")

	v.put("a.txt", "the person's\n")
	if got := answered(command, state); !strings.Contains(got, "rror") {
		t.Errorf("a second answer is taken: %s", got)
	}
	holds("after a second answer", "a.txt", "the person's\n")
	holds("after a second answer", "b.txt", "ran\n")
}

// What somebody changed between the question and the answer is not overwritten by what was shown.
func TestAReviewDoesNotOverwriteWhatChangedSinceItWasShown(t *testing.T) {
	v := newVictim(t).put("a.txt", "old\n").put("b.txt", "old\n").put(userConfig, `{"mode":"review"}`)
	r := v.running(t)
	k := stateless{t: t, url: r.url, token: r.token, conversation: "one", name: "reviewer"}
	params := map[string]any{"arguments": json.RawMessage(`{"command":"echo new >a.txt; echo new >b.txt"}`)}
	first := k.send("bash", params)
	if first["requestState"] == nil {
		t.Skip("nothing is held back here: ", asJSON(t, first))
	}
	v.put("a.txt", "the person's\n")
	time.Sleep(60 * time.Millisecond)
	answer := map[string]any{"action": "accept", "content": map[string]any{"decision": "once"}}
	params["requestState"], params["inputResponses"] = first["requestState"], map[string]any{"approval": answer}
	got := asJSON(t, k.send("bash", params))
	a, _ := os.ReadFile(filepath.Join(v.repo, "a.txt"))
	b, _ := os.ReadFile(filepath.Join(v.repo, "b.txt"))
	if string(a) != "the person's\n" || string(b) != "new\n" || !strings.Contains(got, "a.txt") {
		t.Errorf("a.txt holds %q, b.txt %q: %s", a, b, got)
	}
}

func asJSON(t *testing.T, value any) string {
	t.Helper()
	b, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
