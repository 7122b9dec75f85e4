//go:build unix

package history

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"helve/internal/change"
)

// A ground is a workspace with a history.
type ground struct {
	t     testing.TB
	root  string
	store *Store
	calls int
}

func newGround(t testing.TB) *ground {
	t.Helper()
	base := t.TempDir()
	g := &ground{t: t, root: filepath.Join(base, "ws")}
	if err := os.Mkdir(g.root, 0o755); err != nil {
		t.Fatal(err)
	}
	g.store = open(t, base)
	return g
}

func open(t testing.TB, base string) *Store {
	t.Helper()
	s, err := Open(Options{
		Dir: filepath.Join(base, "state", "history"), Roots: []string{filepath.Join(base, "ws")}, Work: filepath.Join(base, "state", "work"),
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (g *ground) path(name string) string { return filepath.Join(g.root, name) }

// put makes a file by hand, as a person would.
func (g *ground) put(name, text string) {
	g.t.Helper()
	if err := os.WriteFile(g.path(name), []byte(text), 0o644); err != nil {
		g.t.Fatal(err)
	}
}

func (g *ground) get(name string) string {
	b, err := os.ReadFile(g.path(name))
	if err != nil {
		return "(" + err.Error() + ")"
	}
	return string(b)
}

// call makes changes as a call does; it returns the call's ID.
func (g *ground) call(changes ...change.Change) string {
	g.t.Helper()
	g.calls++
	c := Call{ID: "call" + strconv.Itoa(g.calls), Time: time.Unix(int64(g.calls), 0), Tool: "test"}
	tree, err := change.OpenTree(g.root)
	if err != nil {
		g.t.Fatal(err)
	}
	defer tree.Close()
	for i := range changes {
		if changes[i].Was, err = tree.Look(changes[i].Path); err != nil {
			g.t.Fatal(err)
		}
	}
	report, err := g.store.make(context.Background(), c, &change.Set{Changes: changes})
	if err != nil {
		g.t.Fatal(err)
	}
	for _, no := range report.Refused {
		g.t.Fatalf("%s: %v", no.Path, no.Why)
	}
	return c.ID
}

func file(path, text string) change.Change {
	return change.Change{
		Path: change.Name(path), Will: change.Entry{Type: change.File, Mode: 0o644},
		Write: func(w io.Writer) error { _, err := io.WriteString(w, text); return err },
	}
}

func gone(path string) change.Change { return change.Change{Path: change.Name(path)} }

// apply does a plan and wants it done whole.
func (g *ground) apply(plan *Plan, err error) {
	g.t.Helper()
	if err != nil {
		g.t.Fatal(err)
	}
	g.calls++
	out, err := g.store.Apply(context.Background(), Call{ID: "call" + strconv.Itoa(g.calls), Time: time.Unix(int64(g.calls), 0), Tool: "undo"}, plan, false)
	if err != nil {
		g.t.Fatal(err)
	}
	for _, st := range out.Refused {
		g.t.Fatalf("%s: %s", st.Path, st.Conflict)
	}
}

// A picture is a tree as it can be compared.
type picture map[string]string

func (g *ground) picture() picture {
	g.t.Helper()
	out := picture{}
	err := filepath.WalkDir(g.root, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(g.root, at)
		switch {
		case d.IsDir():
			out[rel] = fmt.Sprintf("%v %d", info.Mode(), info.ModTime().UnixNano())
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(at)
			out[rel] = fmt.Sprintf("-> %s %d", to, info.ModTime().UnixNano())
			return err
		default:
			text, err := os.ReadFile(at)
			out[rel] = fmt.Sprintf("%v %d %s", info.Mode(), info.ModTime().UnixNano(), text)
			return err
		}
		return nil
	})
	if err != nil {
		g.t.Fatal(err)
	}
	return out
}

func TestAnUndoBringsBackWhatWasThere(t *testing.T) {
	g := newGround(t)
	g.put("a", "one\n")
	g.put("b", "two\n")
	before := g.picture()
	g.call(file("a", "ONE\n"), gone("b"), file("c", "three\n"))
	after := g.picture()
	g.apply(g.store.PlanUndo(""))
	if diff := cmp.Diff(before, g.picture()); diff != "" {
		t.Errorf("after the undo: -want +got\n%s", diff)
	}
	g.apply(g.store.PlanRedo())
	if diff := cmp.Diff(after, g.picture()); diff != "" {
		t.Errorf("after the redo: -want +got\n%s", diff)
	}
	g.apply(g.store.PlanUndo("call1"))
	if diff := cmp.Diff(before, g.picture()); diff != "" {
		t.Errorf("after the second undo: -want +got\n%s", diff)
	}
	if _, err := g.store.PlanUndo(""); !errors.Is(err, ErrNothing) {
		t.Errorf("there is nothing more to undo: %v", err)
	}
	if _, err := g.store.PlanUndo("call1"); err == nil || !strings.Contains(err.Error(), "undone already") {
		t.Errorf("got %v", err)
	}
	if _, err := g.store.PlanUndo("nope"); err == nil || !errors.Is(err, ErrUnknown) {
		t.Errorf("got %v", err)
	}
}

func TestTheListSaysWhatIsUndone(t *testing.T) {
	g := newGround(t)
	g.call(file("a", "1"))
	g.call(file("a", "2"))
	g.apply(g.store.PlanUndo(""))
	list, err := g.store.List(0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range list.Calls {
		got = append(got, fmt.Sprintf("%s%s undone=%v of=%v", c.Kind, c.ID, c.Undone, c.Of))
	}
	want := []string{"undocall3 undone=false of=[call2]", "call2 undone=true of=[]", "call1 undone=false of=[]"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestWhatSomebodyChangedSinceIsNotLost(t *testing.T) {
	const base = "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
	for _, test := range []struct {
		name, call, person, want, conflict string
	}{
		{"elsewhere", "1\nTWO\n3\n4\n5\n6\n7\n8\n9\n", "1\nTWO\n3\n4\n5\n6\n7\n8\nNINE\n", "1\n2\n3\n4\n5\n6\n7\n8\nNINE\n", ""},
		{"lines before", "1\n2\n3\n4\n5\n6\n7\n8\nNINE\n", "0\n1\n2\n3\n4\n5\n6\n7\n8\nNINE\n", "0\n" + base, ""},
		{"the same line", "1\nTWO\n3\n4\n5\n6\n7\n8\n9\n", "1\nzwei\n3\n4\n5\n6\n7\n8\n9\n", "", "in the same lines"},
		{"the line beside", "1\nTWO\n3\n4\n5\n6\n7\n8\n9\n", "1\nTWO\ndrei\n4\n5\n6\n7\n8\n9\n", "", "in the same lines"},
		{"what the call removed is put back", "1\n3\n4\n5\n6\n7\n8\n9\n", base, base, ""},
		{"no text", "1\nTWO\n3\n", "1\nTWO\n3\n\x00", "", "in the same lines"},
		{"removed", "1\n", "", "", "it is nothing now"},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := newGround(t)
			g.put("f", base)
			g.call(file("f", test.call))
			g.put("f", test.person)
			if test.name == "removed" {
				os.Remove(g.path("f"))
			}
			there := g.get("f")
			plan, err := g.store.PlanUndo("")
			if err != nil {
				t.Fatal(err)
			}
			if test.conflict == "" {
				g.apply(plan, nil)
				if got := g.get("f"); got != test.want {
					t.Errorf("it is\n%s\nwant\n%s", got, test.want)
				}
				return
			}
			if c := plan.Conflicts(); len(c) != 1 || !strings.Contains(c[0].Conflict, test.conflict) {
				t.Errorf("conflicts are %+v, want one with %q", c, test.conflict)
			}
			out, err := g.store.Apply(context.Background(), Call{ID: "u"}, plan, false)
			if err != nil || len(out.Refused) != 1 || g.get("f") != there {
				t.Errorf("%v, refused %d, it is %q", err, len(out.Refused), g.get("f"))
			}
			// By force it is done, and what the person had can be had again.
			if _, err := g.store.Apply(context.Background(), Call{ID: "force"}, plan, true); err != nil {
				t.Fatal(err)
			}
			if got := g.get("f"); got != base {
				t.Errorf("by force it is %q", got)
			}
			g.apply(g.store.PlanRedo())
			if got := g.get("f"); got != there {
				t.Errorf("the force was undone, and it is %q, not %q", got, there)
			}
		})
	}
}

// A person changes a file between the plan and its doing: that is not written over.
func TestAPlanThatIsLateIsRefused(t *testing.T) {
	g := newGround(t)
	g.put("f", "old")
	g.call(file("f", "new"))
	plan, err := g.store.PlanUndo("")
	if err != nil {
		t.Fatal(err)
	}
	g.put("f", "mine")
	out, err := g.store.Apply(context.Background(), Call{ID: "u"}, plan, false)
	if err != nil || len(out.Refused) != 1 || g.get("f") != "mine" {
		t.Errorf("%v, %+v, it is %q", err, out, g.get("f"))
	}
	list, err := g.store.List(0)
	if err != nil || len(list.Calls) != 1 {
		t.Errorf("%v; the history has %d calls", err, len(list.Calls))
	}
}

func TestACallInTheMiddleIsUndone(t *testing.T) {
	g := newGround(t)
	g.put("f", "1\n2\n3\n4\n5\n")
	g.call(file("f", "one\n2\n3\n4\n5\n"))
	g.call(file("f", "one\n2\n3\n4\nfive\n"), file("g", "x"))
	g.apply(g.store.PlanUndo("call1"))
	if got := g.get("f"); got != "1\n2\n3\n4\nfive\n" {
		t.Errorf("it is %q", got)
	}
	if got := g.get("g"); got != "x" {
		t.Errorf("g is %q", got)
	}
}

var randomSessions = flag.Int("sessions", 60, "how many sessions TestEveryStateOfRandomSessionsComesBack plays")

// Hundreds of sessions of random calls: every state that there was can be had again, byte for byte, with modes, links and times.
func TestEveryStateOfRandomSessionsComesBack(t *testing.T) {
	sessions := *randomSessions
	if testing.Short() {
		sessions = 10
	}
	for n := range sessions {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(7, uint64(n)))
			g := newGround(t)
			ids, states := []string{}, []picture{g.picture()}
			for range 12 {
				set := randomChanges(t, r, g.root)
				if len(set) == 0 {
					continue
				}
				ids = append(ids, g.call(set...))
				states = append(states, g.picture())
			}
			for range 6 {
				to := r.IntN(len(ids))
				plan, err := g.store.PlanTo(ids[to])
				if errors.Is(err, ErrNothing) {
					continue
				}
				g.apply(plan, err)
				if diff := cmp.Diff(states[to+1], g.picture()); diff != "" {
					t.Fatalf("back to %s: -want +got\n%s", ids[to], diff)
				}
				if len(plan.Steps) == 0 {
					continue // it was so already, and no call was made
				}
				// What was undone counts as a call, too: the state before it can be had.
				if r.IntN(2) == 0 {
					g.apply(g.store.PlanRedo())
					if diff := cmp.Diff(states[len(states)-1], g.picture()); diff != "" {
						t.Fatalf("and forth: -want +got\n%s", diff)
					}
					continue
				}
				ids = append(ids, "call"+strconv.Itoa(g.calls))
				states = append(states, g.picture())
			}
			if _, err := g.store.Prune(time.Time{}, 1<<30); err != nil {
				t.Fatal(err)
			}
			// From the newest back to the oldest, one by one, after the journal was written anew.
			for to := len(ids) - 2; to >= 0; to-- {
				plan, err := g.store.PlanTo(ids[to])
				g.apply(plan, err)
				if diff := cmp.Diff(states[to+1], g.picture()); diff != "" {
					t.Fatalf("back to %s: -want +got\n%s", ids[to], diff)
				}
			}
		})
	}
}

