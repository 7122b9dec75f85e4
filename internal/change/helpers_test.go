package change

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A node is one entry of a tree as tests describe it.
type node struct {
	Type   Type
	Mode   fs.FileMode
	Text   string // of a file, or a link's target
	Second int64  // of a file's time
}

// A tree is what stands below a root, by path.
type tree map[string]node

func (n node) entry() Entry {
	e := Entry{Type: n.Type, Mode: n.Mode}
	switch n.Type {
	case File:
		e.Size, e.Time = int64(len(n.Text)), n.Second*int64(time.Second)
	case Link:
		e.Target, e.Mode = Name(n.Text), 0
	}
	return e
}

// build makes a tree in a directory that is there.
func (t tree) build(dir string) error {
	for _, p := range slices.Sorted(maps.Keys(t)) {
		n, at := t[p], filepath.Join(dir, p)
		var err error
		switch n.Type {
		case Dir:
			err = os.Mkdir(at, 0o700)
		case Link:
			err = os.Symlink(n.Text, at)
		case File:
			err = os.WriteFile(at, []byte(n.Text), 0o600)
		}
		if err != nil {
			return err
		}
	}
	for _, p := range slices.Backward(slices.Sorted(maps.Keys(t))) {
		n, at := t[p], filepath.Join(dir, p)
		if n.Type == Link {
			continue
		}
		if err := os.Chmod(at, n.Mode); err != nil {
			return err
		}
		if n.Type == File {
			when := time.Unix(n.Second, 0)
			if err := os.Chtimes(at, when, when); err != nil {
				return err
			}
		}
	}
	return nil
}

// readTree is the inverse of build.
func readTree(dir string) (tree, error) {
	t := tree{}
	err := filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		if err != nil || at == dir {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, at)
		n := node{Mode: fi.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)}
		switch {
		case fi.IsDir():
			n.Type = Dir
		case fi.Mode()&fs.ModeSymlink != 0:
			n.Type, n.Mode = Link, 0
			n.Text, err = os.Readlink(at)
		case fi.Mode().IsRegular():
			var text []byte
			text, err = os.ReadFile(at)
			n.Type, n.Text, n.Second = File, string(text), fi.ModTime().Unix()
		default:
			n.Type = Pipe
		}
		t[filepath.ToSlash(rel)] = n
		return err
	})
	return t, err
}

// random is a tree of few names, so that two of them have much in common.
func random(r *rand.Rand, entries int) tree {
	t := tree{}
	dirs := []string{"."}
	for range entries {
		p := filepath.ToSlash(filepath.Join(dirs[r.IntN(len(dirs))], string(rune('a'+r.IntN(6)))))
		if _, there := t[p]; there {
			continue
		}
		switch k := r.IntN(10); {
		case k < 4:
			t[p] = node{Type: Dir, Mode: []fs.FileMode{0o755, 0o700, 0o555, 0o777 | fs.ModeSticky}[r.IntN(4)]}
			dirs = append(dirs, p)
		case k < 5:
			t[p] = node{Type: Link, Text: []string{"a", "/etc", "../b"}[r.IntN(3)]}
		default:
			text := strings.Repeat(string(rune('0'+r.IntN(10))), r.IntN(3000))
			t[p] = node{Type: File, Mode: []fs.FileMode{0o644, 0o755, 0o444}[r.IntN(3)], Text: text, Second: 1_000_000_000 + int64(r.IntN(5))}
		}
	}
	return t
}

