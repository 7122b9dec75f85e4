package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"helve/internal/testing/wiretest"
)

// runKills is how often TestAKilledRunTellsTheTruth kills; .ci/nightly says more.
var runKills = flag.Int("run-kills", 8, "kills of an agent's run in the middle of a turn")

// helve runs a command line in the desk's workspace, and is what it printed.
func (d *runDesk) helve(status int, args ...string) (stdout, stderr string) {
	d.t.Helper()
	cmd := exec.Command(d.bin, args...)
	cmd.Dir, cmd.Env = d.dir, d.env
	var out, talk bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &talk
	_ = cmd.Run() // the status says it
	if got := cmd.ProcessState.ExitCode(); got != status {
		d.t.Fatalf("helve %q ended with %d, want %d\n%s%s", args, got, status, out.String(), talk.String())
	}
	return out.String(), talk.String()
}

// A keptTalk is a conversation as show --json prints it.
type keptTalk struct {
	ID       string
	State    string
	Turns    int
	Holder   *struct{ PID int }
	Messages []struct {
		Turn  int
		Role  string
		Text  string
		Calls []struct{ ID, Tool, Arguments, Text, State, Undo string }
	}
}

func (d *runDesk) conversations(args ...string) (out []keptTalk) {
	d.t.Helper()
	text, _ := d.helve(0, append([]string{"conversations", "--json"}, args...)...)
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		d.t.Fatalf("%s: %v", text, err)
	}
	return out
}

func (d *runDesk) show(id string) (out keptTalk) {
	d.t.Helper()
	text, _ := d.helve(0, "conversations", "show", "--json", id)
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		d.t.Fatalf("%s: %v", text, err)
	}
	return out
}

// appends is a turn that adds a line to a file by a command, and edits another one.
func appends(n int) wiretest.Turn {
	bash := fmt.Sprintf(`{"command":"echo line-%d >> log.txt; sleep 0.0%d"}`, n, n%7)
	edit := fmt.Sprintf(`{"file_path":"edited.txt","old_string":"end","new_string":"edit-%d\nend"}`, n)
	return wiretest.Turn{Calls: []wiretest.Call{
		call(fmt.Sprint("read-", n), "read", `{"file_path":"edited.txt"}`),
		call(fmt.Sprint("bash-", n), "bash", bash), call(fmt.Sprint("edit-", n), "edit", edit),
	}}
}

// Killed at any moment, a run goes on: no call is made twice, none is lost, and what is said of each is what is on the
// disk.
func TestAKilledRunTellsTheTruth(t *testing.T) {
	t.Parallel()
	const turns = 400
	var script []wiretest.Turn
	for n := range turns {
		script = append(script, appends(n))
	}
	d := newRunDesk(t, script...)
	d.write("edited.txt", "end\n")
	d.write("log.txt", "")
	if _, talk := d.helve(0, "call", "bash", "echo x > probe; rm probe", "--yes"); strings.Contains(talk, "overlay") {
		t.Skip("nothing is held back on this machine: " + talk)
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	args := []string{"run", "go", "--model", "openai/test", "--base-url", d.srv.URL, "--yes", "--max-turns", "1000"}
	for range *runKills {
		cmd := exec.Command(d.bin, args...)
		cmd.Dir, cmd.Env = d.dir, d.env
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(150+random.IntN(700)) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if len(d.conversations()) > 0 && args[1] == "go" {
			args = slices.Insert(args, 1, "--continue")
		}
	}
	d.helve(1, append(args, "--max-turns", "1")...) // settles the last kill
	d.tellsTheTruth()
}

// tellsTheTruth compares what is said of each call with what is on the disk.
func (d *runDesk) tellsTheTruth() {
	d.t.Helper()
	all := d.conversations()
	if len(all) != 1 {
		d.t.Fatalf("%d conversations, want 1", len(all))
	}
	read := func(name string) []string {
		b, err := os.ReadFile(filepath.Join(d.dir, name))
		if err != nil {
			d.t.Fatal(err)
		}
		return strings.Fields(string(b))
	}
	there := append(read("log.txt"), read("edited.txt")...)
	count := map[string]int{}
	for _, m := range d.show(all[0].ID).Messages {
		for _, c := range m.Calls {
			count[c.State]++
			kind, n, _ := strings.Cut(c.ID, "-")
			line := map[string]string{"bash": "line-", "edit": "edit-"}[kind] + n
			times := 0
			for _, l := range there {
				if l == line {
					times++
				}
			}
			want := 1
			if kind == "read" || c.State == "dropped" || c.State == "not_begun" {
				want = 0
			}
			if c.State == "unknown" && times == 0 {
				want = 0 // a kill that cuts an entry of the history off leaves nobody who could tell
			}
			if times != want {
				d.t.Errorf("%s is %s, and stands there %d times: %s", c.ID, c.State, times, c.Text)
			}
		}
	}
	d.t.Logf("calls by what became of them: %v", count)
}

// Who holds a conversation is said to the next one, which is offered a copy.
func TestASecondProcessIsToldWhoHoldsAConversation(t *testing.T) {
	d := newRunDesk(t, wiretest.Turn{Calls: []wiretest.Call{call("1", "bash", `{"command":"sleep 600"}`)}}, wiretest.Turn{Text: "I am the copy."})
	first := d.command(nil, "--yes")
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = first.Process.Kill(); _ = first.Wait() }()
	var all []keptTalk
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if all = d.conversations(); len(all) == 1 && all[0].State == "running" && len(d.srv.Requests()) == 1 {
			break
		}
	}
	if len(all) != 1 || all[0].Holder == nil || all[0].Holder.PID != first.Process.Pid {
		t.Fatalf("got %+v, want one that %d holds", all, first.Process.Pid)
	}
	_, talk := d.helve(1, "run", "--continue", "x", "--base-url", d.srv.URL)
	wants(t, talk, fmt.Sprintf("the process %d holds the conversation %s since", first.Process.Pid, all[0].ID), "--fork")
	d.helve(1, "conversations", "delete", all[0].ID, "--yes")
	out, _ := d.helve(0, "run", "--continue", "--fork", "x", "--base-url", d.srv.URL)
	wants(t, out, "I am the copy.")
	_ = first.Process.Kill()
	_ = first.Wait()
	if a := d.show(all[0].ID); a.State != "interrupted" {
		t.Errorf("the state is %s, want interrupted", a.State)
	}
}

