package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// undoKills is small for every day; 3000 take an hour on two busy cores.
var undoKills = flag.Int("undo-kills", 30, "how many programs TestAKilledCallUndoOrPruneLosesNothing kills")

// changing is a command that makes, moves, changes and deletes files, another one for each number.
const changing = `n=$1; rm -rf d$((n%3)); mkdir -p d$((n%2))/e; for i in $(seq 15); do echo $n $i >d$((n%2))/e/f$i; done
chmod $((600+n%2*44)) d$((n%2))/e/f1; ln -sfn d$((n%2)) link; echo $n >>log; mv d$((n%2))/e/f2 d$((n%2))/g; touch -d @$n d$((n%2))/e/f3; rm -f first; mkdir -p empty$((n%4))`

// files is the workspace as it can be compared.
func (d *base) files() map[string]string {
	d.t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(d.work, func(at string, e fs.DirEntry, err error) error {
		if err != nil || at == d.work {
			return err
		}
		st, err := e.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(d.work, at)
		switch {
		case e.IsDir():
			out[rel] = st.Mode().String() // a killed process may have begun something in it that never came to be a call
		case st.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(at)
			out[rel] = fmt.Sprintf("-> %s %d", to, st.ModTime().UnixNano())
			return err
		default:
			text, err := os.ReadFile(at)
			out[rel] = fmt.Sprintf("%v %d %s", st.Mode(), st.ModTime().UnixNano(), text)
			return err
		}
		return nil
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return out
}

// run runs helve to its end, in mode auto.
func (d *base) run(args ...string) string {
	d.t.Helper()
	out, err := d.command(d.helve(), append([]string{"--mode", "auto"}, args...)...).CombinedOutput()
	if err != nil {
		d.t.Fatalf("helve %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// startUndo makes a workspace with one call in its history, and returns the call's ID.
func startUndo(t *testing.T) (d *base, first string) {
	t.Helper()
	d = newBase(t, 0)
	d.needHeld()
	if err := os.WriteFile(filepath.Join(d.work, "work.sh"), []byte(changing), 0o644); err != nil {
		t.Fatal(err)
	}
	d.run("call", "write", "file_path=first", "contents=1\n2\n3\n")
	var calls []struct{ ID string }
	if err := json.Unmarshal([]byte(d.run("history", "--json")), &calls); err != nil || len(calls) == 0 {
		t.Fatalf("%v: %d calls", err, len(calls))
	}
	return d, calls[0].ID
}

// helve is killed at any moment of commands, edits, undos, redos and prunes, one after the other. What is in the history
// then leads back to the beginning byte for byte, and forth again to what stood there.
func TestAKilledCallUndoOrPruneLosesNothing(t *testing.T) {
	const fresh = 60 // calls after which another workspace begins, so that the way back stays short
	r := rand.New(rand.NewPCG(7, 8))
	var d *base
	var first string
	var begin map[string]string
	killed := map[string]int{}
	window := map[string]time.Duration{}
	for i := range *undoKills {
		if i%fresh == 0 {
			d, first = startUndo(t)
			begin = d.files()
		}
		args := randomOperation(r, i)
		name := strings.Join(args[:min(2, len(args))], " ")
		if window[name] == 0 {
			window[name] = 300 * time.Millisecond
		}
		c := d.command(d.helve(), append([]string{"--mode", "auto"}, args...)...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(r.Int64N(int64(window[name]))), func() { c.Process.Kill() })
		begun := time.Now()
		err := c.Wait()
		timer.Stop()
		if err != nil && strings.Contains(err.Error(), "killed") {
			killed[name]++
			window[name] += window[name] / 20
		} else { // it was quicker: the next one is killed earlier
			window[name] = max(10*time.Millisecond, min(window[name], time.Since(begun))*19/20)
		}
		if i%5 == 4 {
			d.backAndForth(i, first, begin)
		}
	}
	t.Logf("killed: %v", killed)
}

// randomOperation is what helve is asked to do, and is killed in.
func randomOperation(r *rand.Rand, i int) []string {
	switch r.IntN(10) {
	case 0, 1, 2, 3:
		return []string{"call", "bash", fmt.Sprintf("command=sh work.sh %d", i)}
	case 4:
		return []string{"call", "write", fmt.Sprintf("file_path=w%d", i%3), fmt.Sprintf("contents=%d", i)}
	case 5, 6:
		return []string{"undo", "--yes"}
	case 7, 8:
		return []string{"redo", "--yes"}
	}
	return []string{"history", "prune", "--before", "7d"}
}

// backAndForth undoes everything after a call, and does it again.
func (d *base) backAndForth(kill int, first string, begin map[string]string) {
	d.t.Helper()
	d.run("history") // the next start finishes what was begun
	there := d.files()
	if cmp.Equal(begin, there) {
		return
	}
	out := d.run("undo", "--yes", "--to", first)
	if diff := cmp.Diff(begin, d.files()); diff != "" {
		d.t.Fatalf("kill %d: back to the beginning: -want +got\n%s\n%s", kill, diff, out)
	}
	out = d.run("redo", "--yes")
	if diff := cmp.Diff(there, d.files()); diff != "" {
		d.t.Fatalf("kill %d: and forth: -want +got\n%s\n%s", kill, diff, out)
	}
}