// randomChanges are what one call may do to a tree: a few of everything, whole directories among it.
func randomChanges(t testing.TB, r *rand.Rand, root string) []change.Change {
	tree, err := change.OpenTree(root)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	there := map[change.Name]change.Entry{}
	if err := tree.Walk(".", func(path change.Name, e change.Entry) error { there[path] = e; return nil }); err != nil {
		t.Fatal(err)
	}
	var out []change.Change
	busy := []change.Name{}
	free := func(path change.Name) bool {
		for _, b := range busy {
			if b == path || strings.HasPrefix(string(b), string(path)+"/") || strings.HasPrefix(string(path), string(b)+"/") {
				return false
			}
		}
		busy = append(busy, path)
		return true
	}
	dirs := []change.Name{""}
	for _, path := range slices.Sorted(maps.Keys(there)) {
		if there[path].Type == change.Dir {
			dirs = append(dirs, path+"/")
		}
	}
	for range 1 + r.IntN(4) {
		path := dirs[r.IntN(len(dirs))] + change.Name(rune('a'+r.IntN(5)))
		if !free(path) {
			continue
		}
		c := change.Change{Path: path}
		was := there[path]
		switch k := r.IntN(10); {
		case k < 5:
			if was.Type == change.Dir {
				c.Whole = true
			}
			text := strings.Repeat(strconv.Itoa(r.IntN(100))+"\n", r.IntN(50))
			c.Will = change.Entry{Type: change.File, Mode: []fs.FileMode{0o644, 0o600, 0o755, 0o444}[r.IntN(4)]}
			c.Write = func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
		case k < 7 && was.Type == change.None:
			c.Will = change.Entry{Type: change.Dir, Mode: []fs.FileMode{0o755, 0o700}[r.IntN(2)]}
		case k < 8 && was.Type != change.Dir:
			c.Will = change.Entry{Type: change.Link, Target: change.Name([]string{"a", "../b", "/etc"}[r.IntN(3)])}
		case k < 9 && was.Type != change.None:
			c.Whole = was.Type == change.Dir
		case was.Type == change.File:
			c.Will = was
			c.Will.Mode = was.Mode ^ 0o111
		default:
			continue
		}
		out = append(out, c)
	}
	return out
}

