package server_test

import (
	"encoding/json"
	"fmt"
	"testing"
)

// listenTo subscribes to tasks, and is what was agreed on.
func (c *taskClient) listenTo(ids ...string) string {
	c.t.Helper()
	b, _ := json.Marshal(ids)
	c.say(`{"jsonrpc":"2.0","id":"sub","method":"subscriptions/listen","params":{"notifications":{"taskIds":%s},%s}}`, b, stateless(c.capabilities))
	return c.noticed("notifications/subscriptions/acknowledged")
}

// noticed are the parameters of the next message, which is a notification of that kind for the subscription.
func (c *taskClient) noticed(method string) string {
	c.t.Helper()
	m := c.hear()
	var params map[string]json.RawMessage
	json.Unmarshal(m["params"], &params)
	var meta map[string]any
	json.Unmarshal(params["_meta"], &meta)
	if string(m["method"]) != fmt.Sprintf("%q", method) || meta["io.modelcontextprotocol/subscriptionId"] != "sub" {
		c.t.Fatalf("%s %s%s%s, want %s", m["method"], m["params"], m["result"], m["error"], method)
	}
	delete(params, "_meta")
	b, _ := json.Marshal(params)
	return string(b)
}

// state is what the next notification about a task says.
func (c *taskClient) state(id string) map[string]any {
	c.t.Helper()
	var got map[string]any
	json.Unmarshal([]byte(c.noticed("notifications/tasks")), &got)
	if got["taskId"] != id || got["pollIntervalMs"] == nil {
		c.t.Fatalf("%v, want one about %s", got, id)
	}
	return got
}

// A client that subscribes to a task hears where it is and each change, with the result; of others' tasks, and of those that do not exist,
// it hears nothing.
func TestATaskTellsOfItself(t *testing.T) {
	release := make(chan struct{})
	c := tasked(t, release)
	id := c.call("long", `{"text":"x"}`)["taskId"].(string)
	if got, want := c.listenTo(id, "nobody's", id), fmt.Sprintf(`{"notifications":{"taskIds":[%q]}}`, id); got != want {
		t.Fatalf("agreed on %s, want %s", got, want)
	}
	if got := c.state(id); got["status"] != "working" || got["result"] != nil {
		t.Errorf("%v", got)
	}
	close(release)
	got := c.state(id)
	if b, _ := json.Marshal(got["result"]); got["status"] != "completed" || string(b) != `{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"helve","version":"dev"}},"content":[{"text":"done: x","type":"text"}],"resultType":"complete"}` {
		t.Errorf("%v", got)
	}
}

// What a task asks, its cancellation and its failure are told too; one that is over is told of at once.
func TestATaskTellsWhatItAsksAndHowItEnded(t *testing.T) {
	c := tasked(t, nil)
	id := c.call("asks", `{"text":""}`)["taskId"].(string)
	c.until(id, "input_required")
	c.listenTo(id)
	if got := c.state(id); got["status"] != "input_required" || got["inputRequests"] == nil {
		t.Errorf("%v", got)
	}
	c.say(`{"jsonrpc":"2.0","id":"end","method":"tasks/cancel","params":{"taskId":%q,%s}}`, id, stateless(withTasks))
	cancelled, answered := false, false
	for !cancelled || !answered { // in either order
		m := c.hear()
		var params map[string]any
		json.Unmarshal(m["params"], &params)
		cancelled = cancelled || params["status"] == "cancelled"
		answered = answered || string(m["id"]) == `"end"`
	}
	c = tasked(t, nil)
	id = c.call("breaks", `{"text":""}`)["taskId"].(string)
	c.until(id, "failed")
	c.listenTo(id)
	if got := c.state(id); got["status"] != "failed" || fmt.Sprint(got["error"]) != "map[code:-32603 message:it broke]" {
		t.Errorf("%v", got)
	}
}

// A client that has not declared tasks, or is another one, follows none.
func TestOnlyItsClientHearsOfATask(t *testing.T) {
	c := tasked(t, nil)
	id := c.call("long", `{"text":""}`)["taskId"].(string)
	c.capabilities = `{}`
	if got := c.listenTo(id); got != `{"notifications":{}}` {
		t.Errorf("without the extension: %s", got)
	}
	if m := c.hear(); string(m["id"]) != `"sub"` || m["result"] == nil {
		t.Errorf("a subscription to nothing ends: %s%s", m["result"], m["error"])
	}
	var many []string
	for i := range 257 {
		many = append(many, fmt.Sprint(i))
	}
	b, _ := json.Marshal(many)
	c.say(`{"jsonrpc":"2.0","id":9,"method":"subscriptions/listen","params":{"notifications":{"taskIds":%s},%s}}`, b, stateless(withTasks))
	if m := c.hear(); m["error"] == nil {
		t.Errorf("too many: %s", m["result"])
	}
}
