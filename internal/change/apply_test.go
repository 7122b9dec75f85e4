//go:build unix

package change

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// ways are the ways in which a set comes to a root.
var ways = map[string]func(*Options){
	"by renames":        func(*Options) {},
	"by plain renames":  func(o *Options) { o.plain = true },
	"by copies":         func(o *Options) { o.near, o.Keep = true, true },
	"by plain copies":   func(o *Options) { o.near, o.plain = true, true },
	"surviving the end": func(o *Options) { o.Sync = true },
}

func TestARandomTreeBecomesAnother(t *testing.T) {
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rounds := 60
			if testing.Short() {
				rounds = 15
			}
			g := newGround(t, nil)
			way(&g.o)
			for seed := range rounds {
				r := rand.New(rand.NewPCG(uint64(seed), 1))
				before, after := random(r, 30), random(r, 30)
				g.reset(t, before)
				tx, err := Begin(g.o)
				if err != nil {
					t.Fatal(err)
				}
				s, err := between(before, after, tx.Folder(), seed%2 == 0)
				if err != nil {
					t.Fatal(err)
				}
				report, err := tx.Apply(t.Context(), s)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				for _, x := range report.Refused {
					t.Errorf("seed %d: refused %s: %v", seed, x.Path, x.Why)
				}
				if len(report.Made) != len(s.Changes) {
					t.Errorf("seed %d: %d changes made of %d", seed, len(report.Made), len(s.Changes))
				}
				g.wantTree(t, after)
				wantOld(t, tx, report, before)
				if err := tx.Close(); err != nil {
					t.Fatal(err)
				}
				g.wantNoFolders(t)
			}
		})
	}
}

// wantOld compares what is kept of the files that were replaced with what they were.
func wantOld(t *testing.T, tx *Transaction, r *Report, before tree) {
	t.Helper()
	for _, m := range r.Made {
		if m.Was.Type != File || m.Old == "" {
			continue
		}
		got, err := os.ReadFile(filepath.Join(tx.Folder(), string(m.Old)))
		if want := before[string(m.Path)].Text; err != nil || string(got) != want {
			t.Errorf("%s: what it was is kept as %d bytes, want %d: %v", m.Path, len(got), len(want), err)
		}
	}
}

func TestWhatSomebodyChangedMeanwhileIsRefusedAndNothingIsLost(t *testing.T) {
	before := tree{
		"d":   {Type: Dir, Mode: 0o755},
		"d/a": {Type: File, Mode: 0o644, Text: "old a", Second: 1e9},
		"d/b": {Type: File, Mode: 0o644, Text: "old b", Second: 1e9},
		"e":   {Type: File, Mode: 0o644, Text: "old e", Second: 1e9},
	}
	changes := func(g *ground, unit string) *Set {
		return &Set{Changes: []Change{
			{Path: "d/a", Was: g.now(t, "d/a"), Will: Entry{Type: File, Mode: 0o644}, Write: text("new a"), Unit: unit},
			{Path: "d/b", Was: g.now(t, "d/b"), Unit: unit},
			{Path: "e", Was: g.now(t, "e"), Will: Entry{Type: File, Mode: 0o644}, Write: text("new e"), Unit: unit},
			{Path: "f", Will: Entry{Type: File, Mode: 0o644}, Write: text("new f"), Unit: unit},
			{Path: "n", Will: Entry{Type: Dir, Mode: 0o755}, Unit: unit},
			{Path: "n/x", Will: Entry{Type: File, Mode: 0o600}, Write: text("new x"), Unit: unit},
		}}
	}
	others := map[string]struct {
		do   func(root string) error
		path string
		want error
	}{
		"a file is written":      {func(r string) error { return os.WriteFile(r+"/d/a", []byte("mine!"), 0o644) }, "d/a", ErrChanged},
		"a file is removed":      {func(r string) error { return os.Remove(r + "/d/a") }, "d/a", ErrGone},
		"a file becomes a link":  {func(r string) error { os.Remove(r + "/d/a"); return os.Symlink("/etc/passwd", r+"/d/a") }, "d/a", ErrChanged},
		"a mode is changed":      {func(r string) error { return os.Chmod(r+"/d/a", 0o755) }, "d/a", ErrChanged},
		"a file is made":         {func(r string) error { return os.WriteFile(r+"/f", []byte("mine!"), 0o644) }, "f", ErrExists},
		"a file becomes a dir":   {func(r string) error { os.Remove(r + "/e"); return os.Mkdir(r+"/e", 0o755) }, "e", ErrChanged},
		"a directory is moved":   {func(r string) error { return os.Rename(r+"/d", r+"/moved") }, "d/a", ErrGone},
		"a directory is a link":  {func(r string) error { os.Rename(r+"/d", r+"/moved"); return os.Symlink("moved", r+"/d") }, "d/a", ErrGone},
		"what goes is written":   {func(r string) error { return os.WriteFile(r+"/d/b", []byte("mine!"), 0o644) }, "d/b", ErrChanged},
		"a new directory's name": {func(r string) error { return os.WriteFile(r+"/n", []byte("mine!"), 0o644) }, "n", ErrExists},
	}
	for name, other := range others {
		for _, unit := range []string{"", "all"} {
			t.Run(name+"/"+unit, func(t *testing.T) {
				g := newGround(t, before)
				s := changes(g, unit)
				if err := other.do(g.root); err != nil {
					t.Fatal(err)
				}
				theirs := g.tree(t)
				r := g.apply(t, s)
				var why error
				for _, x := range r.Refused {
					if string(x.Path) == other.path {
						why = x.Why
					}
				}
				if !errors.Is(why, other.want) {
					t.Errorf("%s: refused with %v, want %v", other.path, why, other.want)
				}
				if unit != "" {
					g.wantTree(t, theirs)
					if len(r.Made) != 0 {
						t.Errorf("made %v of a unit that was refused", r.Made)
					}
				} else if len(r.Made) == 0 {
					t.Error("nothing was made of what stands for itself")
				}
				for p, n := range theirs { // what others wrote is there, byte for byte
					if now := g.tree(t)[p]; n.Text == "mine!" && now != n {
						t.Errorf("%s is %v, was %v", p, now.brief(), n.brief())
					}
				}
				wantKept(t, r)
			})
		}
	}
}