func TestADamagedJournalTellsAndTheRestCounts(t *testing.T) {
	g := newGround(t)
	for i := range 6 {
		g.call(file("f"+strconv.Itoa(i), "text"))
	}
	whole, err := os.ReadFile(g.store.journal())
	if err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string]func([]byte) []byte{
		"a bit":   func(b []byte) []byte { b[len(b)/2] ^= 4; return b },
		"cut":     func(b []byte) []byte { return b[:len(b)-30] },
		"garbage": func(b []byte) []byte { return append(b, "\x00\xff garbage"...) },
		"a line gone": func(b []byte) []byte {
			i := strings.IndexByte(string(b[200:]), '\n') + 201
			return append(b[:100:100], b[i:]...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(g.store.journal(), damage(slices.Clone(whole)), 0o600); err != nil {
				t.Fatal(err)
			}
			list, err := g.store.List(0)
			if err != nil {
				t.Fatal(err)
			}
			if list.Broken == 0 || len(list.Calls) < 4 {
				t.Errorf("%d broken, %d calls", list.Broken, len(list.Calls))
			}
			g.call(file("new", "x")) // goes on behind the damage
			if again, err := g.store.List(1); err != nil || again.Calls[0].Changes[0].Path != "new" {
				t.Errorf("%v %+v", err, again)
			}
			os.Remove(g.path("new"))
		})
	}
}

