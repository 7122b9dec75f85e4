//go:build unix

package uncommitted_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"helve/internal/change"
	"helve/internal/uncommitted"
)

// kills is small for every day; 10000 take some minutes.
var kills = flag.Int("kills", 60, "how many programs TestAKilledStoreIsAsBeforeOrAsAfter kills")

// killEnv holds a work for a copy of this program.
const killEnv = "UNCOMMITTED_TEST_KILL"

// A work is what the copy does with a draft when it is killed.
type work struct {
	Root, State, Store string
	Do                 string // keep, apply or drop
	ID                 string
}

const killFiles = 12 // of a draft

func TestMain(m *testing.M) {
	if text := os.Getenv(killEnv); text != "" {
		var w work
		if err := json.Unmarshal([]byte(text), &w); err != nil {
			panic(err)
		}
		if err := w.run(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func (w work) options() change.Options {
	return change.Options{Roots: []string{w.Root}, State: w.State}
}

func (w work) store() *uncommitted.Store {
	repair := func() error { return change.Repair(context.Background(), w.options(), nil) }
	return &uncommitted.Store{Dir: w.Store, Repair: repair}
}

func (w work) places() (out []change.Place) {
	for i := range killFiles {
		out = append(out, change.Place{Path: change.Name(fmt.Sprintf("d/f%d", i))})
	}
	return out
}

func (w work) run() error {
	s := w.store()
	if w.Do == "keep" {
		return w.keep(s)
	}
	t, err := s.Take(w.ID)
	if err != nil {
		return err
	}
	defer t.Close()
	if w.Do == "drop" {
		return t.Mark(uncommitted.Dropped, w.places()...)
	}
	set, _, _, err := t.Set(func(change.Place) bool { return true })
	if err != nil {
		return err
	}
	if err := t.Mark(uncommitted.Committing, w.places()...); err != nil {
		return err
	}
	tx, err := change.Begin(w.options())
	if err != nil {
		return err
	}
	defer tx.Close()
	if _, err := tx.Apply(context.Background(), set); err != nil {
		return err
	}
	return t.Mark(uncommitted.Committed, w.places()...)
}

func (w work) keep(s *uncommitted.Store) error {
	to, err := s.New(uncommitted.Draft{Kind: uncommitted.Waits, Roots: []string{w.Root}})
	if err != nil {
		return err
	}
	defer to.Close()
	for _, at := range w.places() {
		f := uncommitted.File{Place: at, Will: change.Entry{Type: change.File, Mode: 0o644}}
		if err := to.Add(f, content("-"), content(string(at.Path))); err != nil {
			return err
		}
	}
	_, err = to.Keep()
	return err
}

// killed runs a copy, kills it after some time, and tells whether it came that far.
func (w work) killed(t *testing.T, after time.Duration) bool {
	t.Helper()
	text, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{killEnv + "=" + string(text)}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { cmd.Process.Kill() })
	defer timer.Stop()
	err = cmd.Wait()
	status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if err != nil && !status.Signaled() {
		t.Fatalf("%s: %v", text, err)
	}
	return status.Signaled()
}

// Whoever is killed while something is kept, made or dropped leaves all of it as before or all as after, of the store
// and of the tree, and what the next one finds it can decide about.
func TestAKilledStoreIsAsBeforeOrAsAfter(t *testing.T) {
	outcomes := map[string]int{}
	window := map[string]time.Duration{}
	for i := range *kills {
		g := newGround(t)
		w := work{Root: g.root, State: g.state, Store: g.store.Dir, Do: []string{"keep", "apply", "drop"}[i%3]}
		if w.Do != "keep" {
			g.must(w.keep(w.store()))
			w.ID = w.only(t).ID
		}
		if window[w.Do] == 0 { // the first one ends by itself
			start := time.Now()
			w.killed(t, time.Minute)
			window[w.Do] = time.Since(start)
			continue
		}
		killed := w.killed(t, time.Duration(rand.Int64N(int64(window[w.Do]))))
		end := w.end(t)
		outcomes[w.Do+" "+end]++
		if killed && end == "before" { // the machine does much else: the kills find the end of the work by themselves
			window[w.Do] += window[w.Do] / 5
		} else {
			window[w.Do] -= window[w.Do] / 5
		}
	}
	t.Logf("%d kills: %v", *kills, outcomes)
	for _, do := range []string{"keep", "apply", "drop"} {
		if outcomes[do+" before"] == 0 || outcomes[do+" after"] == 0 {
			t.Errorf("the kills came too early or too late to show anything: %v", outcomes)
		}
	}
}

// only is the one draft that is there, nil where there is none.
func (w work) only(t *testing.T) *uncommitted.Draft {
	t.Helper()
	all, damaged, err := w.store().List()
	if err != nil || damaged != 0 || len(all) > 1 {
		t.Fatalf("%d drafts, %d damaged, %v", len(all), damaged, err)
	}
	if len(all) == 0 {
		return nil
	}
	return all[0]
}

// end says how a work ended, and has what is left to decide be made.
func (w work) end(t *testing.T) string {
	t.Helper()
	if d := w.only(t); d == nil {
		if w.Do != "keep" {
			t.Fatalf("%s: the draft is gone", w.Do)
		}
		return "before"
	} else {
		w.ID = d.ID
	}
	taken, err := w.store().Take(w.ID)
	if err != nil {
		t.Fatal(err)
	}
	made, open := taken.Count(uncommitted.Committed), taken.Count(uncommitted.Open)
	dropped := taken.Count(uncommitted.Dropped)
	taken.Close()
	stand, _ := filepath.Glob(filepath.Join(w.Root, "d", "*"))
	if made != len(stand) || made+open+dropped != killFiles || made%killFiles+open%killFiles != 0 {
		t.Fatalf("%s: %d made, %d open, %d dropped; %d stand there", w.Do, made, open, dropped, len(stand))
	}
	if open == 0 {
		return "after"
	}
	again := w
	again.Do = "apply"
	if err := again.run(); err != nil {
		t.Fatalf("%s, then made: %v", w.Do, err)
	}
	for _, at := range w.places() {
		text, err := os.ReadFile(filepath.Join(w.Root, string(at.Path)))
		if err != nil || string(text) != string(at.Path) {
			t.Fatalf("%s, then made: %s is %q, %v", w.Do, at.Path, text, err)
		}
	}
	if w.Do == "keep" {
		return "after"
	}
	return "before"
}
