//go:build unix

package history

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// compareLook ends a look, and returns what changed since.
func (g *ground) compareLook(ctx context.Context, key string) ([]Change, error) {
	g.t.Helper()
	_, ok, err := LooksOf(g.again()).Compare(ctx, key, "i"+key, LookEnd{Last: true})
	if !ok {
		g.t.Fatal("the look is gone", err)
	}
	if err != nil {
		return nil, err
	}
	list, err := g.again().List(1)
	if err != nil || len(list.Calls) == 0 {
		return nil, err
	}
	return list.Calls[0].Changes, nil
}

// Whatever stands in a workspace, it is looked at without waiting for anybody and without following a link, and a
// change beside it is taken back alone.
func TestAnythingMayStandWhereALookLooks(t *testing.T) {
	g := newGround(t)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	deep := strings.Repeat("x/", 200)
	for _, dir := range []string{"d", "closed", deep} {
		must(os.MkdirAll(g.path(dir), 0o755))
	}
	g.put("a", "one\n")
	g.put("d/b", "b\n")
	must(os.Symlink("..", g.path("d/up")))
	must(os.Symlink("self", g.path("self")))
	must(os.Symlink("/", g.path("root")))
	must(os.Symlink("/dev/zero", g.path("zero")))
	must(syscall.Mkfifo(g.path("pipe"), 0o644))
	g.put(".git", "gitdir: "+filepath.Join(t.TempDir(), "gone")+"\n")
	must(syscall.Mkfifo(g.path("d/.gitattributes"), 0o644))
	g.put("new\nline\x1b[2J", "x")
	if err := os.WriteFile(g.path("\xff\xfe"), []byte("x"), 0o644); err != nil && !errors.Is(err, syscall.EILSEQ) {
		t.Fatal(err)
	}
	g.put("closed/c", "c\n")
	must(os.Chmod(g.path("closed"), 0))
	defer os.Chmod(g.path("closed"), 0o755)
	t.Chdir(g.root) // the path of a socket is short
	socket, err := net.Listen("unix", "socket")
	must(err)
	defer socket.Close()
	g.put(deep+"f", "deep\n")
	must(os.Truncate(g.path("d/b"), 1<<40)) // of a terabyte nothing is read

	g.look("k1", true)
	g.put("a", "other\n")
	g.put(deep+"f", "other\n")
	must(os.Remove(g.path("self")))
	changes, err := g.compareLook(t.Context(), "k1")
	must(err)
	if len(changes) != 3 {
		t.Fatalf("%+v", changes)
	}
	plan, err := g.store.PlanUndo("")
	g.apply(plan, err)
	if a, f := g.get("a"), g.get(deep+"f"); a != "one\n" || f != "deep\n" {
		t.Errorf("a is %q, the deep one %q", a, f)
	}
	if to, err := os.Readlink(g.path("self")); to != "self" {
		t.Error("the link is not back:", to, err)
	}
}

// A file of a terabyte that a command left does not hold up who looks after it: the look ends when its time is over,
// and says so.
func TestALookEndsWithItsTime(t *testing.T) {
	g := newGround(t)
	g.look("k1", true)
	g.put("image", "")
	if err := os.Truncate(g.path("image"), 1<<40); err != nil {
		t.Skip("no file of a terabyte can be made here: ", err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	for range 2 { // the second one is not begun
		l, ok, err := LooksOf(g.again()).Compare(ctx, "k1", "i1", LookEnd{Last: true})
		if !ok || err != nil || !l.Over || !strings.Contains(l.Why, "too long") {
			t.Errorf("%+v, %v, %v", l, ok, err)
		}
	}
	if list, err := g.again().List(0); err != nil || len(list.Calls) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
}

// Folders and files that come and go, and files that grow, while somebody looks make no look fail, and nothing that was
// read of a file while somebody wrote to it counts as what stood there.
func TestATreeMayChangeWhileItIsLookedAt(t *testing.T) {
	g := newGround(t)
	g.put("a", "one\n")
	stop := make(chan struct{})
	var busy sync.WaitGroup
	busy.Go(func() {
		text := []byte(strings.Repeat("x", 64<<10))
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			os.MkdirAll(g.path("b/c/d"), 0o755)
			os.WriteFile(g.path("b/c/d/e"), text, 0o644)
			os.RemoveAll(g.path("b"))
			if f, err := os.OpenFile(g.path("log"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644); err == nil {
				f.Write(text)
				if i%20 == 0 {
					f.Truncate(0)
				}
				f.Close()
			}
		}
	})
	for range 60 {
		sc, err := g.store.Scan(t.Context())
		if err != nil {
			t.Error(err)
			break
		}
		for at, d := range sc.kept {
			if f, err := g.store.objects.open(d); err == nil {
				f.Close()
			} else {
				t.Errorf("%s: %v", at.Path, err)
			}
		}
	}
	close(stop)
	busy.Wait()
}
