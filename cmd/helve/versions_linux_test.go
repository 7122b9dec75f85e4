package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// olderHelve is one of another version. scripts/two-versions builds one.
var olderHelve = flag.String("older", "", "the other helve of TestTwoVersionsShareAWorkspace; \"\": a second one of this version")

// turns is how often each of two helves does everything.
var turns = flag.Int("turns", 3, "how often each helve of TestTwoVersionsShareAWorkspace does everything")

// Two helves, one of them of an older version if there is one, serve one workspace at once, and a person uses both beside
// that: they edit, run commands, take back, approve, search and index. Each answers or says a word; nothing that was
// acknowledged is lost; undo of the newer leads back; neither crashes.
func TestTwoVersionsShareAWorkspace(t *testing.T) {
	d := newBase(t, 0)
	second := d.helve()
	if *olderHelve != "" {
		second = *olderHelve
	}
	for name, text := range map[string]string{"shared.txt": "shared\n", "p.go": "package p\n\nfunc Add() {}\n", "g.txt": "needle\n"} {
		if err := os.WriteFile(filepath.Join(d.work, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := d.outside("git init -q -b main . && git add . && git commit -q -m 0"); err != nil {
		t.Fatal(err, out)
	}
	both := []*version{{base: d, name: "newer", exe: d.helve(), newer: true}, {base: d, name: "older", exe: second}}
	var at sync.WaitGroup
	for _, v := range both {
		at.Go(v.everything)
	}
	at.Wait()
	b, err := os.ReadFile(filepath.Join(d.work, "shared.txt"))
	for _, v := range both {
		for _, line := range v.lines {
			if err != nil || !strings.Contains("\n"+string(b), "\n"+line+"\n") {
				t.Errorf("shared.txt has lost %q: %v", line, err)
			}
		}
		t.Logf("%s: %d calls, %d of them refused in words; %d lines kept", v.name, v.calls, v.refused, len(v.lines))
		if v.calls == v.refused || len(v.lines) == 0 {
			t.Errorf("%s did nothing", v.name)
		}
	}
	chained := 0
	if d.command(second, "history").Run() != nil {
		chained = -1 // it is from before histories, and before records that name the one before them: verify says so
	}
	for _, v := range both {
		v.ends(0, "list")
		v.ends(chained, "history")
		v.ends(0, "audit", "-n", "5")
	}
	both[0].ends(0, "history")
	both[0].ends(chained, "audit", "verify")
	if out, err := d.outside("git fsck --strict --no-dangling && git status --porcelain --ignored"); err != nil || regexp.MustCompile(`(?m)^.. \.`).MatchString(out) {
		t.Errorf("%v %s", err, out) // a name that begins with a dot is nobody's
	}
}

// A version is a helve that shares the workspace.
type version struct {
	*base
	name, exe      string
	newer          bool
	client         *mcp.ClientSession
	lines          []string // of shared.txt that were acknowledged
	calls, refused int
}

// everything serves a client, and does all that the test's comment says.
func (v *version) everything() {
	ctx := v.t.Context()
	said := &strings.Builder{}
	c := v.command(v.exe, "--mode", "auto", "serve", "--approval", "client", "--names", "qualified")
	c.Stderr = said
	s, err := mcp.NewClient(&mcp.Implementation{Name: v.name, Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: c}, nil)
	if err != nil {
		v.t.Errorf("%s does not serve: %v", v.name, err)
		return
	}
	v.client = s
	for n := range *turns {
		v.turn(ctx, n)
	}
	s.Close()
	if strings.Contains(said.String(), "goroutine ") {
		v.t.Errorf("%s: %s", v.name, said)
	}
}

func (v *version) turn(ctx context.Context, n int) {
	own := fmt.Sprintf("%s%d.txt", v.name, n)
	v.must(v.call(ctx, "write", "file_path", own, "contents", "one\n"))
	v.must(v.call(ctx, "edit", "file_path", own, "old_string", "one", "new_string", "two"))
	v.must(v.call(ctx, "bash", "command", fmt.Sprintf("echo %s >>%s", v.name, own)))
	line := fmt.Sprintf("%s says %d", v.name, n)
	v.call(ctx, "read", "file_path", "shared.txt")
	if _, ok := v.call(ctx, "edit", "file_path", "shared.txt", "old_string", "shared\n", "new_string", "shared\n"+line+"\n"); ok {
		v.lines = append(v.lines, line)
	}
	v.must(v.call(ctx, "grep", "pattern", "needle"))
	if text, ok := v.call(ctx, "find", "name", "Add"); v.newer { // an older one may call it otherwise
		v.must(text, ok)
	}
	v.ends(-1, "index", "build") // the other one may be at it, which is said
	v.ends(0, "--mode", "ask", "call", "--yes", "write", "file_path=mine-"+own, "contents=x")
	v.ends(-1, "approvals", "list")
	if v.newer {
		v.back(own)
	}
}

// back takes back the call that has written a file of its own last, and wants the file to be as before.
func (v *version) back(own string) {
	out := v.ends(0, "history", "--json")
	var calls []struct {
		ID    string
		Files []struct{ Path string }
	}
	if err := json.Unmarshal([]byte(out), &calls); err != nil {
		v.t.Errorf("history: %v: %s", err, out)
		return
	}
	for _, c := range calls {
		if len(c.Files) == 1 && c.Files[0].Path == own {
			v.ends(0, "undo", c.ID, "--yes")
			if b, err := os.ReadFile(filepath.Join(v.work, own)); string(b) != "two\n" {
				v.t.Errorf("after undo of %s %s is %q, %v", c.ID, own, b, err)
			}
			return
		}
	}
	v.t.Errorf("no call that wrote %s alone is in the history: %s", own, out)
}

// call makes a call of the client's. What is refused is so in words.
func (v *version) call(ctx context.Context, name string, args ...any) (text string, ok bool) {
	in := map[string]any{}
	for i := 0; i < len(args); i += 2 {
		in[args[i].(string)] = args[i+1]
	}
	v.calls++
	res, err := v.client.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: in})
	if err != nil {
		v.t.Errorf("%s: %s: %v", v.name, name, err)
		return "", false
	}
	for _, c := range res.Content {
		if t, is := c.(*mcp.TextContent); is {
			text += t.Text
		}
	}
	if res.IsError {
		v.refused++
		if text == "" {
			v.t.Errorf("%s: %s fails without a word", v.name, name)
		}
	}
	return text, !res.IsError
}

// must wants a call to be done: nobody else touches what it is about.
func (v *version) must(text string, ok bool) {
	if !ok {
		v.t.Errorf("%s: %s", v.name, text)
	}
}

// ends runs a command to its end. A status below zero stands for any.
func (v *version) ends(status int, args ...string) string {
	c := v.command(v.exe, args...)
	said := &strings.Builder{}
	c.Stderr = said
	out, err := c.Output()
	got := -1
	if c.ProcessState != nil {
		got = c.ProcessState.ExitCode()
	}
	if status >= 0 && got != status || strings.Contains(said.String(), "goroutine ") || got != 0 && said.Len() == 0 {
		v.t.Errorf("%s: helve %s: %v: %s%s", v.name, strings.Join(args, " "), err, out, said)
	}
	return string(out)
}