// wantKept reads what every refusal says is kept.
func wantKept(t *testing.T, r *Report) {
	t.Helper()
	for _, x := range r.Refused {
		if x.Kept == "" {
			if p := string(x.Path); p == "d/b" || p == "n" {
				continue // what goes, and an empty directory, have nothing to keep
			}
			t.Errorf("%s: nothing is kept", x.Path)
			continue
		}
		got, err := os.ReadFile(x.Kept)
		if want := "new " + string(x.Path[len(x.Path)-1:]); err != nil || string(got) != want {
			t.Errorf("%s: kept %q, want %q: %v", x.Path, got, want, err)
		}
	}
}

// Somebody is quicker than the comparison: what happens between any two steps must be noticed, too.
func TestWhatHappensBetweenTheStepsIsNoticed(t *testing.T) {
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			before := tree{
				"a": {Type: File, Mode: 0o644, Text: "old a", Second: 1e9},
				"b": {Type: File, Mode: 0o644, Text: "old b", Second: 1e9},
				"c": {Type: File, Mode: 0o644, Text: "old c", Second: 1e9},
			}
			for at := 0; ; at++ {
				g := newGround(t, before)
				way(&g.o)
				s := &Set{Changes: []Change{
					{Path: "a", Was: g.now(t, "a"), Will: Entry{Type: File, Mode: 0o644}, Write: text("new a"), Unit: "u"},
					{Path: "b", Was: g.now(t, "b"), Will: Entry{Type: File, Mode: 0o644}, Write: text("new b"), Unit: "u"},
					{Path: "c", Was: g.now(t, "c"), Unit: "u"},
					{Path: "d", Will: Entry{Type: File, Mode: 0o644}, Write: text("new d"), Unit: "u"},
				}}
				n, place := 0, ""
				g.o.point = func(point string) {
					if n == at {
						place = point
						os.WriteFile(g.root+"/b", []byte("mine!"), 0o644)
					}
					n++
				}
				r := g.apply(t, s)
				if n <= at {
					return
				}
				got := g.tree(t)
				if got["b"].Text != "mine!" {
					t.Errorf("at %d (%s): what somebody wrote is %q now", at, place, got["b"].Text)
				}
				made := len(r.Refused) == 0
				for p, old := range map[string]string{"a": "old a", "c": "old c", "d": ""} {
					if want := old; (got[p].Text == want) == made {
						t.Errorf("at %d (%s): %s is %q, though the unit was made=%v: %v", at, place, p, got[p].Text, made, r.Refused)
					}
				}
			}
		})
	}
}

