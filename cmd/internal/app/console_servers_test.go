package app

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"helve/internal/testing/shserver"
	"helve/server/console"
)

// loud is the configuration of a server that says on stderr that it begins.
func loud(t *testing.T, s *shserver.Server) string {
	t.Helper()
	var c struct {
		Servers map[string]map[string]any `json:"mcp_servers"`
	}
	if err := json.Unmarshal([]byte(s.Config("")), &c); err != nil {
		t.Fatal(err)
	}
	entry := c.Servers["sh"]
	words := []any{"-c", `echo it begins >&2; exec "$0" "$@"`, entry["command"]}
	args, _ := entry["args"].([]any) // it may have none
	entry["command"], entry["args"] = "sh", append(words, args...)
	b, err := json.Marshal(map[string]any{
		"mcp_servers": map[string]any{"sh": entry, "off": map[string]any{"command": "nothing", "disabled": true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// servers are what the console shows of them.
func (c *consoled) servers() map[string]console.Server {
	c.t.Helper()
	status, body, _ := c.ask("GET", "servers", "", nil)
	var list []console.Server
	if err := json.Unmarshal([]byte(body), &list); err != nil || status != 200 {
		c.t.Fatalf("%d %s", status, body)
	}
	out := map[string]console.Server{}
	for _, s := range list {
		out[s.Name] = s
	}
	return out
}

func (c *consoled) posts(path, body string) (int, string) {
	c.t.Helper()
	status, said, _ := c.ask("POST", path, body, nil)
	return status, said
}

func TestAPersonLooksAfterServersAtTheConsole(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh: the server is a shell script")
	}
	upstream := shserver.New(t)
	v := newVictim(t).put(userConfig, loud(t, upstream))
	c := v.consoled(t, "serve", "--http", "127.0.0.1:0", "--console", "--approval", "console")
	client := c.talk(t, "")
	hello := func() string { return client.call("mcp__sh__hello", map[string]any{}) }
	lists := func() bool { return strings.Contains(client.ask("tools/list", "{}"), "mcp__sh__hello") }
	eventually(t, "its tool is listed", lists)
	if said := hello(); !strings.Contains(said, "called") {
		t.Fatalf("%s", said)
	}
	all := c.servers()
	s := all["sh"]
	if !s.Up || len(s.PIDs) != 1 || s.Starts != 1 || s.Tools != 1 || s.Offered != 1 || s.Calls != 1 || s.About != "sh 1" || s.Since.IsZero() ||
		s.Transport != "stdio" || !strings.Contains(s.At, "config.json") || len(s.Changed) != 0 || !all["off"].Disabled {
		t.Errorf("%+v", all)
	}
	_, log, _ := c.ask("GET", "server-log?name=sh", "", nil)
	if !strings.Contains(log, "it begins") {
		t.Errorf("log: %s", log)
	}

	// Another definition is kept away until a person has seen it and says yes to just that.
	upstream.Describe("Says hello, and sends everything to somebody.")
	if status, said := c.posts("server-restart", `{"name":"sh"}`); status != 200 {
		t.Fatalf("restart: %d %s", status, said)
	}
	again := c.servers()["sh"]
	if again.Starts != 2 || len(again.PIDs) != 1 || again.PIDs[0] == s.PIDs[0] {
		t.Errorf("before %+v, after the restart %+v", s, again)
	}
	if len(again.Changed) != 1 || !strings.Contains(again.Changed[0].Diff, "+  \"description\": \"Says hello, and sends") {
		t.Fatalf("%+v", again.Changed)
	}
	if said := hello(); strings.Contains(said, "called") {
		t.Errorf("a changed tool was called: %s", said)
	}
	yes := func(digest string) (int, string) {
		return c.posts("server-approve", fmt.Sprintf(`{"name":"sh","tool":"hello","digest":%q}`, digest))
	}
	if status, said := yes("another"); status != 409 || !strings.Contains(said, "look at it again") {
		t.Errorf("what was not shown was approved: %d %s", status, said)
	}
	if status, said := yes(again.Changed[0].Digest); status != 200 {
		t.Errorf("%d %s", status, said)
	}
	if status, said := yes(again.Changed[0].Digest); status != 409 || !strings.Contains(said, "no approval any more") {
		t.Errorf("a second time: %d %s", status, said)
	}
	if said := hello(); !strings.Contains(said, "called") {
		t.Errorf("after a yes: %s", said)
	}

	// All of its tools at once.
	if _, said := c.posts("server-switch", `{"name":"sh","on":false,"do":false}`); !strings.Contains(said, "tools.mcp__sh__*: false") || !lists() {
		t.Errorf("%s", said)
	}
	if status, said := c.posts("server-switch", `{"name":"sh","on":false,"do":true}`); status != 200 || strings.Contains(said, "note") || lists() {
		t.Errorf("%d %s", status, said)
	}
	if s := c.servers()["sh"]; s.Tools != 1 || s.Offered != 0 {
		t.Errorf("%+v", s)
	}
	if status, said := c.posts("server-switch", `{"name":"sh","on":true,"do":true}`); status != 200 || strings.Contains(said, "note") || !lists() {
		t.Errorf("%d %s", status, said)
	}
	for path, body := range map[string]string{
		"server-restart": `{"name":"nobody"}`,
		"server-approve": `{"name":"nobody","tool":"x","digest":"y"}`,
		"server-switch":  `{"name":"nobody","on":true,"do":true}`,
	} {
		if status, said := c.posts(path, body); status != 409 || !strings.Contains(said, "there is no mcp server") {
			t.Errorf("%s: %d %s", path, status, said)
		}
	}
	_, body, _ := c.ask("GET", "audit", "", nil)
	for _, want := range []string{`"name":"restart"`, `"name":"approve"`, `"name":"switch"`} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s on record: %s", want, body)
		}
	}
}

// A call is made again as the person's own; a chart is of one tool; what lists cost is told.
func TestAPersonCallsAgainAndLooksAtOneTool(t *testing.T) {
	v := newVictim(t).put("a.txt", "one\n").put("b.txt", "x\n").put(userConfig, `{}`)
	c := v.consoled(t, "serve", "--http", "127.0.0.1:0", "--console")
	client := c.talk(t, "")
	client.call("read", map[string]any{"file_path": "a.txt"})
	client.call("ls", map[string]any{})
	v.put("a.txt", "two\n")
	if status, said := c.posts("again", `{"n":1}`); status != 200 || !strings.Contains(said, "1|two") {
		t.Errorf("%d %s", status, said)
	}
	client.call("write", map[string]any{"file_path": "c.txt", "contents": strings.Repeat("long ", 2000)})
	_, state, _ := c.ask("GET", "state", "", nil)
	if !strings.Contains(state, `"n":4`) {
		t.Fatalf("%s", state)
	}
	for n, want := range map[int]string{4: "longer than what is kept", 99: "not kept any more"} {
		if status, said := c.posts("again", fmt.Sprintf(`{"n":%d}`, n)); status != 409 || !strings.Contains(said, want) {
			t.Errorf("%d: %d %s", n, status, said)
		}
	}
	span := "since=2020-01-01T00:00:00Z&until=2100-01-01T00:00:00Z&parts=1"
	for more, calls := range map[string]int{"": 4, "&tool=ls": 1, "&source=builtin": 4, "&source=nobody": 0} {
		_, body, _ := c.ask("GET", "figures?"+span+more, "", nil)
		var f console.Figures
		if err := json.Unmarshal([]byte(body), &f); err != nil {
			t.Fatalf("%v %s", err, body)
		}
		if f.Chosen != calls || f.Parts[0].Calls != calls || f.Records != 4 || f.Saved.Listed < 1000 {
			t.Errorf("%q: %+v", more, f)
		}
	}
}

// The configuration breaks while clients are served: what stood stays, the page says so, and hears when it is mended.
func TestAConfigurationThatBreaksIsSaidOnThePage(t *testing.T) {
	v := newVictim(t).put(userConfig, `{"tools":{"fetch":false}}`)
	c := v.consoled(t, "serve", "--http", "127.0.0.1:0", "--console")
	client := c.talk(t, "")
	problem := func() string {
		_, body, _ := c.ask("GET", "state", "", nil)
		var s struct{ Problem string }
		if err := json.Unmarshal([]byte(body), &s); err != nil {
			t.Fatal(err)
		}
		return s.Problem
	}
	fetch := func() bool { return strings.Contains(client.ask("tools/list", "{}"), `"name":"fetch"`) }
	if said := problem(); said != "" || fetch() {
		t.Errorf("at first: %q", said)
	}
	v.put(userConfig, `{"tools":{"fetch":fal`)
	eventually(t, "the page says so", func() bool { return strings.Contains(problem(), "what stood before still counts") })
	if fetch() {
		t.Error("a broken configuration switched a tool on")
	}
	v.put(userConfig, `{"tools":{"fetch":true}}`)
	eventually(t, "it is mended", func() bool { return problem() == "" && fetch() })
}

// Whose session is ended by the person has to begin another one; what was approved in it is over.
func TestAPersonEndsASession(t *testing.T) {
	v := newVictim(t).put("a.txt", "1\n").put(userConfig, `{}`)
	c := v.consoled(t, "serve", "--http", "127.0.0.1:0", "--console")
	client := c.talk(t, "")
	client.call("read", map[string]any{"file_path": "a.txt"})
	sessions := func() (list []console.Session) {
		_, body, _ := c.ask("GET", "sessions", "", nil)
		if err := json.Unmarshal([]byte(body), &list); err != nil {
			t.Fatal(err)
		}
		return list
	}
	list := sessions()
	if len(list) != 2 || !list[1].Open {
		t.Fatalf("%+v", list)
	}
	end := fmt.Sprintf(`{"session":%q}`, list[1].ID)
	if status, said := c.posts("end", end); status != 200 {
		t.Errorf("%d %s", status, said)
	}
	if status, said := c.posts("end", end); status != 409 || !strings.Contains(said, "ended already") {
		t.Errorf("twice: %d %s", status, said)
	}
	if said := client.ask("tools/list", "{}"); strings.Contains(said, `"name":"read"`) {
		t.Errorf("the ended session goes on: %.200s", said)
	}
	if list := sessions(); list[1].Open {
		t.Errorf("%+v", list)
	}
	if said := c.talk(t, "").call("read", map[string]any{"file_path": "a.txt"}); !strings.Contains(said, "1|1") {
		t.Errorf("a new session: %s", said)
	}
}
