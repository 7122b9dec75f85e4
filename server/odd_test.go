package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"helve/server"
	"helve/tool"
)

// A client that answers one question twice, answers what nobody asked, and answers when the call is over: the first answer counts, the
// others mean nothing, and the connection goes on.
func TestAnswersThatNobodyWaitsForMeanNothing(t *testing.T) {
	srv := server.New(opener(registry(t, say("write", tool.Write), say("echo", tool.Read)),
		tool.KitOptions{Ask: server.Asker(server.ApproveAuto)}), server.Options{})
	defer srv.Close()
	w := dial(t, srv)
	w.initialize(`{"elicitation":{}}`)
	const call = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"write","arguments":{"text":"x"}}}`
	const yes = `{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{"decision":"once"}}}`
	const no = `{"jsonrpc":"2.0","id":%s,"result":{"action":"decline"}}`

	w.say(`{"jsonrpc":"2.0","id":77,"result":{"action":"accept","content":{"decision":"always"}}}`)
	w.say(call, 1)
	q := w.hear()
	time.Sleep(personTime)
	w.say(no, q["id"])
	w.say(yes, q["id"]) // changes its mind, or tries to
	if m := w.hear(); string(m["id"]) != "1" || !strings.Contains(string(m["result"]), "declined") {
		t.Errorf("the first answer does not count: %s", m)
	}

	w.say(call, 2)
	late := w.hear()
	w.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	for string(late["method"]) != `"notifications/cancelled"` { // of our question: nobody waits for its answer
		late, q = w.hear(), late
	}
	w.say(yes, q["id"])
	if got := ask(t, w, "echo", `{"text":"still there"}`); !strings.Contains(got, "echo: still there") {
		t.Errorf("after answers that nobody waits for: %s", got)
	}

	// "always" was never said to a question: the next call is asked about again.
	w.say(call, 3)
	if m := w.hear(); string(m["method"]) != `"elicitation/create"` {
		t.Errorf("an answer to no question approved: %s", m)
	}
}

// Two calls at a time with one progress token, and a third after them: each is served, and tells under the token that it was given.
func TestAProgressTokenThatIsUsedAgain(t *testing.T) {
	steps := tool.New(tool.Spec{Name: "steps", Kind: tool.Read}, func(_ context.Context, c *tool.Call, in sayIn) (*tool.Result, error) {
		c.Progress(tool.Progress{Done: 1, Total: 1, Message: in.Text})
		return tool.Textf("done %s", in.Text), nil
	})
	srv := server.New(opener(registry(t, steps), tool.KitOptions{}), server.Options{})
	defer srv.Close()
	w := dial(t, srv)
	w.initialize(`{}`)
	for _, ids := range [][]int{{1, 2}, {3}} {
		told, done := map[string]bool{}, map[string]bool{}
		for _, id := range ids {
			w.say(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"steps","arguments":{"text":"t%d"},"_meta":{"progressToken":"same"}}}`, id, id)
		}
		for len(done) < len(ids) {
			m := w.hear()
			if m["id"] != nil {
				done[string(m["id"])] = strings.Contains(string(m["result"]), "done t"+string(m["id"]))
				continue
			}
			var p struct {
				Token   string `json:"progressToken"`
				Message string `json:"message"`
			}
			if err := json.Unmarshal(m["params"], &p); err != nil || p.Token != "same" {
				t.Fatalf("%s, %v", m["params"], err)
			}
			told[p.Message] = true
		}
		for _, id := range ids {
			if !done[fmt.Sprint(id)] || !told[fmt.Sprintf("t%d", id)] {
				t.Errorf("call %d: done %v, told %v", id, done, told)
			}
		}
	}
}
