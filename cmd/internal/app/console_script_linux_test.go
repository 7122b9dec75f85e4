package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/script"
)

// The person at the console answers about what a script changed, once, when it is over.
func TestThePersonAtTheConsoleApprovesTheCallsOfAScript(t *testing.T) {
	if err := script.Confined(t.Context()); err != nil {
		t.Skip(err)
	}
	v := newVictim(t).put("a.txt", "one\n").put(userConfig, `{"script":true}`)
	c := v.consoled(t, "serve", "--http", "127.0.0.1:0", "--console", "--approval", "console")
	client := c.talk(t, "")
	run := func(source string) chan string {
		out := make(chan string, 1)
		go func() { out <- client.call("run_script", map[string]any{"script": source}) }()
		return out
	}
	const two = "x = write(file_path='n.txt', contents='new')\nbash(command='touch made')\n"
	said := run(two + "write(file_path=read(file_path='a.txt').lines[0] + '.txt', contents='late').path")
	q := c.question()
	for _, want := range []string{"A script made 4 calls", "touch made", "+new", "+late", "The script:"} {
		if !strings.Contains(q.Preview, want) {
			t.Errorf("no %q in %s", want, q.Preview)
		}
	}
	if q.Title != "make what the script changed: 3 new" {
		t.Errorf("the question: %+v", q)
	}
	if status, words, _ := c.ask("POST", "answer", `{"id":"`+q.ID+`","digest":"`+q.Digest+`","each":true}`, nil); status == 200 {
		t.Errorf("each of what is one: %s", words)
	}
	c.answer(q, `,"yes":true`)
	if text := <-said; !strings.Contains(text, `"one.txt"`) {
		t.Errorf("got %s", text)
	}
	for _, name := range []string{"n.txt", "made", "one.txt"} {
		if _, err := os.Stat(filepath.Join(c.dir, name)); err != nil {
			t.Error(err)
		}
	}
	// The page finds what the script called: they have its family for a parent.
	var live struct {
		Calls []struct{ Name, Parent, Family string }
	}
	if err := json.Unmarshal([]byte(c.answered(200, "GET", "state", "")), &live); err != nil {
		t.Fatal(err)
	}
	family, made := "", 0
	for _, call := range live.Calls {
		if call.Name == "run_script" {
			family = call.Family
		}
	}
	for _, call := range live.Calls {
		if family != "" && call.Parent == family {
			made++
		}
	}
	if made != 4 {
		t.Errorf("%d calls of the script, want 4: %+v", made, live.Calls)
	}
	said = run("x = 1\nwrite(file_path='c.txt', contents='c')\nbash(command='touch other')")
	c.answer(c.question(), `,"yes":false,"note":"leave it"`)
	if text := <-said; !strings.Contains(text, "the person says: leave it") {
		t.Errorf("got %s", text)
	}
	said = run("x = 2\nwrite(file_path='c.txt', contents='c')\nbash(command='touch other')")
	c.answer(c.question(), `,"yes":false`)
	if text := <-said; !strings.Contains(text, "declined") {
		t.Errorf("got %s", text)
	}
	for _, name := range []string{"c.txt", "other"} {
		if _, err := os.Stat(filepath.Join(c.dir, name)); err == nil {
			t.Errorf("%s is there, which nobody approved", name)
		}
	}
	_, body, _ := c.ask("GET", "audit?tool=run_script", "", nil)
	if !strings.Contains(body, `"kind":"console"`) {
		t.Errorf("on record: %s", body)
	}
}