// between is the set that makes one tree of another, which stands in root 0. New files come by Write or, every other
// one, from a layer in the folder; new directories whole if whole is set.
func between(before, after tree, folder string, whole bool) (*Set, error) {
	s := &Set{}
	paths := slices.Sorted(maps.Keys(after))
	for p := range before {
		if _, there := after[p]; !there {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	done := ""
	for i, p := range paths {
		if done != "" && strings.HasPrefix(p, done+"/") {
			continue
		}
		was, will := before[p], after[p]
		c := Change{Path: Name(p), Was: was.entry(), Will: will.entry()}
		if was == will {
			continue
		}
		if whole && !before.has(p) && will.Type == Dir {
			c.Whole, c.From = true, Name(fmt.Sprintf("layer-%d", i))
			if err := after.layer(p, filepath.Join(folder, string(c.From))); err != nil {
				return nil, err
			}
			done = p
		}
		if whole && !after.has(p) && was.Type == Dir {
			c.Whole, done = true, p
		}
		if will.Type == File && (was.Type != File || was.Text != will.Text) {
			c.Write = func(w io.Writer) error { _, err := io.WriteString(w, will.Text); return err }
			if i%2 == 0 {
				c.Write, c.From = nil, Name(fmt.Sprintf("layer-%d", i))
				if err := after.layer(p, filepath.Join(folder, string(c.From))); err != nil {
					return nil, err
				}
			}
		}
		s.Changes = append(s.Changes, c)
	}
	return s, nil
}

func (t tree) has(p string) bool { _, there := t[p]; return there }

// layer makes what stands at p, with all below it, at another path of this host.
func (t tree) layer(p, at string) error {
	part := tree{".": t[p]}
	for q, n := range t {
		if rel, ok := strings.CutPrefix(q, p+"/"); ok {
			part[rel] = n
		}
	}
	top := part["."]
	delete(part, ".")
	if top.Type == Dir {
		if err := os.Mkdir(at, 0o700); err != nil {
			return err
		}
		if err := part.build(at); err != nil {
			return err
		}
		return os.Chmod(at, top.Mode)
	}
	dir, name := filepath.Split(at)
	return tree{name: top}.build(dir)
}

func (t tree) diff(u tree) string {
	var out []string
	for p, n := range t {
		if m, there := u[p]; !there {
			out = append(out, fmt.Sprintf("- %s %v", p, n.brief()))
		} else if m != n {
			out = append(out, fmt.Sprintf("~ %s %v, %v", p, n.brief(), m.brief()))
		}
	}
	for p, n := range u {
		if !t.has(p) {
			out = append(out, fmt.Sprintf("+ %s %v", p, n.brief()))
		}
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

func (n node) brief() string {
	text := n.Text
	if n.Type == File && len(text) > 8 {
		text = fmt.Sprintf("%d %x", len(text), sha256.Sum256([]byte(text)))[:14]
	}
	return fmt.Sprintf("%v %v %q %d", n.Type, n.Mode, text, n.Second)
}

// A ground is a root with a tree in it and a state beside it.
type ground struct {
	root, state string
	o           Options
}

func newGround(t testing.TB, before tree) *ground {
	t.Helper()
	base := t.TempDir()
	g := &ground{root: filepath.Join(base, "root"), state: filepath.Join(base, "state")}
	g.o = Options{Roots: []string{g.root}, State: g.state}
	g.reset(t, before)
	t.Cleanup(func() { g.wipe(t) }) // the test's own way knows no directories that are closed
	return g
}

func (g *ground) reset(t testing.TB, before tree) {
	t.Helper()
	g.wipe(t)
	if err := os.Mkdir(g.root, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := before.build(g.root); err != nil {
		t.Fatal(err)
	}
}

func (g *ground) wipe(t testing.TB) {
	t.Helper()
	up, err := openDir(filepath.Dir(g.root))
	if err != nil {
		t.Fatal(err)
	}
	defer up.close()
	for _, name := range []string{filepath.Base(g.root), filepath.Base(g.state)} {
		if err := up.removeAll(name); err != nil {
			t.Fatal(err)
		}
	}
}

func (g *ground) tree(t testing.TB) tree {
	t.Helper()
	got, err := readTree(g.root)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// wantTree compares the root with what should stand there, and the state with nothing.
func (g *ground) wantTree(t testing.TB, want tree) {
	t.Helper()
	if d := want.diff(g.tree(t)); d != "" {
		t.Fatalf("the tree is not what it should be (- missing, + too much, ~ other):\n%s", d)
	}
}

func (g *ground) wantNoFolders(t testing.TB) {
	t.Helper()
	entries, err := os.ReadDir(g.state)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != locksName {
			t.Errorf("a folder is left: %s", e.Name())
		}
	}
}

// text is a new content.
func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.Copy(w, bytes.NewBufferString(s)); return err }
}

// now is what stands at a path of the root.
func (g *ground) now(t testing.TB, p string) Entry {
	t.Helper()
	d, err := openRoots([]string{g.root})
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	e, err := d.look(Place{Path: Name(p)})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// apply makes a set and closes the transaction.
func (g *ground) apply(t testing.TB, s *Set) *Report {
	t.Helper()
	tx, err := Begin(g.o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := tx.Close(); err != nil {
			t.Error(err)
		}
	}()
	r, err := tx.Apply(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
