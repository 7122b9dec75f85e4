package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"helve/script"
)

// An onwardDesk is a server of MCP with scripts, whose client approves calls itself or asks its person.
type onwardDesk struct {
	*base
	asked   []string // the questions
	answers string   // what the person says to each
}

func newOnwardDesk(t *testing.T) *onwardDesk {
	t.Helper()
	if err := script.Confined(t.Context()); err != nil {
		t.Skip(err)
	}
	d := &onwardDesk{base: newBase(t, 0), answers: "accept"}
	d.needHeld()
	d.write(filepath.Join(d.home, ".config", "helve", "config.json"), `{"script":true}`)
	d.write(filepath.Join(d.work, "a.txt"), nineLines)
	d.write(filepath.Join(d.work, "sync", "wait"), "")
	return d
}

// client is a conversation. With asks its person is asked.
func (d *onwardDesk) client(asks bool) *mcp.ClientSession {
	d.t.Helper()
	if !asks {
		s, _ := d.served(d.t)
		return s
	}
	options := &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		time.Sleep(hesitates)
		d.asked = append(d.asked, r.Params.Message)
		if d.answers == "accept" {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"decision": "once"}}, nil
		}
		return &mcp.ElicitResult{Action: d.answers}, nil
	}}
	transport := &mcp.CommandTransport{Command: d.command(d.helve(), "serve")}
	s, err := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, options).Connect(d.t.Context(), transport, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { s.Close() })
	return s
}

// script runs one, and wants words in its answer.
func (d *onwardDesk) script(s *mcp.ClientSession, draft, source string, wants ...string) string {
	d.t.Helper()
	args := map[string]any{"script": source}
	if draft != "" {
		args["draft"] = draft
	}
	res, err := s.CallTool(d.t.Context(), &mcp.CallToolParams{Name: "run_script", Arguments: args})
	if err != nil {
		d.t.Fatal(err)
	}
	text := ""
	for _, part := range res.Content {
		text += part.(*mcp.TextContent).Text + "\n"
	}
	for _, want := range wants {
		if !strings.Contains(text, want) {
			d.t.Errorf("%q is not in the answer:\n%s", want, text)
		}
	}
	return text
}

// holds wants files to be on disk so; "" is none.
func (d *onwardDesk) holds(files map[string]string) {
	d.t.Helper()
	for name, want := range files {
		if got, _ := os.ReadFile(filepath.Join(d.work, name)); string(got) != want {
			d.t.Errorf("%s has %q, want %q", name, got, want)
		}
	}
}

// conflict leaves a draft in conflict, and returns its ID as the answer names it.
func (d *onwardDesk) conflict(s *mcp.ClientSession) string {
	d.t.Helper()
	go d.editsMeanwhile(d.t.Context(), strings.Replace(nineLines, "9", "IX", 1))
	text := d.script(s, "", editsLastLine, "somebody changed meanwhile what it changes: a.txt", "+nine", "+IX")
	found := regexp.MustCompile(`call run_script with draft: "([a-z2-7]{16})"`).FindStringSubmatch(text)
	if found == nil {
		d.t.Fatal(text)
	}
	d.holds(map[string]string{"a.txt": strings.Replace(nineLines, "9", "IX", 1), "other": ""})
	return found[1]
}

const resolves = `edit(file_path="a.txt", old_string="nine", new_string="IX nine")
read(file_path="half.txt").lines`

// From the answer of a conflict alone a model goes on with what it drafted. A script that fails on the way leaves the
// draft with what it did, and says so; another conversation has no part in it.
func TestAModelGoesOnWithItsScriptsDraft(t *testing.T) {
	d := newOnwardDesk(t)
	s := d.client(false)
	id := d.conflict(s)
	d.script(d.client(false), id, "1", "is one of another conversation")
	d.script(s, "zz", "1", "there is no such draft")
	d.script(s, id[:8], "bash(command=\"echo half >half.txt; exit 0\")\nread(file_path=\"none.txt\")", "none.txt", "Draft "+id+" stays",
		"drafted and kept, not on disk", "No file on disk is another one.")
	d.holds(map[string]string{"half.txt": "", "other": ""})
	if out := d.tries(0, "", "draft", "diff", id); !strings.Contains(out, "+nine") || !strings.Contains(out, "+half") {
		t.Errorf("a person sees %s", out)
	}
	d.tries(1, "somebody changed 1 of its files meanwhile", "draft", "commit", "--yes", id)
	d.script(s, id, resolves, `["half"]`)
	after := map[string]string{"a.txt": strings.Replace(nineLines, "9", "IX nine", 1), "half.txt": "half\n"}
	d.holds(after)
	if _, err := os.Stat(filepath.Join(d.work, "other")); err != nil {
		t.Error(err)
	}
	if out := d.tries(0, "", "draft", "list", "--all"); !strings.Contains(out, id) || !strings.Contains(out, "committed") {
		t.Errorf("the list says %s", out)
	}
	d.script(s, id, resolves, "was committed at")
	d.holds(after)
	d.tries(0, "", "undo", "--yes")
	d.holds(map[string]string{"a.txt": strings.Replace(nineLines, "9", "IX", 1), "half.txt": ""})
}

