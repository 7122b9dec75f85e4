package change

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A name and a path are as long as the system takes them.
func TestTheLongestNamesAreTaken(t *testing.T) {
	name := strings.Repeat("x", 255)
	path := strings.Repeat("d/", 100) + name
	g := newGround(t, nil)
	set := &Set{Changes: []Change{{Path: Name(name), Will: Entry{Type: File, Mode: 0o644}, Write: text("a")}}}
	for at := range strings.Count(path, "/") {
		set.Changes = append(set.Changes, Change{Path: Name(strings.Repeat("d/", at) + "d"), Will: Entry{Type: Dir, Mode: 0o755}})
	}
	set.Changes = append(set.Changes, Change{Path: Name(path), Will: Entry{Type: File, Mode: 0o644}, Write: text("b")})
	g.apply(t, set)
	for at, want := range map[string]string{name: "a", path: "b"} {
		if got, err := os.ReadFile(filepath.Join(g.root, at)); err != nil || string(got) != want {
			t.Errorf("%q, %v", got, err)
		}
	}
}

// What is made in a layer inherits what it would inherit in the root.
func TestALayerIsDressedLikeItsRoot(t *testing.T) {
	g := newGround(t, nil)
	if err := unix.Setxattr(g.root, "user.mine", []byte("1"), 0); err != nil {
		t.Skip("the file system takes no special names here: ", err)
	}
	if err := os.Chmod(g.root, 0o750|fs.ModeSetgid); err != nil {
		t.Fatal(err)
	}
	tx, err := Begin(g.o)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Close()
	if err := tx.MakeLayer("up", 0); err != nil {
		t.Fatal(err)
	}
	up := filepath.Join(tx.Folder(), "up")
	buf := make([]byte, 10)
	if n, err := unix.Getxattr(up, "user.mine", buf); err != nil || string(buf[:n]) != "1" {
		t.Errorf("the attribute: %q, %v", buf[:max(n, 0)], err)
	}
	was, err := os.Stat(g.root)
	if err != nil {
		t.Fatal(err)
	}
	if now, err := os.Stat(up); err != nil || now.Mode() != was.Mode() || !now.ModTime().Equal(was.ModTime()) {
		t.Errorf("%v, %v; the root is %v", now, err, was)
	}
}

