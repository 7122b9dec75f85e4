package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// hesitates is how long a person takes to say no: one that comes at once is a program's.
const hesitates = 200 * time.Millisecond

// editsOfAScript is how many files the script below changes if nothing ends it.
const editsOfAScript = 48

// A script of many edits that a client of the official SDK has run, and that ends early: its answer alone says that no
// file is changed, or, where what stands is kept, names every file that is, and no other.
func TestAScriptOfManyEditsThatEndsEarlyNamesThemAllToItsClient(t *testing.T) {
	for name, c := range map[string]early{
		"it fails":         {last: `fail("because")`, says: "because"},
		"a call fails":     {last: `edit(file_path="f00.txt", old_string="none", new_string="x")`, says: "none"},
		"its time is over": {last: `bash(command="sleep 60")`, timeout: 20_000, says: "time"},
		"a person says no": {last: `bash(command="touch other")`, declines: true, says: "declined"},
		"what stands":      {last: `fail("because")`, says: "because", keeps: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // one waits for the end of its time
			c.run(t)
		})
	}
}

// An early end is that of a script.
type early struct {
	last     string // what happens at the 30th
	timeout  int    // in milliseconds
	declines bool   // a person is asked, and says no
	keeps    bool
	says     string
}

func (e early) run(t *testing.T) {
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
	if e.declines {
		approval = "elicit"
		options.ElicitationHandler = func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			asked++
			time.Sleep(hesitates)
			return &mcp.ElicitResult{Action: "decline"}, nil
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
      ` + e.last + `
    read(file_path=f)
    edit(file_path=f, old_string="one", new_string="two")
all()
`}
	if e.timeout > 0 {
		args["timeout"] = e.timeout
	}
	if e.keeps {
		args["keep"] = "partial"
	}
	res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "run_script", Arguments: args})
	if err != nil {
		t.Fatal(err, said)
	}
	text := ""
	for _, c := range res.Content {
		text += c.(*mcp.TextContent).Text + "\n"
	}
	if !res.IsError || !strings.Contains(text, e.says) {
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
	want, words := 0, "(drafted and dropped)"
	if e.keeps {
		want, words = 30, "(committed)"
	}
	if nothing := strings.Contains(text, "No file on disk is another one."); changed != want || nothing != (want == 0) || !strings.Contains(text, words) {
		t.Errorf("%d files are changed, %d questions were asked: %s", changed, asked, text)
	}
}