func TestHostileSetsAreRefusedBeforeAnythingIsTouched(t *testing.T) {
	file := Entry{Type: File, Mode: 0o644}
	for _, c := range []Change{
		{Path: "", Will: file, Write: text("")},
		{Path: "../x", Will: file, Write: text("")},
		{Path: "a/../x", Will: file, Write: text("")},
		{Path: "/etc/x", Will: file, Write: text("")},
		{Path: "a//x", Will: file, Write: text("")},
		{Path: "a\x00", Will: file, Write: text("")},
		{Path: Name(strings.Repeat("x", 256)), Will: file, Write: text("")},
		{Path: Name(strings.Repeat("x/", 2048) + "x"), Will: file, Write: text("")},
		{Path: "a", Root: 1, Will: file, Write: text("")},
		{Path: "a", Root: -1, Will: file, Write: text("")},
		{Path: "a"},
		{Path: "a", Will: file},
		{Path: "a", Will: file, From: "../other"},
		{Path: "a", Will: Entry{Type: Pipe}},
		{Path: "a", Was: file, From: "x"},
	} {
		g := newGround(t, nil)
		tx, err := Begin(g.o)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Apply(t.Context(), &Set{Changes: []Change{c}}); !errors.Is(err, ErrSet) {
			t.Errorf("%+v: %v, want ErrSet", c, err)
		}
		if err := tx.Close(); err != nil {
			t.Error(err)
		}
		g.wantTree(t, tree{})
		g.wantNoFolders(t)
	}
}

func TestASetWithoutADirectoryForAFileIsNone(t *testing.T) {
	file, dir := Entry{Type: File, Mode: 0o644}, Entry{Type: Dir, Mode: 0o755}
	for name, s := range map[string][]Change{
		"twice":           {{Path: "a", Will: file, Write: text("")}, {Path: "a", Will: dir}},
		"below a file":    {{Path: "a", Will: file, Write: text("")}, {Path: "a/b", Will: file, Write: text("")}},
		"below what goes": {{Path: "a", Was: dir}, {Path: "a/b", Will: file, Write: text("")}},
		"below a whole":   {{Path: "a", Was: dir, Whole: true}, {Path: "a/b", Was: file}},
	} {
		if _, err := newPlan(&Set{Changes: s}); !errors.Is(err, ErrSet) {
			t.Errorf("%s: %v, want ErrSet", name, err)
		}
	}
}

