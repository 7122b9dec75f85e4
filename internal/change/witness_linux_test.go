package change

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
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