// A change of the owner alone is made, whichever of both parts is another one.
func TestAFileIsGivenToAnotherOwner(t *testing.T) {
	probe := filepath.Join(t.TempDir(), "probe")
	if err := os.WriteFile(probe, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(probe, 12345, 23456); err != nil { // a root that is alone in its namespace cannot
		t.Skipf("only root can give files away: %v", err)
	}
	for _, to := range []Owner{{User: 12345, Group: 0, Known: true}, {User: 0, Group: 23456, Known: true}, {User: 12345, Group: 23456, Known: true}} {
		g := newGround(t, tree{"a": {Type: File, Mode: 0o640, Text: "text", Second: 1e9}})
		was := g.now(t, "a")
		will := was
		will.Owner = to
		g.apply(t, &Set{Changes: []Change{{Path: "a", Was: was, Will: will}}})
		if now := g.now(t, "a"); now.Owner != to || now.Mode != was.Mode || now.Time != was.Time || now.Size != was.Size {
			t.Errorf("%+v, want %+v of %+v", now, to, was)
		}
	}
}

// A set whose context ends while contents are written changes nothing.
func TestASetThatIsCancelledUnderWayChangesNothing(t *testing.T) {
	before := tree{"a": {Type: File, Mode: 0o640, Text: "text", Second: 1e9}}
	g := newGround(t, before)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	tx, err := Begin(g.o)
	if err != nil {
		t.Fatal(err)
	}
	stops := func(w io.Writer) error {
		stop()
		_, err := io.WriteString(w, "x")
		return err
	}
	file := Entry{Type: File, Mode: 0o640}
	_, err = tx.Apply(ctx, &Set{Changes: []Change{
		{Path: "a", Was: g.now(t, "a"), Will: file, Write: stops},
		{Path: "b", Will: file, Write: stops},
		{Path: "c", Will: file, Write: stops},
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if err := tx.Close(); err != nil {
		t.Error(err)
	}
	g.wantTree(t, before)
	g.wantNoFolders(t)
}

// A directory stays where something in it stays, and nothing comes into one that does not come.
func TestADirectoryGoesAndComesWithWhatIsInIt(t *testing.T) {
	before := tree{
		"d":     {Type: Dir, Mode: 0o755},
		"d/e":   {Type: Dir, Mode: 0o755},
		"d/e/a": {Type: File, Mode: 0o644, Text: "old", Second: 1e9},
		"d/b":   {Type: File, Mode: 0o644, Text: "old", Second: 1e9},
	}
	g := newGround(t, before)
	set := &Set{}
	for _, p := range []Name{"d", "d/e", "d/e/a", "d/b"} {
		set.Changes = append(set.Changes, Change{Path: p, Was: g.now(t, string(p))})
	}
	set.Changes = append(set.Changes,
		Change{Path: "n", Will: Entry{Type: Dir, Mode: 0o755}},
		Change{Path: "n/m", Will: Entry{Type: Dir, Mode: 0o755}},
		Change{Path: "n/m/x", Will: Entry{Type: File, Mode: 0o644}, Write: text("new")})
	for name, words := range map[string]string{"d/e/a": "theirs", "n": "theirs"} {
		if err := os.WriteFile(filepath.Join(g.root, name), []byte(words), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got := map[Name]string{}
	for _, x := range g.apply(t, set).Refused {
		got[x.Path] = x.Why.Error()
	}
	for path, want := range map[Name]string{"d/e": "a stays in it", "d": "e stays in it", "n/m": "its directory", "n/m/x": "its directory"} {
		if !strings.Contains(got[path], want) {
			t.Errorf("%s: %q, want %q", path, got[path], want)
		}
	}
	if len(got) != 6 {
		t.Errorf("refused %v", got)
	}
	now := g.tree(t)
	if now["d/e/a"].Text != "theirs" || now["n"].Text != "theirs" || len(now) != 4 {
		t.Errorf("%v is there", now)
	}
}

// A transaction keeps nothing open when it is over, whatever became of it.
func TestATransactionKeepsNothingOpen(t *testing.T) {
	descriptors := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	g := newGround(t, tree{"d": {Type: Dir, Mode: 0o755}})
	run := func(path Name) {
		tx, err := Begin(g.o)
		if err != nil {
			t.Fatal(err)
		}
		tx.Apply(t.Context(), &Set{Changes: []Change{{Path: path, Will: Entry{Type: File, Mode: 0o644}, Write: text("x")}}})
		if err := tx.Close(); err != nil {
			t.Error(err)
		}
	}
	run("first") // the state's own folder is made
	before := descriptors()
	for range 3 {
		for _, path := range []Name{"d/a", "first", "nothing/a", "../out"} {
			run(path)
		}
	}
	if n := descriptors() - before; n != 0 {
		t.Errorf("%d descriptors more", n)
	}
}

// A layer that was copied is read as what it was, and what changed in the root since the moment that is given is stale.
func TestALayerThatWasSavedIsReadAsItWas(t *testing.T) {
	g := newGround(t, tree{"old": {Type: File, Mode: 0o644, Text: "old", Second: 1e9}, "same": {Type: File, Mode: 0o644, Text: "same", Second: 1e9}})
	upper := t.TempDir()
	layer := tree{
		"old":   {Type: File, Mode: 0o644, Text: "new", Second: 2e9},
		"d":     {Type: Dir, Mode: 0o750},
		"d/new": {Type: File, Mode: 0o600, Text: "new", Second: 2e9},
	}
	if err := layer.build(upper); err != nil {
		t.Fatal(err)
	}
	tx, err := Begin(g.o)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Close()
	since, err := tx.Now()
	if err != nil || since <= 0 {
		t.Fatalf("%d, %v", since, err)
	}
	var dirs [2]*os.File
	for i, dir := range []string{filepath.Join(tx.Folder(), "saved"), upper} {
		os.Mkdir(dir, 0o700)
		if dirs[i], err = os.Open(dir); err != nil {
			t.Fatal(err)
		}
		defer dirs[i].Close()
	}
	if err := SaveLayer(dirs[0], dirs[1]); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		since int64
		stale bool
	}{{since, false}, {1, true}} {
		changes, err := tx.ReadSaved(t.Context(), "saved", 0, c.since)
		if err != nil {
			t.Fatal(err)
		}
		stale := map[Name]bool{}
		for _, one := range changes {
			stale[one.Path] = one.Stale
		}
		if s, there := stale["old"]; !there || s != c.stale || len(stale) < 2 {
			t.Errorf("since %d: %v, want that old is stale: %v", c.since, stale, c.stale)
		}
	}
	changes, err := tx.ReadSaved(t.Context(), "saved", 0, since)
	if err != nil {
		t.Fatal(err)
	}
	r, err := tx.Apply(t.Context(), &Set{Changes: changes})
	if err != nil || len(r.Refused) > 0 {
		t.Fatal(err, r)
	}
	now := g.tree(t)
	if now["old"].Text != "new" || now["d/new"] != layer["d/new"] || now["d"].Mode != 0o750 || now["same"].Text != "same" {
		t.Errorf("%v", now)
	}
}

// A workspace may lie on another file system than helve's own files: nothing can be renamed between them.
func TestASetComesFromAnotherFileSystem(t *testing.T) {
	state, err := os.MkdirTemp("/dev/shm", "helve-*")
	if err != nil {
		t.Skip("a second file system does not work here: ", err)
	}
	defer os.RemoveAll(state)
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 5))
		before, after := random(r, 20), random(r, 20)
		g := newGround(t, before)
		g.o.State = state
		tx, err := Begin(g.o)
		if err != nil {
			t.Fatal(err)
		}
		if tx.Moves(0) {
			tx.Close()
			t.Skip("a second file system does not work here: /dev/shm is none")
		}
		s, err := between(before, after, tx.Folder(), true)
		if err != nil {
			t.Fatal(err)
		}
		report, err := tx.Apply(t.Context(), s)
		if err != nil || len(report.Refused) > 0 {
			t.Fatalf("seed %d: %+v, %v", seed, report, err)
		}
		g.wantTree(t, after)
		wantOld(t, tx, report, before)
		if err := tx.Close(); err != nil {
			t.Error(err)
		}
	}
}

// What lies over a directory looks as that does: a command sees its mode and its attributes.
func TestWhatLiesOverADirectoryLooksLikeIt(t *testing.T) {
	base := t.TempDir()
	like, over := filepath.Join(base, "like"), filepath.Join(base, "over")
	if err := os.Mkdir(like, 0o700); err != nil {
		t.Fatal(err)
	}
	attrs := unix.Setxattr(like, "user.x", []byte("y"), 0) == nil // not everywhere
	if err := errors.Join(os.Chmod(like, 0o715|os.ModeSetgid), os.Chtimes(like, time.Time{}, time.Unix(1e9, 0)), MakeUpper(over, like)); err != nil {
		t.Fatal(err)
	}
	want, err := os.Stat(like)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.Stat(over)
	if err != nil || got.Mode() != want.Mode() || !got.ModTime().Equal(want.ModTime()) {
		t.Errorf("%v of %v, want %v of %v: %v", got.Mode(), got.ModTime(), want.Mode(), want.ModTime(), err)
	}
	value := make([]byte, 8)
	if n, err := unix.Getxattr(over, "user.x", value); attrs && (err != nil || string(value[:n]) != "y") {
		t.Errorf("its attribute is %q: %v", value[:max(n, 0)], err)
	}
	if err := MakeUpper(over, like); err == nil {
		t.Error("it takes what is there already")
	}
}