func TestNamesThatAreNoUTF8AndOddEntriesComeThrough(t *testing.T) {
	odd := "caf\xe9 \n\"\\ \u202e"
	g := newGround(t, tree{odd: {Type: Dir, Mode: 0o755}, odd + "/x": {Type: File, Mode: 0o644, Text: "x", Second: 1e9}})
	if g.now(t, odd).Type == None {
		t.Skip("the file system takes no special names here")
	}
	tx, err := Begin(g.o)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Close()
	for _, f := range []func() error{
		func() error { return unix.Mkfifo(tx.Folder()+"/fifo", 0o640) },
		func() error { return os.WriteFile(tx.Folder()+"/sparse", nil, 0o600) },
		func() error { return os.Truncate(tx.Folder()+"/sparse", 1<<40) },
		func() error { return unix.Setxattr(tx.Folder()+"/sparse", "user.kept", []byte("yes"), 0) },
	} {
		if err := f(); err != nil {
			t.Fatal(err)
		}
	}
	r, err := tx.Apply(t.Context(), &Set{Changes: []Change{
		{Path: Name(odd + "/x"), Was: g.now(t, odd+"/x"), Will: Entry{Type: File, Mode: 0o644}, Write: text("new")},
		{Path: Name(odd + "/fifo"), Will: Entry{Type: Pipe, Mode: 0o640}, From: "fifo"},
		{Path: Name(odd + "/sparse"), Will: Entry{Type: File, Mode: 0o600}, From: "sparse"},
		{Path: Name(odd + "/" + odd), Will: Entry{Type: Link, Target: Name(odd)}},
	}})
	if err != nil || len(r.Refused) > 0 {
		t.Fatal(err, r)
	}
	var st unix.Stat_t
	at := filepath.Join(g.root, odd)
	if err := unix.Lstat(at+"/fifo", &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFIFO {
		t.Errorf("the pipe: %v, mode %o", err, st.Mode)
	}
	if err := unix.Lstat(at+"/sparse", &st); err != nil || st.Size != 1<<40 || st.Blocks > 100 {
		t.Errorf("the sparse file: %v, %d bytes in %d blocks", err, st.Size, st.Blocks)
	}
	buf := make([]byte, 10)
	if n, err := unix.Getxattr(at+"/sparse", "user.kept", buf); err != nil || string(buf[:n]) != "yes" {
		t.Errorf("the attribute: %q, %v", buf[:max(n, 0)], err)
	}
	if to, err := os.Readlink(at + "/" + odd); err != nil || to != odd {
		t.Errorf("the link: %q, %v", to, err)
	}
}

func TestAFileKeepsItsOwnerModeAndAttributes(t *testing.T) {
	g := newGround(t, tree{"a": {Type: File, Mode: 0o751, Text: "old", Second: 1e9}})
	if err := unix.Setxattr(g.root+"/a", "user.mine", []byte("1"), 0); err != nil {
		t.Skip("the file system takes no special names here: ", err)
	}
	was := g.now(t, "a")
	g.apply(t, &Set{Changes: []Change{{Path: "a", Was: was, Will: Entry{Type: File, Mode: was.Mode, Owner: was.Owner}, Write: text("new")}}})
	now := g.now(t, "a")
	buf := make([]byte, 10)
	n, err := unix.Getxattr(g.root+"/a", "user.mine", buf)
	if err != nil || string(buf[:n]) != "1" || now.Mode != 0o751 || now.Owner != was.Owner {
		t.Errorf("attribute %q (%v), mode %v, owner %v", buf[:max(n, 0)], err, now.Mode, now.Owner)
	}
}

func TestAUnitsLockKeepsProgramsAwayAndIsHonoured(t *testing.T) {
	before := tree{"g": {Type: Dir, Mode: 0o755}, "g/index": {Type: File, Mode: 0o644, Text: "old", Second: 1e9}, "g/HEAD": {Type: File, Mode: 0o644, Text: "h", Second: 1e9}}
	set := func(g *ground) *Set {
		return &Set{
			Changes: []Change{{Path: "g/index", Was: g.now(t, "g/index"), Will: Entry{Type: File, Mode: 0o644}, Write: text("new"), Unit: "git"}},
			Units:   map[string]Unit{"git": {Lock: &Place{Path: "g/index.lock"}, Still: []Expected{{Place: Place{Path: "g/HEAD"}, Was: g.now(t, "g/HEAD")}}}},
		}
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			g := newGround(t, before)
			way(&g.o)
			held := 0
			g.o.point = func(string) {
				if g.now(t, "g/index.lock").Type == File {
					held++
				}
			}
			r := g.apply(t, set(g))
			if len(r.Made) != 1 || held == 0 {
				t.Errorf("made %d, the lock was there at %d points", len(r.Made), held)
			}
			if g.now(t, "g/index.lock").Type != None {
				t.Error("the lock is left")
			}
			g.o.point = nil

			s := set(g)
			if err := os.WriteFile(g.root+"/g/index.lock", []byte("git's"), 0o644); err != nil {
				t.Fatal(err)
			}
			if r = g.apply(t, s); len(r.Refused) != 1 || !errors.Is(r.Refused[0].Why, ErrLocked) {
				t.Errorf("with another's lock: %+v", r)
			}
			if got, _ := os.ReadFile(g.root + "/g/index.lock"); string(got) != "git's" {
				t.Errorf("another's lock is %q now", got)
			}
			os.Remove(g.root + "/g/index.lock")

			s = set(g)
			if err := os.WriteFile(g.root+"/g/HEAD", []byte("other"), 0o644); err != nil {
				t.Fatal(err)
			}
			if r = g.apply(t, s); len(r.Refused) != 1 || !errors.Is(r.Refused[0].Why, ErrChanged) {
				t.Errorf("with another HEAD: %+v", r)
			}
		})
	}
}