// A conversation is taken back with its files, and deleted with all that is kept of its calls.
func TestAConversationIsTakenBackAndDeleted(t *testing.T) {
	d := newRunDesk(t, reads, edits("1", "two", "2"), wiretest.Turn{Text: "first"}, edits("2", "one", "1"), edits("3", "2", "zwei"), wiretest.Turn{Text: "second"},
		wiretest.Turn{Text: "third"})
	model := []string{"--model", "openai/test", "--base-url", d.srv.URL, "--yes"}
	d.helve(0, append([]string{"run", "go"}, model...)...)
	d.helve(0, append([]string{"run", "-c", "on"}, model...)...)
	d.holds("a.txt", "1\nzwei\n")
	id := d.conversations()[0].ID
	d.helve(2, "conversations", "back", id, "3")
	d.helve(3, "conversations", "back", id, "1")
	d.holds("a.txt", "1\nzwei\n")
	d.helve(0, "conversations", "back", id[:6], "1", "--yes")
	d.holds("a.txt", "one\n2\n")
	if a := d.show(id); a.Turns != 1 || len(a.Messages) != 4 {
		t.Errorf("%d turns and %d messages, want 1 and 4", a.Turns, len(a.Messages))
	}
	d.helve(0, append([]string{"run", "-c", "again"}, model...)...)
	last := d.srv.Requests()[6]
	if strings.Contains(last, "zwei") || !strings.Contains(last, "first") {
		t.Errorf("the model reads what was taken back: %s", last)
	}
	d.helve(0, "conversations", "rename", id, "another", "name")
	d.helve(0, "conversations", "pin", id)
	text, _ := d.helve(0, "conversations")
	wants(t, text, "another name (pinned)")
	markdown, _ := d.helve(0, "conversations", "export", id)
	wants(t, markdown, "# another name", "## 1", "**edit**", "> again")
	d.helve(0, "conversations", "delete", id, "--yes")
	if all := d.conversations("--all"); len(all) != 0 {
		t.Errorf("%+v is still there", all)
	}
	history, _ := d.helve(0, "history", "--json")
	if strings.Contains(history, id) {
		t.Errorf("the history still has calls of it: %s", history)
	}
	d.holds("a.txt", "one\n2\n")
}

// What a model said about secrets is masked on the disk, the key of the run too, whatever wrote it there.
func TestNoSecretOfAConversationStandsOnTheDisk(t *testing.T) {
	token := "ghp_" + strings.Repeat("a1B2", 9)
	d := newRunDesk(t, wiretest.Turn{Text: "It is " + token, Calls: []wiretest.Call{call("1", "bash", `{"command":"echo `+token+`; echo key-of-this-run-123"}`)}},
		wiretest.Turn{Text: "done"})
	d.env = append(d.env, "OPENAI_API_KEY=key-of-this-run-123")
	d.helve(0, "run", "my token is "+token, "--model", "openai/test", "--base-url", d.srv.URL, "--yes")
	home := filepath.Join(filepath.Dir(d.dir), "home")
	for _, secret := range []string{token, "key-of-this-run-123"} {
		found, _ := exec.Command("grep", "-rl", secret, filepath.Join(home, ".local", "state", "helve", "sessions")).Output()
		if len(found) > 0 {
			t.Errorf("%s stands in %s", secret, found)
		}
	}
	id := d.conversations()[0].ID
	text, _ := d.helve(0, "conversations", "show", id)
	wants(t, text, "[GitHub token masked]")
}

