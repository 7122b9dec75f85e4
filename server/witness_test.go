package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"helve/server"
	"helve/tool"
)

// What a client answers to questions is an object of objects; anything else is refused in words, and nothing runs.
func TestAnswersToQuestionsAreObjects(t *testing.T) {
	w := over(t, registry(t, say("echo", tool.Read)), tool.KitOptions{}, server.Options{})
	many := map[string]any{}
	for i := range 1000 {
		many[fmt.Sprint(i)] = map[string]any{}
	}
	all, err := json.Marshal(many)
	if err != nil {
		t.Fatal(err)
	}
	for answers, taken := range map[string]bool{
		`{}`: true, `{"q":{"action":"accept"}}`: true,
		`[]`: false, `"yes"`: false, `{"q":"yes"}`: false, `{"q":[1]}`: false, string(all): false,
	} {
		w.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x"},"inputResponses":%s,%s}}`,
			answers, stateless(`{}`))
		m := w.hear()
		if said := string(m["error"]); (m["error"] == nil) != taken || !taken && !strings.Contains(said, "inputResponses must be an object of objects") {
			t.Errorf("%.40s: %s, %s", answers, said, m["result"])
		}
	}
}

// A note that a person leaves beside an answer reaches the tool's caller with each of the answers.
func TestANoteComesWithEachAnswer(t *testing.T) {
	ask := server.Approver{Approval: server.ApproveElicit}.Asker()
	for word, want := range map[string]tool.Answer{
		"once":    {Yes: true},
		"session": {Yes: true, For: tool.ThisSession},
		"always":  {Yes: true, For: tool.Always},
		"each":    {},
		"no":      {},
		"":        {},
	} {
		answers := fmt.Sprintf(`{"approval":{"action":"accept","content":{"decision":%q,"note":"mind the gap"}}}`, word)
		call := &tool.Call{
			Name:    "write",
			Session: &tool.Session{Capabilities: json.RawMessage(`{"elicitation":{}}`)},
			Resume:  &tool.Resume{Answers: json.RawMessage(answers)},
		}
		got, err := ask(t.Context(), &tool.Question{Job: &tool.Job{Spec: &tool.Spec{Name: "write"}, Call: call}})
		if err != nil || got.Note != "mind the gap" || got.Yes != want.Yes || got.For != want.For {
			t.Errorf("%q: %+v, %v", word, got, err)
		}
	}
}
