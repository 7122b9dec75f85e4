package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A stateless is a client of the protocol without sessions.
type stateless struct {
	t            *testing.T
	url, token   string
	conversation string // its name in _meta; "": it sends none
	name         string // of the client
}

// send sends one call and is the answer's result.
func (k stateless) send(tool string, params map[string]any) map[string]any {
	k.t.Helper()
	meta := map[string]any{
		"io.modelcontextprotocol/protocolVersion":    "2026-07-28",
		"io.modelcontextprotocol/clientCapabilities": map[string]any{"elicitation": map[string]any{}},
		"io.modelcontextprotocol/clientInfo":         map[string]any{"name": k.name, "version": "1"},
	}
	if k.conversation != "" {
		meta["helve/conversation"] = k.conversation
	}
	params["_meta"], params["name"] = meta, tool
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
	if err != nil {
		k.t.Fatal(err)
	}
	q, err := http.NewRequest("POST", k.url, bytes.NewReader(body))
	if err != nil {
		k.t.Fatal(err)
	}
	for key, value := range map[string]string{
		"Authorization":        "Bearer " + k.token,
		"Content-Type":         "application/json",
		"Accept":               "application/json",
		"Mcp-Protocol-Version": "2026-07-28",
		"Mcp-Method":           "tools/call",
		"Mcp-Name":             tool,
	} {
		q.Header.Set(key, value)
	}
	resp, err := http.DefaultClient.Do(q)
	if err != nil {
		k.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		k.t.Fatal(err)
	}
	var m struct {
		Result map[string]any
		Error  any
	}
	if err := json.Unmarshal(b, &m); err != nil {
		return map[string]any{"error": fmt.Sprintf("%d %s", resp.StatusCode, b)}
	}
	if m.Result == nil {
		return map[string]any{"error": fmt.Sprint(m.Error)}
	}
	return m.Result
}

// call is what the model reads, with approvals answered by a word once a person had the time to; "" : not answered.
func (k stateless) call(tool, args, word string) string {
	k.t.Helper()
	params := map[string]any{"arguments": json.RawMessage(args)}
	res := k.send(tool, params)
	if state, asked := res["requestState"]; asked && word != "" {
		time.Sleep(60 * time.Millisecond)
		answer := map[string]any{"action": "accept", "content": map[string]any{"decision": word}}
		params["requestState"], params["inputResponses"] = state, map[string]any{"approval": answer}
		res = k.send(tool, params)
	}
	b, err := json.Marshal(res)
	if err != nil {
		k.t.Fatal(err)
	}
	return string(b)
}

// Two clients with one token are two conversations: what one was allowed, has read, left running or noted is not the other's.
func TestTwoClientsOfOneTokenAreTwoConversations(t *testing.T) {
	v := newVictim(t).put("a.txt", "old\n").put(userConfig, `{"rules":[{"allow":"bash:sleep *"},{"allow":"edit:a.txt"}]}`)
	r := v.running(t)
	one := stateless{t: t, url: r.url, token: r.token, conversation: "one", name: "twin"}
	other := one
	other.conversation = "other"
	asks := func(k stateless, file string) bool {
		return strings.Contains(k.call("write", `{"file_path":"`+file+`","contents":"x"}`, ""), `"requestState"`)
	}

	const write = `{"file_path":"new.txt","contents":"x"}`
	if got := one.call("write", write, "session"); !strings.Contains(got, "Successfully") {
		t.Fatalf("one writes: %s", got)
	}
	if asks(one, "more.txt") || !asks(other, "further.txt") {
		t.Errorf("one is asked again, or the other is not")
	}

	const edit = `{"file_path":"a.txt","old_string":"old","new_string":"new"}`
	one.call("read", `{"file_path":"a.txt"}`, "")
	if got := other.call("edit", edit, ""); !strings.Contains(got, `"isError":true`) {
		t.Errorf("the other edits what it has not read: %s", got)
	}
	if got := one.call("edit", edit, ""); strings.Contains(got, `"isError":true`) {
		t.Errorf("one edits: %s", got)
	}

	one.call("todo_write", `{"todos":[{"id":"1","content":"my own plan","status":"pending","priority":"high"}]}`, "")
	if mine, theirs := one.call("todo_read", `{}`, ""), other.call("todo_read", `{}`, ""); !strings.Contains(mine, "my own plan") || strings.Contains(theirs, "my own plan") {
		t.Errorf("todos: %s, %s", mine, theirs)
	}

	started := one.call("bash", `{"command":"sleep 60","run_in_background":true}`, "once")
	_, rest, _ := strings.Cut(started, `task_id`)
	id := strings.FieldsFunc(rest, func(c rune) bool { return strings.ContainsRune(` \":,.}`, c) })
	if len(id) == 0 {
		t.Fatalf("started: %s", started)
	}
	look := fmt.Sprintf(`{"task_id":%q}`, id[0])
	if got := one.call("bash_output", look, ""); strings.Contains(got, `"isError":true`) {
		t.Errorf("its own command: %s", got)
	}
	if got := other.call("bash_output", look, ""); !strings.Contains(got, `"isError":true`) {
		t.Errorf("the other sees it: %s", got)
	}

	// A client that names no conversation is in none of these.
	silent := one
	silent.conversation = ""
	if !asks(silent, "further.txt") || strings.Contains(silent.call("todo_read", `{}`, ""), "my own plan") {
		t.Error("a client without a name has what another's conversation has")
	}
}

// Clients that nothing tells apart may share what was read, but no yes: the next call of any of them is asked about again.
func TestNoYesIsRememberedWhereNothingTellsClientsApart(t *testing.T) {
	v := newVictim(t)
	r := v.running(t)
	twin := stateless{t: t, url: r.url, token: r.token, name: "twin"}
	const write = `{"file_path":"new.txt","contents":"x"}`
	asked := fmt.Sprint(twin.send("write", map[string]any{"arguments": json.RawMessage(write)}))
	if !strings.Contains(asked, "this once") || strings.Contains(asked, "in this session") {
		t.Errorf("asked %s", asked)
	}
	if got := twin.call("write", write, "session"); !strings.Contains(got, "Successfully") || !strings.Contains(got, "The approval holds once only") {
		t.Errorf("%s", got)
	}
	if got := twin.call("write", write, ""); !strings.Contains(got, `"requestState"`) {
		t.Errorf("not asked again: %s", got)
	}
	for _, bad := range []string{strings.Repeat("x", 129)} {
		twin.conversation = bad
		if got := twin.call("read", `{"file_path":"a.txt"}`, ""); !strings.Contains(got, "want a text of 1 to 128 bytes") {
			t.Errorf("%s", got)
		}
	}
}