// Where a person is asked, a script that goes on is one question with the whole difference; a no drops the draft.
func TestAScriptThatGoesOnIsOneQuestion(t *testing.T) {
	for _, answer := range []string{"accept", "decline"} {
		t.Run(answer, func(t *testing.T) {
			d := newOnwardDesk(t)
			d.answers = answer
			s := d.client(true)
			id := d.conflict(s)
			if len(d.asked) > 0 {
				t.Errorf("asked %q", d.asked)
			}
			d.script(s, id, `edit(file_path="a.txt", old_string="nine", new_string="IX nine")`)
			if len(d.asked) != 1 || !strings.Contains(d.asked[0], "A script went on with draft "+id) || !strings.Contains(d.asked[0], "+IX nine") ||
				!strings.Contains(d.asked[0], "b/other") {
				t.Errorf("asked %q", d.asked)
			}
			want, state := strings.Replace(nineLines, "9", "IX nine", 1), "committed"
			if answer == "decline" {
				want, state = strings.Replace(nineLines, "9", "IX", 1), "dropped"
			}
			d.holds(map[string]string{"a.txt": want})
			if out := d.tries(0, "", "draft", "list", "--all"); !strings.Contains(out, state) {
				t.Errorf("the list says %s", out)
			}
		})
	}
}

// Of a disk on which the draft cannot be kept that is told: nothing is made, and nothing stays.
func TestADraftInConflictOnAFullDiskIsDropped(t *testing.T) {
	d := newOnwardDesk(t)
	state := filepath.Join(d.home, ".local", "state", "helve")
	if err := os.MkdirAll(state, 0o755); err != nil {
		t.Fatal(err)
	}
	mounted(t, "none", state, "tmpfs", 0, "size=4m,mode=700")
	s := d.client(false)
	go func() {
		layer := filepath.Join(state, "changes", "*", "*", "upper-0", "other")
		for found, _ := filepath.Glob(layer); len(found) == 0 && d.t.Context().Err() == nil; {
			found, _ = filepath.Glob(layer)
		}
		os.WriteFile(filepath.Join(state, "fill"), make([]byte, 8<<20), 0o600) // it takes what there is
		d.write(filepath.Join(d.work, "a.txt"), strings.Replace(nineLines, "9", "IX", 1))
		d.write(filepath.Join(d.work, "sync", "go"), "")
	}()
	d.script(s, "", editsLastLine, "somebody changed meanwhile what it changes: a.txt", "could not be kept, and is dropped", "drafted and dropped")
	os.Remove(filepath.Join(state, "fill"))
	if left, _ := filepath.Glob(filepath.Join(state, "drafts", "*", "*", "upper-*")); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
	d.holds(map[string]string{"a.txt": strings.Replace(nineLines, "9", "IX", 1), "other": ""})
}

// A file that is closed to its owner does not keep a draft from being gone on with, nor does a helve that is killed in it.
func TestAKilledScriptLeavesTheDraftThatItGoesOnWith(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can become an ordinary user")
	}
	if err := script.Confined(t.Context()); err != nil {
		t.Skip(err)
	}
	d := newBase(t, anybody)
	d.needHeld()
	began := editsLastLine + `bash(command="echo s >shut; chmod 000 shut")`
	for name, text := range map[string]string{
		"a.txt": nineLines, "one.star": began, "two.star": `bash(command="touch begun; sleep 60")`,
		"on.star": "read(file_path=\"a.txt\")\n" + `edit(file_path="a.txt", old_string="nine", new_string="IX nine")`,
	} {
		d.write(filepath.Join(d.work, name), text)
	}
	d.write(filepath.Join(d.work, "sync", "wait"), "")
	if out, err := exec.Command("chown", "-R", fmt.Sprintf("%d:%[1]d", anybody), d.work).CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	go d.editsMeanwhile(t.Context(), strings.Replace(nineLines, "9", "IX", 1))
	said := d.tries(1, "", "script", "--yes", "one.star")
	found := regexp.MustCompile(`draft: "([a-z2-7]{16})"`).FindStringSubmatch(said)
	if found == nil {
		t.Fatal("no draft is named: ", said)
	}
	id := found[1]
	slow := d.command(d.helve(), "script", "--yes", "--draft", id, "two.star")
	if err := slow.Start(); err != nil {
		t.Fatal(err)
	}
	layer := filepath.Join(d.home, ".local", "state", "helve", "drafts", "*", id, "upper-0", "begun")
	for found, _ := filepath.Glob(layer); len(found) == 0 && t.Context().Err() == nil; {
		time.Sleep(10 * time.Millisecond)
		found, _ = filepath.Glob(layer)
	}
	slow.Process.Kill()
	slow.Wait()
	for range 2 {
		if out := d.tries(0, "", "draft", "diff", id); !strings.Contains(out, "b/begun") || !strings.Contains(out, "+nine") {
			t.Errorf("a person sees %s", out)
		}
	}
	d.tries(0, "", "script", "--yes", "--draft", id, "on.star")
	a, _ := os.ReadFile(filepath.Join(d.work, "a.txt"))
	st, err := os.Stat(filepath.Join(d.work, "shut"))
	if string(a) != strings.Replace(nineLines, "9", "IX nine", 1) || err != nil || st.Mode().Perm() != 0 || st.Size() != 2 {
		t.Errorf("on disk is %q, %v: %v", a, st, err)
	}
}
