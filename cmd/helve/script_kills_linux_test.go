package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// scriptKills is small for every day; 500 take a quarter of an hour on two cores.
var scriptKills = flag.Int("script-kills", 20, "how many programs TestAKilledScriptIsAsBeforeOrAsAfter kills")

// scripted takes the workspace from the state of one number to that of the next: by tools for files and by commands in
// turn, each of which finds what the others did.
const scripted = `
def go():
    n = int(read(file_path="n").lines[0])
    m = n + 1
    for i in range(6):
        write(file_path="new%d/a%d" % (m, i), contents="%d\n" % m)
    bash(command="mv new%d/a* dir%d/ && rm -r new%d extra && mv dir%d dir%d && ln -sfn dir%d link" % (m, n, m, n, m, m))
    read(file_path="dir%d/log" % m)
    edit(file_path="dir%d/log" % m, old_string="at %d" % n, new_string="at %d" % m)
    write(file_path="extra/x/%d" % m, contents="%d\n" % m)
    bash(command="for i in $(seq 30); do echo %d >dir%d/f$i; done; cat n extra/x/%d >sum; chmod 600 sum" % (m, m, m))
    read(file_path="n")
    write(file_path="n", contents="%d\n" % m)
    return m
result = go()
`

// wantScripted are the files of a state.
func wantScripted(n int) map[string]string {
	text := fmt.Sprintf("%d\n", n)
	out := map[string]string{
		"n":                          text,
		"sum":                        fmt.Sprintf("%d\n%d\n", n-1, n),
		"link":                       fmt.Sprintf("-> dir%d", n),
		fmt.Sprintf("dir%d/log", n):  fmt.Sprintf("at %d\n", n),
		fmt.Sprintf("extra/x/%d", n): text,
		fmt.Sprintf("dir%d", n):      "a folder",
		"extra":                      "a folder",
		"extra/x":                    "a folder",
	}
	for i := range 6 {
		out[fmt.Sprintf("dir%d/a%d", n, i)] = text
	}
	for i := range 30 {
		out[fmt.Sprintf("dir%d/f%d", n, i+1)] = text
	}
	return out
}

// startScripted makes the workspace of state 1.
func startScripted(t *testing.T) *base {
	t.Helper()
	d := newBase(t, 0)
	d.needHeld()
	d.putScripted(d.work, 1)
	if err := os.WriteFile(filepath.Join(d.home, "go.star"), []byte(scripted), 0o644); err != nil {
		t.Fatal(err)
	}
	return d
}

// putScripted makes the files of a state.
func (d *base) putScripted(dir string, n int) {
	d.t.Helper()
	for name, text := range wantScripted(n) {
		at := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(at), 0o755)
		to, link := strings.CutPrefix(text, "-> ")
		switch {
		case err != nil || text == "a folder":
		case link:
			err = os.Symlink(to, at)
		default:
			err = os.WriteFile(at, []byte(text), 0o644)
		}
		if err != nil {
			d.t.Fatal(err)
		}
	}
}

// texts are the files of the workspace, links and folders, by what is in them.
func (d *base) texts() map[string]string {
	out := map[string]string{}
	for rel, what := range d.files() {
		at := filepath.Join(d.work, rel)
		switch st, err := os.Lstat(at); {
		case err != nil:
			d.t.Fatal(err)
		case st.IsDir():
			what = "a folder"
		case st.Mode()&fs.ModeSymlink != 0:
			to, _ := os.Readlink(at)
			what = "-> " + to
		default:
			text, err := os.ReadFile(at)
			if err != nil {
				d.t.Fatal(err)
			}
			what = string(text)
		}
		out[rel] = what
	}
	return out
}

