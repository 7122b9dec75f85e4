package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// editsOfAScript is how many files the script below changes if nothing ends it.
const editsOfAScript = 48

// A script of many edits that a client of the official SDK has run, and that ends early: its answer alone names every
// file that is changed, and no other.
func TestAScriptOfManyEditsThatEndsEarlyNamesThemAllToItsClient(t *testing.T) {
	for name, c := range map[string]struct {
		last    string // what happens at the 30th
		timeout int    // in milliseconds
		answers int    // how often the person says yes; then no. 0: nobody is asked
		says    string
	}{
		"it fails":         {last: `fail("because")`, says: "because"},
		"a call fails":     {last: `edit(file_path="f00.txt", old_string="none", new_string="x")`, says: "none"},
		"its time is over": {last: `bash(command="sleep 60")`, timeout: 20_000, says: "time"},
		"a person says no": {last: `bash(command="touch other")`, answers: 1, says: "no"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // one waits for the end of its time
			endsEarly(t, c.last, c.timeout, c.answers, c.says)
		})
	}
}

func endsEarly(t *testing.T, last string, timeout, answers int, says string) {
	d := newBase(t, 0)
	file := filepath.Join(d.home, ".config", "helve", "config.json")
	err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(`{"script":true}`), 0o644))
	for i := range editsOfAScript {
		err = errors.Join(err, os.WriteFile(filepath.Join(d.work, fmt.Sprintf("f%02d.txt", i)), []byte("one\n"), 0o644))
	}
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	options := &mcp.ClientOptions{}
	approval := "client"
	if answers > 0 {
		approval = "elicit"
		options.ElicitationHandler = func(_ context.Context, q *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			if asked++; asked > answers {
				return &mcp.ElicitResult{Action: "decline"}, nil
			}
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"decision": "once"}}, nil
		}
	}
	said := &strings.Builder{}
	cmd := d.command(d.helve(), "serve", "--approval", approval)
	cmd.Stderr = said
	s, err := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, options).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err, said)
	}
	defer s.Close()
	args := map[string]any{"script": `def all():
  for i in range(48):
    f = "f%s%d.txt" % ("0" if i < 10 else "", i)
    if i == 30:
      ` + last + `
    read(file_path=f)
    edit(file_path=f, old_string="one", new_string="two")
all()
`}
	if timeout > 0 {
		args["timeout"] = timeout
	}
	res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "run_script", Arguments: args})
	if err != nil {
		t.Fatal(err, said)
	}
	text := ""
	for _, c := range res.Content {
		text += c.(*mcp.TextContent).Text + "\n"
	}
	if !res.IsError || !strings.Contains(text, says) {
		t.Errorf("the script ends with %s", text)
	}
	changed := 0
	for i := range editsOfAScript {
		name := fmt.Sprintf("f%02d.txt", i)
		b, err := os.ReadFile(filepath.Join(d.work, name))
		if err != nil {
			t.Fatal(err)
		}
		is := string(b) != "one\n"
		if is {
			changed++
		}
		if named := strings.Contains(text, "modified "+name); named != is {
			t.Errorf("%s: changed %v, named %v", name, is, named)
		}
	}
	if changed == 0 || changed == editsOfAScript || t.Failed() {
		t.Errorf("%d files are changed, %d questions were asked: %s", changed, asked, text)
	}
}
