package server_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"helve/server"
	"helve/tool"
)

// A client that declares everything: one that answers after a minute is heard, one that never answers holds up its own call only, and no longer
// than a person may think.
func TestAClientThatAnswersLateOrNever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := server.New(opener(registry(t, say("write", tool.Write), say("echo", tool.Read)),
			tool.KitOptions{Ask: server.Asker(server.ApproveAuto)}), server.Options{})
		defer srv.Close()
		w := dial(t, srv)
		w.late.Stop() // hours are moments here
		defer w.end()
		w.initialize(`{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{},"context":{}},"roots":{"listChanged":true},"tasks":{},"experimental":{},"extensions":{"x/y":{}}}`)
		const call = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"write","arguments":{"text":"x"}}}`

		w.say(call, 1)
		q := w.hear()
		time.Sleep(time.Minute)
		w.say(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{"decision":"once"}}}`, q["id"])
		if m := w.hear(); string(m["id"]) != "1" || !strings.Contains(string(m["result"]), "write: x") {
			t.Errorf("an answer after a minute: %s%s", m["result"], m["error"])
		}

		begin := time.Now()
		w.say(call, 2)
		w.hear() // the question, which nobody answers
		if got := ask(t, w, "echo", `{"text":"meanwhile"}`); !strings.Contains(got, "echo: meanwhile") {
			t.Errorf("another call: %s", got)
		}
		m := w.hear()
		for string(m["method"]) == `"notifications/cancelled"` { // of our question
			m = w.hear()
		}
		took := time.Since(begin)
		if string(m["id"]) != "2" || !strings.Contains(string(m["result"]), "nobody was asked") || took < 9*time.Minute || took > 11*time.Minute {
			t.Errorf("without an answer, after %v: %s%s", took, m["result"], m["error"])
		}
	})
}

// A task that its client polls for ever, and that never ends, is ended and forgotten after its hour.
func TestATaskIsNotPolledForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := server.New(opener(registry(t, jobs(nil)...), tool.KitOptions{Policy: allowAll{}}), server.Options{})
		defer srv.Close()
		c := &taskClient{wire: dial(t, srv), capabilities: withTasks}
		c.late.Stop()
		defer c.end()
		id := c.call("long", `{"text":""}`)["taskId"].(string)
		begin := time.Now()
		for {
			got := c.about("get", id)
			if fmt.Sprint(got["code"]) == "-32602" {
				break
			}
			if got["status"] != "working" || time.Since(begin) > 61*time.Minute {
				t.Fatalf("after %v: %v", time.Since(begin), got)
			}
			time.Sleep(time.Second)
		}
		if took := time.Since(begin); took < time.Hour {
			t.Errorf("forgotten after %v", took)
		}
	})
}

// A task is its client's: for another conversation of the same principal it does not exist, whatever is asked of it.
func TestATaskIsItsClients(t *testing.T) {
	c := tasked(t, nil)
	id := c.call("long", `{"text":""}`)["taskId"].(string)
	for _, method := range []string{"get", "update", "cancel"} {
		c.say(`{"jsonrpc":"2.0","id":%q,"method":"tasks/%s","params":{"taskId":%q,"inputResponses":{},"_meta":{"helve/conversation":"other","io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":%s}}}`,
			method, method, id, withTasks)
		if m := c.hear(); !strings.Contains(string(m["error"]), "-32602") {
			t.Errorf("tasks/%s of another: %s%s", method, m["result"], m["error"])
		}
	}
	if got := c.about("get", id); got["status"] != "working" {
		t.Errorf("its own: %v", got)
	}
}
