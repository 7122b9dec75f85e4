//go:build unix

package history

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"helve/internal/change"
)

var kills = flag.Int("kills", 60, "how many programs TestAKillLosesNothing kills")

// workEnv holds a folder for a copy of this program: it works on the workspace in it until it is killed.
const workEnv = "HISTORY_TEST_WORK"

func TestMain(m *testing.M) {
	if base := os.Getenv(workEnv); base != "" {
		if err := work(base); err != nil {
			fmt.Println(err)
		}
		os.Exit(1) // it ends by a kill, or something is wrong
	}
	os.Exit(m.Run())
}

// work makes calls, undoes them and does them again, and writes the journal anew, as long as it lives.
func work(base string) error {
	t := &testing.T{}
	g := &ground{t: t, root: filepath.Join(base, "ws"), store: open(t, base)}
	r := rand.New(rand.NewPCG(uint64(os.Getpid()), uint64(time.Now().UnixNano())))
	for {
		id := strconv.FormatUint(r.Uint64(), 36)
		var plan *Plan
		var err error
		switch k := r.IntN(10); {
		case k < 6:
			set := &change.Set{Changes: randomChanges(t, r, g.root)}
			tree, err := change.OpenTree(g.root)
			if err != nil {
				return err
			}
			for i, c := range set.Changes {
				if set.Changes[i].Was, err = tree.Look(c.Path); err != nil {
					return err
				}
			}
			tree.Close()
			if _, err := g.store.make(context.Background(), Call{ID: id, Tool: "test"}, set); err != nil {
				return err
			}
			continue
		case k < 8:
			plan, err = g.store.PlanUndo("")
		case k < 9:
			plan, err = g.store.PlanRedo()
		default:
			_, err = g.store.prune(time.Time{}, 1<<40, true)
		}
		if err != nil && !errors.Is(err, ErrNothing) {
			return err
		}
		if plan == nil {
			continue
		}
		if _, err := g.store.Apply(context.Background(), Call{ID: id, Tool: "undo"}, plan, false); err != nil {
			return err
		}
	}
}

// A program that calls, undoes and prunes is killed at any moment, again and again in the same workspace. What is in the history then
// leads back to the beginning, without a conflict and byte for byte, and forth again to what stood there.
func TestAKillLosesNothing(t *testing.T) {
	n := *kills
	if testing.Short() {
		n = min(n, 10)
	}
	r := rand.New(rand.NewPCG(3, 4))
	var g *ground
	var first picture
	for i := range n {
		if i%10 == 0 { // now and then from the start, so that the way back stays short
			g = newGround(t)
			g.put("first", "1\n2\n3\n")
			first = g.undated()
		}
		cmd := exec.Command(os.Args[0])
		cmd.Env = []string{workEnv + "=" + filepath.Dir(g.root), "GOMAXPROCS=2"}
		out := &tail{}
		cmd.Stdout, cmd.Stderr = out, out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(20+r.IntN(150)) * time.Millisecond)
		cmd.Process.Kill()
		cmd.Wait()
		if out.text != "" {
			t.Fatalf("the program said\n%s", out.text)
		}
		if err := change.Repair(context.Background(), g.store.o.changes(), nil); err != nil {
			t.Fatal(err)
		}
		there := g.undated()
		plan, err := g.store.plan(Undo, func(g *log) ([]*Call, error) {
			all := slices.Clone(g.calls)
			slices.Reverse(all)
			return all, nil
		})
		if errors.Is(err, ErrNothing) {
			plan, err = &Plan{}, nil // it was killed before its first call
		}
		g.apply(plan, err)
		if diff := cmp.Diff(first, g.undated()); diff != "" {
			t.Fatalf("kill %d: back to the beginning: -want +got\n%s", i, diff)
		}
		if cmp.Equal(first, there) {
			continue
		}
		g.apply(g.store.PlanRedo())
		if diff := cmp.Diff(there, g.undated()); diff != "" {
			t.Fatalf("kill %d: and forth: -want +got\n%s", i, diff)
		}
	}
}

// undated is a picture without the times of directories: a process that was killed may have begun something in one that
// never came to be a call.
func (g *ground) undated() picture {
	out := g.picture()
	for name, is := range out {
		if is[0] == 'd' {
			out[name] = strings.Fields(is)[0]
		}
	}
	return out
}

// A tail keeps the beginning of what a program prints.
type tail struct{ text string }

func (b *tail) Write(p []byte) (int, error) {
	if len(b.text) < 10_000 {
		b.text += string(p)
	}
	return len(p), nil
}
