package main

import (
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"helve/script"
)

// draftKills is small for every day; 300 take a quarter of an hour on two cores.
var draftKills = flag.Int("draft-kills", 6, "how many programs TestAKilledScriptLeavesItsDraftAsBeforeOrAsAfter kills")

// listed shows all that is below the folder, and what is in it.
const listed = `find . -mindepth 1 -printf '%P %y %m %l\n' | sort; grep -r '' . | sort`

// scriptedIn is what listed says of the files of a state.
func (d *base) scriptedIn(n int) string {
	d.t.Helper()
	dir := d.t.TempDir()
	d.putScripted(dir, n)
	if err := os.Chmod(filepath.Join(dir, "sum"), 0o600); n > 1 && err != nil {
		d.t.Fatal(err)
	}
	c := exec.Command("sh", "-c", listed)
	c.Dir = dir
	out, err := c.Output()
	if err != nil {
		d.t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// killedInDraft runs the script in a draft and kills that after a while. It tells whether it had answered before.
func (d *base) killedInDraft(id string, after time.Duration) (answered bool) {
	d.t.Helper()
	c := d.command(d.helve(), "--mode", "auto", "call", "--draft", id, "run_script", "script="+scripted)
	out := &strings.Builder{}
	c.Stdout, c.Stderr = out, out
	if err := c.Start(); err != nil {
		d.t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { c.Process.Kill() })
	defer timer.Stop()
	if c.Wait(); c.ProcessState.ExitCode() > 0 {
		d.t.Errorf("the script failed: %s", out)
	}
	return c.ProcessState.Success()
}

// helve is killed at any moment of a script in a person's draft: the draft is as before the script or as after it, the
// next script goes on from there, nothing of it is on the disk before the commit, and all of it then.
func TestAKilledScriptLeavesItsDraftAsBeforeOrAsAfter(t *testing.T) {
	t.Parallel()
	if err := script.Confined(t.Context()); err != nil {
		t.Skip(err)
	}
	d := startScripted(t)
	d.run("config", "set", "-g", "script", "true")
	id := strings.TrimSpace(d.tries(0, "", "draft", "open"))
	n := 1
	begun := time.Now()
	if !d.killedInDraft(id, time.Minute) {
		t.Fatal("the script did not end")
	}
	window := time.Since(begun) * 5 / 4
	n++
	outcomes := map[string]int{}
	for i := range *draftKills {
		delay := time.Duration(rand.Int64N(int64(window)))
		answered := d.killedInDraft(id, delay)
		got := strings.TrimSpace(d.tries(0, "", "--mode", "auto", "call", "--draft", id, "bash", "command="+listed))
		if strings.Contains(got, "dir"+strconv.Itoa(n+1)+" d") {
			n++
			outcomes["after"]++
			window -= window / 5
		} else {
			outcomes["before"]++
			window += window / 5 // the kills find the end of the script by themselves
			if answered {
				t.Fatalf("kill %d after %v: it had answered, and the draft is as at %d", i, delay, n)
			}
		}
		if diff := cmp.Diff(d.scriptedIn(n), got); diff != "" {
			t.Fatalf("kill %d after %v: as at %d: -want +got\n%s", i, delay, n, diff)
		}
	}
	t.Logf("%d kills: %v", *draftKills, outcomes)
	if diff := cmp.Diff(wantScripted(1), d.texts()); diff != "" {
		t.Errorf("the disk before the commit: -want +got\n%s", diff)
	}
	d.run("draft", "diff", id)
	d.run("draft", "commit", "--yes", id)
	if diff := cmp.Diff(wantScripted(n), d.texts()); diff != "" {
		t.Errorf("the disk after the commit, as at %d: -want +got\n%s", n, diff)
	}
	d.leavesNoDraft()
}
