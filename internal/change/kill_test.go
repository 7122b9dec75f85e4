//go:build unix

package change

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

var (
	kills = flag.Int("kills", 200, "how many programs TestAKillLeavesATreeAsBeforeOrAsAfter kills")
	first = flag.Uint64("kill-seed", 0, "the first of its seeds")
)

// killEnv holds a killing for a copy of this program: it makes the set and dies in the middle of it.
const killEnv = "CHANGE_TEST_KILL"

// A killing says what the copy does and where it dies.
type killing struct {
	Root, State string
	Seed        uint64
	Way         int
	Repair      bool // it repairs, instead of making the set
	Point       int  // where it dies: the point's number
}

func TestMain(m *testing.M) {
	if text := os.Getenv(killEnv); text != "" {
		var k killing
		if err := json.Unmarshal([]byte(text), &k); err != nil {
			panic(err)
		}
		if err := k.run(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// trees are those of a seed.
func (k killing) trees() (before, after tree, whole bool) {
	r := rand.New(rand.NewPCG(k.Seed, 2))
	return random(r, 14), random(r, 14), r.IntN(2) == 0
}

func (k killing) options() Options {
	o := Options{Roots: []string{k.Root}, State: k.State}
	o.near, o.plain, o.Keep = k.Way&1 != 0, k.Way&2 != 0, k.Way&4 != 0
	return o
}

func (k killing) run() error {
	o := k.options()
	n := 0
	o.point = func(string) {
		if n == k.Point {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		n++
	}
	if k.Repair {
		return Repair(context.Background(), o, nil)
	}
	before, after, whole := k.trees()
	tx, err := Begin(o)
	if err != nil {
		return err
	}
	s, err := between(before, after, tx.Folder(), whole)
	if err != nil {
		return err
	}
	for i := range s.Changes {
		s.Changes[i].Unit = "all"
	}
	if k.locks() {
		s.Units = map[string]Unit{"all": {Lock: &Place{Path: "unit.lock"}}}
		s.Settle = k.settle
	}
	r, err := tx.Apply(context.Background(), s)
	if err != nil {
		return err
	}
	if len(r.Refused) > 0 {
		return fmt.Errorf("refused %s: %v", r.Refused[0].Path, r.Refused[0].Why)
	}
	return tx.Close()
}

// settle gives every file that was made the content that it has.
func (k killing) settle(t *Transaction, r *Report) error {
	for _, m := range r.Made {
		if m.Index < 0 || m.Now.Type != File {
			continue
		}
		content, err := os.ReadFile(filepath.Join(k.Root, string(m.Path)))
		if err == nil {
			err = t.Replace(m.Place, content)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (k killing) locks() bool { return k.Seed%3 == 0 }

// start runs a copy and returns whether it was killed, by itself or after some time from here.
func (k killing) start(t *testing.T, after time.Duration) (killed bool) {
	t.Helper()
	text, err := json.Marshal(k)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{killEnv + "=" + string(text), "GOMAXPROCS=2", "GOGC=off"}
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if after > 0 {
		timer := time.AfterFunc(after, func() { cmd.Process.Kill() })
		defer timer.Stop()
	}
	err = cmd.Wait()
	status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() && status.Signal() == syscall.SIGKILL {
		return true
	}
	if err != nil {
		t.Fatalf("%s: %v\n%s", text, err, out.String())
	}
	return false
}

// A program that makes a set is killed, often the one that repairs it is killed too; the tree is always as before or as
// after, all of it, and nothing is left in it. -kills 10000 takes some minutes.
func TestAKillLeavesATreeAsBeforeOrAsAfter(t *testing.T) {
	g := newGround(t, nil)
	n := *kills
	if testing.Short() {
		n = min(n, 60)
	}
	outcomes := map[string]int{}
	for killed, seed := 0, *first; killed < n; seed++ {
		k := killing{Root: g.root, State: g.state, Seed: seed, Way: int(seed % 8)}
		r := rand.New(rand.NewPCG(seed, 3))
		before, after, _ := k.trees()
		g.reset(t, before)
		k.Point = r.IntN(60)
		wait := time.Duration(0)
		if r.IntN(4) == 0 { // between two points, too
			k.Point, wait = -1, time.Duration(r.Int64N(int64(40*time.Millisecond)))
		}
		if k.start(t, wait) {
			killed++
		}
		for k.Repair = true; r.IntN(3) == 0; {
			k.Point = r.IntN(30)
			if k.start(t, 0) {
				killed++
			}
		}
		var refused []Refusal
		tell := func(_ *Transaction, r *Report) error { refused = r.Refused; return nil }
		if err := Repair(t.Context(), k.options(), tell); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		got := g.tree(t)
		toBefore, toAfter := before.diff(got), after.diff(got)
		switch {
		case toAfter == "":
			outcomes["after"]++
		case toBefore == "":
			outcomes["before"]++
		default:
			for _, x := range refused {
				t.Logf("refused %s: %v", x.Path, x.Why)
			}
			t.Fatalf("seed %d (%+v): it is neither as before:\n%s\nnor as after:\n%s", seed, k, toBefore, toAfter)
		}
		g.wantNoFolders(t)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	t.Logf("%d kills: %v", n, outcomes)
	if outcomes["before"] == 0 || outcomes["after"] == 0 {
		t.Errorf("the kills came too early or too late to show anything: %v", outcomes)
	}
}