func TestAJournalOfAnotherVersionIsLeftAlone(t *testing.T) {
	g := newGround(t)
	g.call(file("a", "x"))
	b, err := line{Version: version + 1}.encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(g.store.journal(), b, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := g.store.List(0); !errors.Is(err, ErrVersion) {
		t.Errorf("got %v", err)
	}
	if _, err := g.store.Prune(time.Now(), 0); !errors.Is(err, ErrVersion) {
		t.Errorf("got %v", err)
	}
}

func TestAContentThatIsDamagedIsNotBroughtBack(t *testing.T) {
	g := newGround(t)
	g.put("f", strings.Repeat("old\n", 100))
	g.put("g", "whole\n")
	g.call(file("f", "new\n"), file("g", "other\n"))
	list, err := g.store.List(1)
	if err != nil {
		t.Fatal(err)
	}
	path := g.store.objects.path(list.Calls[0].Changes[0].Was.Object)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)-6] ^= 1
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	plan, err := g.store.PlanUndo("")
	if err != nil {
		t.Fatal(err)
	}
	out, err := g.store.Apply(context.Background(), Call{ID: "u"}, plan, false)
	if err != nil || len(out.Refused) != 1 || !strings.Contains(out.Refused[0].Conflict, ErrObject.Error()) {
		t.Errorf("got %v, %+v", err, out)
	}
	if g.get("f") != "new\n" || g.get("g") != "whole\n" {
		t.Errorf("they are %q and %q", g.get("f"), g.get("g"))
	}
}

