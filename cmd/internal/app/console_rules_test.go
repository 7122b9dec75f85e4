package app

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// answered is what the console answers, which must be of a status.
func (c *consoled) answered(want int, method, path, body string) string {
	c.t.Helper()
	status, said, _ := c.ask(method, path, body, nil)
	if status != want {
		c.t.Fatalf("%s %s %s: %d %s, want %d", method, path, body, status, said, want)
	}
	return said
}

func TestAPersonWritesRulesAtTheConsole(t *testing.T) {
	v := newVictim(t).put("a.txt", "old\n").put(userConfig, `{}`)
	c := v.consoled(t, "serve", "--http", "127.0.0.1:0", "--console")
	client := c.talk(t, "")
	reads := func() bool {
		return strings.Contains(client.call("read", map[string]any{"file_path": "a.txt"}), "old")
	}
	if !reads() {
		t.Fatal("a file cannot be read")
	}
	eventually(t, "the record has the call, and the rule would decide it otherwise", func() bool {
		said := c.answered(200, "POST", "rule-try", `{"decision":"deny","rule":"read:*.txt"}`)
		return strings.Contains(said, `"then":"allow","now":"deny"`)
	})
	if !reads() {
		t.Error("a rule that is only tried counts")
	}
	for body, want := range map[string]string{
		`{"decision":"forbid","rule":"read:*.txt"}`:               "forbid",
		`{"decision":"deny","rule":""}`:                           "rule",
		`{"decision":"deny","rule":"read:*","where":"elsewhere"}`: "want local, project or user",
	} {
		if said := c.answered(409, "POST", "rule-add", body); !strings.Contains(said, want) {
			t.Errorf("%s: %s, want %q", body, said, want)
		}
	}
	c.answered(200, "POST", "rule-add", `{"decision":"deny","rule":"read:*.txt"}`)
	if reads() {
		t.Error("the rule does not count")
	}
	var all []map[string]any
	eventually(t, "the rule has decided a call on record", func() bool {
		if err := json.Unmarshal([]byte(c.answered(200, "GET", "rules", "")), &all); err != nil || len(all) != 1 {
			t.Fatalf("%v, %v", all, err)
		}
		used, ok := all[0]["used"].(float64)
		return ok && used >= 1
	})
	of := func(rule string) string {
		return fmt.Sprintf(`{"number":1,"decision":"deny","rule":%q,"layer":"","file":%q,"used":0}`, rule, all[0]["file"])
	}
	if said := c.answered(409, "POST", "rule-remove", of("read:*.md")); !strings.Contains(said, "changed meanwhile") || reads() {
		t.Errorf("another rule than was shown: %s", said)
	}
	c.answered(200, "POST", "rule-add", `{"decision":"ask","rule":"write:*.txt"}`)
	if said := c.answered(409, "POST", "rule-last", of("read:*.md")); !strings.Contains(said, "changed meanwhile") {
		t.Errorf("another rule than was shown: %s", said)
	}
	c.answered(200, "POST", "rule-last", of("read:*.txt"))
	if said := c.answered(200, "GET", "rules", ""); strings.Index(said, "write:*.txt") > strings.Index(said, "read:*.txt") {
		t.Errorf("the rule is not the last one: %s", said)
	}
	c.answered(200, "POST", "rule-remove", strings.Replace(of("read:*.txt"), `"number":1`, `"number":2`, 1))
	if !reads() {
		t.Error("the rule counts still")
	}
}

// The person's click is the yes; what a rule denies stays denied.
func TestAPersonTakesChangesBackAtTheConsole(t *testing.T) {
	v := newVictim(t).put("a.txt", "old\n").put("locked.txt", "old\n").put(userConfig, `{"mode":"auto"}`)
	c := v.consoled(t, "serve", "--http", "127.0.0.1:0", "--console")
	client := c.talk(t, "")
	text := func(name string) string {
		b, err := os.ReadFile(filepath.Join(c.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if said := c.answered(200, "GET", "history?limit=10", ""); !strings.Contains(said, `"calls":[]`) {
		t.Errorf("before anything happened: %s", said)
	}
	for _, name := range []string{"a.txt", "locked.txt"} {
		client.call("read", map[string]any{"file_path": name})
		client.call("write", map[string]any{"file_path": name, "contents": "new\n"})
		if text(name) != "new\n" {
			t.Fatalf("%s is %q", name, text(name))
		}
	}
	c.answered(200, "POST", "rule-add", `{"decision":"deny","rule":"undo:locked.txt"}`)
	var past struct{ Calls []struct{ ID, Title string } }
	if err := json.Unmarshal([]byte(c.answered(200, "GET", "history?limit=10", "")), &past); err != nil || len(past.Calls) != 2 {
		t.Fatalf("%+v, %v", past, err)
	}
	locked, free := past.Calls[0].ID, past.Calls[1].ID
	if said := c.answered(200, "GET", "diff?call="+free, ""); !strings.Contains(said, `-old\n+new`) {
		t.Errorf("the difference is %s", said)
	}
	c.answered(200, "POST", "undo", `{"call":"`+free+`"}`)
	if text("a.txt") != "old\n" {
		t.Errorf("taken back, it is %q", text("a.txt"))
	}
	c.answered(200, "POST", "redo", `{}`)
	if text("a.txt") != "new\n" {
		t.Errorf("with the undo taken back, it is %q", text("a.txt"))
	}
	if said := c.answered(409, "POST", "undo", `{"call":"`+locked+`"}`); text("locked.txt") != "new\n" {
		t.Errorf("what a rule denies was done: %s", said)
	}
	c.answered(409, "POST", "undo", `{"call":""}`)
	c.answered(409, "POST", "undo", `{"call":"nothing"}`)
	c.answered(400, "GET", "history?limit=x", "")
}