// killedScript runs the script by the command or by a server, and kills that after a while. It tells whether the script
// had answered before.
func (d *base) killedScript(served bool, after time.Duration) (answered bool) {
	d.t.Helper()
	c := d.command(d.helve(), "--mode", "auto", "script", filepath.Join(d.home, "go.star"))
	if served {
		c = d.command(d.helve(), "--mode", "auto", "serve", "--expose", "code", "--quiet")
	}
	in, err := c.StdinPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		d.t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { c.Process.Kill() })
	if served {
		args, _ := json.Marshal(map[string]string{"script": scripted})
		io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run_script","arguments":`+string(args)+"}}\n")
	} else {
		in.Close()
	}
	said := ""
	for lines := bufio.NewScanner(out); lines.Scan(); {
		said += lines.Text() + "\n"
		if !served || strings.Contains(lines.Text(), `"id":2`) {
			answered = true
			in.Close()
		}
	}
	if c.Wait(); c.ProcessState.ExitCode() > 0 || strings.Contains(said, `"isError":true`) {
		d.t.Errorf("the script failed: %s", said)
	}
	timer.Stop()
	return answered
}

// helve is killed at any moment of a script of files and commands, that a person or a client runs: the workspace is as
// before it or as after it, the history says which, the record holds, and the next script runs.
func TestAKilledScriptIsAsBeforeOrAsAfter(t *testing.T) {
	t.Parallel()
	d := startScripted(t)
	windows := [2]time.Duration{}
	n := 1
	for i := range windows { // how long each takes
		begun := time.Now()
		if !d.killedScript(i == 1, time.Minute) {
			t.Fatalf("the script did not answer; the workspace is %v", d.texts())
		}
		windows[i] = time.Since(begun) * 5 / 4
		n++
		d.isScripted(n, n-1)
	}
	outcomes := map[string]int{}
	for i := range *scriptKills {
		served := i % 2
		delay := time.Duration(rand.Int64N(int64(windows[served])))
		answered := d.killedScript(served == 1, delay)
		d.run("history") // the next start finishes what was begun
		if _, after := d.texts()[fmt.Sprintf("dir%d", n+1)]; after {
			n++
			outcomes["after"]++
			windows[served] -= windows[served] / 5
		} else {
			outcomes["before"]++
			windows[served] += windows[served] / 5 // the kills find the end of the script by themselves
			if answered {
				t.Fatalf("kill %d after %v: it had answered, and is as at %d", i, delay, n)
			}
		}
		if !d.isScripted(n, n-1) {
			t.Fatalf("kill %d after %v", i, delay)
		}
	}
	t.Logf("%d kills: %v", *scriptKills, outcomes)
	if outcomes["before"] == 0 || outcomes["after"] == 0 {
		t.Errorf("the kills came too early or too late to show anything: %v", outcomes)
	}
	if out := d.run("audit", "verify"); !strings.Contains(out, "as they were written") {
		t.Errorf("the record: %s", out)
	}
	if !d.killedScript(false, time.Minute) || !d.isScripted(n+1, n) {
		t.Error("a script after all that does not come to its end")
	}
	d.leavesNoDraft()
}

// isScripted wants the workspace to be as at a number, and the history to have so many calls.
func (d *base) isScripted(n, calls int) bool {
	d.t.Helper()
	diff := cmp.Diff(wantScripted(n), d.texts())
	var kept []struct {
		Undone bool `json:"undone"`
	}
	err := json.Unmarshal([]byte(d.run("history", "--limit", "10000", "--json")), &kept)
	if diff != "" || err != nil || len(kept) != calls {
		d.t.Errorf("as at %d, with %d calls of %d in the history (%v): -want +got\n%s", n, len(kept), calls, err, diff)
		return false
	}
	return true
}

// leavesNoDraft wants nothing to lie where drafts do.
func (d *base) leavesNoDraft() {
	d.t.Helper()
	left, err := filepath.Glob(filepath.Join(d.home, ".local/state/helve/changes/*/*/upper-*"))
	if err != nil || len(left) > 0 {
		d.t.Errorf("left over: %q, %v", left, err)
	}
}