// Two programs that change the same tree at once: each change is made as a whole or refused.
func TestTwoSetsAtOnceNeverMix(t *testing.T) {
	g := newGround(t, tree{"a": {Type: File, Mode: 0o644, Text: "0", Second: 1e9}, "b": {Type: File, Mode: 0o644, Text: "0", Second: 1e9}})
	done := make(chan int)
	for w := range 4 {
		go func() {
			made := 0
			defer func() { done <- made }()
			for i := range 20 {
				tx, err := Begin(g.o)
				if err != nil {
					t.Error(err)
					return
				}
				content := fmt.Sprintf("%d-%d", w, i)
				file := Entry{Type: File, Mode: 0o644}
				r, err := tx.Apply(t.Context(), &Set{Changes: []Change{
					{Path: "a", Was: g.now(t, "a"), Will: file, Write: text(content), Unit: "u"},
					{Path: "b", Was: g.now(t, "b"), Will: file, Write: text(content), Unit: "u"},
				}})
				if err != nil {
					t.Error(err)
				} else if len(r.Made) > 0 {
					made++
				}
				if err := tx.Close(); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	made := 0
	for range 4 {
		made += <-done
	}
	got := g.tree(t)
	if got["a"].Text != got["b"].Text {
		t.Errorf("a is %q, b is %q", got["a"].Text, got["b"].Text)
	}
	if made == 0 {
		t.Error("no set was made at all")
	}
	t.Logf("%d of 80 sets were made, the others refused", made)
}

func TestASetOfMoreThanAMillionChangesIsRefused(t *testing.T) {
	s := &Set{Changes: make([]Change, MaxChanges+1)} // untouched memory costs nothing
	if err := s.check(1); !errors.Is(err, ErrSet) {
		t.Errorf("%v, want ErrSet", err)
	}
}

// An error that is no refusal comes in the middle of the work: everything goes back.
func TestAnErrorInTheMiddleTakesEverythingBack(t *testing.T) {
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			before, after := random(rand.New(rand.NewPCG(1, 5)), 25), random(rand.New(rand.NewPCG(2, 5)), 25)
			g := newGround(t, before)
			way(&g.o)
			for at := 1; ; at++ {
				n := 0
				g.o.fail = func() error {
					if n++; n == at {
						return unix.EIO
					}
					return nil
				}
				tx, err := Begin(g.o)
				if err != nil {
					t.Fatal(err)
				}
				s, err := between(before, after, tx.Folder(), at%2 == 0)
				if err != nil {
					t.Fatal(err)
				}
				_, err = tx.Apply(t.Context(), s)
				if closed := tx.Close(); closed != nil {
					t.Error(closed)
				}
				if n < at {
					if err != nil {
						t.Error(err)
					}
					g.wantTree(t, after)
					return
				}
				if !errors.Is(err, unix.EIO) || !strings.Contains(err.Error(), "nothing was changed") {
					t.Fatalf("step %d: %v", at, err)
				}
				g.wantTree(t, before)
				g.wantNoFolders(t)
			}
		})
	}
}

func TestAJournalThatCannotBeFollowedStaysAndIsNamed(t *testing.T) {
	for name, harm := range map[string]func(text string) string{
		"cut":             func(s string) string { return s[:len(s)/2] },
		"a flipped bit":   func(s string) string { return strings.Replace(s, `"put"`, `"pup"`, 1) },
		"another path":    func(s string) string { return strings.Replace(s, `"path":"a"`, `"path":"x"`, 1) },
		"a path outside":  func(s string) string { return strings.Replace(s, `"path":"a"`, `"path":"../a"`, 1) },
		"another version": func(s string) string { return strings.Replace(s, `"version":1`, `"version":99`, 1) },
		"empty":           func(string) string { return "" },
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t, nil)
			var whole string
			o := g.o
			g.o.point = func(point string) {
				if point == "journal in place" {
					plans, _ := filepath.Glob(g.state + "/*/" + journalName)
					text, err := os.ReadFile(plans[0])
					if err != nil {
						t.Error(err)
					}
					whole = string(text)
				}
			}
			g.apply(t, &Set{Changes: []Change{{Path: "a", Will: Entry{Type: File, Mode: 0o644}, Write: text("a")}}})
			harmed := harm(whole)
			if harmed == whole {
				t.Fatalf("no harm was done to %s", whole)
			}
			folder := filepath.Join(g.state, "aaaaaaaaaaaaaaaa")
			if err := os.MkdirAll(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(folder, journalName), []byte(harmed), 0o600); err != nil {
				t.Fatal(err)
			}
			theirs := g.tree(t)
			if err := Repair(t.Context(), o, nil); !errors.Is(err, ErrJournal) || !strings.Contains(err.Error(), folder) {
				t.Errorf("%v, want ErrJournal with the folder", err)
			} else if name == "another version" && !strings.Contains(err.Error(), "of version 99") {
				t.Errorf("%v, want the version to be named", err)
			}
			if _, err := os.Stat(filepath.Join(folder, journalName)); err != nil {
				t.Error("the journal is gone: ", err)
			}
			g.wantTree(t, theirs)
		})
	}
}