func TestSecretsAreKeptByTheirDigestOnly(t *testing.T) {
	g := newGround(t)
	g.store.o.Secret = func(p change.Place) bool { return p.Path == ".env" }
	g.put(".env", "KEY=correct-horse")
	g.call(file(".env", "KEY=battery-staple"))
	err := filepath.WalkDir(g.store.o.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v", path, info.Mode())
		}
		if text, _ := os.ReadFile(path); strings.Contains(path, "objects") || strings.Contains(string(text), "horse") || strings.Contains(string(text), "staple") {
			t.Errorf("%s is kept", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := g.store.PlanUndo("")
	if err != nil {
		t.Fatal(err)
	}
	if c := plan.Conflicts(); len(c) != 1 || !strings.Contains(c[0].Conflict, "secrets") {
		t.Errorf("%+v", c)
	}
}

func TestPruneForgetsTheOldest(t *testing.T) {
	g := newGround(t)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 10 {
		text := make([]byte, 10_000)
		for j := range text {
			text[j] = byte(r.IntN(256))
		}
		g.call(file("f"+strconv.Itoa(i), string(text)))
	}
	p, err := g.store.Prune(time.Unix(3, 0), 1<<30) // calls 1 and 2 are older
	if err != nil || p.Calls != 2 || p.Bytes < 20_000 {
		t.Errorf("by age: %+v %v", p, err)
	}
	p, err = g.store.Prune(time.Time{}, 35_000)
	if err != nil || p.Calls != 5 {
		t.Errorf("by size: %+v %v", p, err)
	}
	list, err := g.store.List(0)
	if err != nil || len(list.Calls) != 3 || list.Calls[2].ID != "call8" {
		t.Fatalf("%+v %v", list, err)
	}
	g.apply(g.store.PlanTo("call8"))
	if got := g.get("f9"); !strings.Contains(got, "no such file") {
		t.Errorf("f9 is there")
	}
}

// A folder that the workspace has at times only is not forgotten meanwhile.
func TestAFolderThatIsNotThereNowStaysKnown(t *testing.T) {
	base := t.TempDir()
	extra := filepath.Join(base, "extra")
	g := &ground{t: t, root: filepath.Join(base, "ws"), store: open(t, base)}
	for _, dir := range []string{g.root, extra} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	both := g.store.o
	both.Roots = []string{extra, g.root}
	wide, err := Open(both)
	if err != nil {
		t.Fatal(err)
	}
	c := file("in-extra", "x")
	if _, err := wide.make(context.Background(), Call{ID: "wide"}, &change.Set{Changes: []change.Change{c}}); err != nil {
		t.Fatal(err)
	}
	g.call(file("f", "x"))
	plan, err := g.store.PlanUndo("wide")
	if err != nil {
		t.Fatal(err)
	}
	if c := plan.Conflicts(); len(c) != 1 || !strings.Contains(c[0].Conflict, "does not have now") {
		t.Errorf("%+v", c)
	}
	if _, err := g.store.Prune(time.Time{}, 1<<30); err != nil {
		t.Fatal(err)
	}
	plan, err = wide.PlanUndo("wide")
	if err != nil || len(plan.Conflicts()) != 0 {
		t.Fatalf("%+v %v", plan, err)
	}
	if out, err := wide.Apply(context.Background(), Call{ID: "u"}, plan, false); err != nil || len(out.Refused) != 0 {
		t.Errorf("%+v %v", out, err)
	}
	if left, _ := os.ReadDir(extra); len(left) != 0 {
		t.Errorf("%v is left", left)
	}
}