// stored are the files of the history's contents.
func (d *runDesk) stored() []string {
	d.t.Helper()
	files, err := filepath.Glob(filepath.Join(filepath.Dir(d.dir), "home", ".local", "state", "helve", "history", "*", "objects", "*", "*"))
	if err != nil {
		d.t.Fatal(err)
	}
	return files
}

// What back takes back is one undo, which redo takes back.
func TestBackIsOneUndo(t *testing.T) {
	write := func(name, text string) wiretest.Turn {
		return wiretest.Turn{Calls: []wiretest.Call{call("w-"+name+text, "write", `{"file_path":"`+name+`","contents":"`+text+`"}`)}}
	}
	d := newRunDesk(t, wiretest.Turn{Text: "first"}, reads, edits("1", "two", "2"), write("b.txt", "new"), edits("2", "2", "zwei"), wiretest.Turn{Text: "second"})
	model := []string{"--model", "openai/test", "--base-url", d.srv.URL, "--yes"}
	d.helve(0, append([]string{"run", "go"}, model...)...)
	d.helve(0, append([]string{"run", "-c", "on"}, model...)...)
	d.holds("a.txt", "one\nzwei\n")
	id := d.conversations()[0].ID
	d.helve(0, "conversations", "back", id, "1", "--yes", "--files")
	d.holds("a.txt", "one\ntwo\n")
	if d.there("b.txt") {
		t.Error("b.txt is there")
	}
	d.helve(0, "redo", "--yes")
	d.holds("a.txt", "one\nzwei\n")
	d.holds("b.txt", "new\n")
	d.helve(0, "conversations", "back", id, "1", "--yes")
	d.helve(0, "conversations", "back", id, "1", "--yes") // there is nothing more to take back
	d.holds("a.txt", "one\ntwo\n")
}

// A conversation that is deleted, or forgotten when its time comes, takes with it what its calls changed, and what took
// that back; what another one needs stays: its own calls, the same contents, and those of a fork.
func TestWhatIsForgottenOfAConversation(t *testing.T) {
	bash := func(n, line string) wiretest.Turn { return wiretest.Turn{Calls: []wiretest.Call{bash(n, line)}} }
	said := wiretest.Turn{Text: "done"}
	d := newRunDesk(t, bash("1", "echo first > x.txt; echo shared > s.txt"), said, bash("2", "echo second > y.txt; echo shared > t.txt"), said,
		bash("3", "echo third > x.txt"), said, bash("4", "rm y.txt"), said)
	model := []string{"--model", "openai/test", "--base-url", d.srv.URL, "--yes"}
	run := func(args ...string) string {
		t.Helper()
		d.helve(0, append(append([]string{"run"}, args...), model...)...)
		return d.conversations()[0].ID
	}
	ids := func() string {
		text, _ := d.helve(0, "history", "--json")
		return text
	}
	first := run("one")
	other := run("two")
	fork := run("--resume="+first, "--fork", "three")
	d.helve(0, "conversations", "delete", first, "--yes")
	if now := ids(); !strings.Contains(now, first) || !strings.Contains(now, other) || !strings.Contains(now, fork) {
		t.Errorf("the fork's and the other one's calls are to be there: %s", now)
	}
	d.helve(0, "conversations", "back", fork, "1", "--yes") // x.txt is as the fork found it
	d.holds("x.txt", "first\n")
	d.helve(0, "conversations", "delete", fork, "--yes")
	if now := ids(); strings.Contains(now, first) || strings.Contains(now, fork) || strings.Contains(now, "undo ") {
		t.Errorf("the history still has calls of what is deleted: %s", now)
	}
	last := run("--resume="+other, "four")
	d.helve(0, "undo", "--yes")
	d.holds("y.txt", "second\n")
	before := len(d.stored())
	if last != other || before == 0 {
		t.Fatalf("%s is not %s, or nothing is stored: %d", last, other, before)
	}
	d.configure(`{"conversations":{"keep":"1ns"}}`)
	d.helve(0, "conversations", "prune", "--dry-run")
	if now := len(d.stored()); now != before {
		t.Errorf("a dry run left %d of %d contents", now, before)
	}
	d.helve(0, "conversations", "prune")
	if left := d.stored(); len(left) > 0 || len(d.conversations("--all")) > 0 {
		t.Errorf("there stays %q", left)
	}
	d.holds("y.txt", "second\n")
}
