package draft

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"helve/internal/change"
)

var (
	runs = flag.Int("runs", 120, "how many random runs TestDraftsAreWhatTheModelSays makes")
	seed = flag.Uint64("seed", 1, "the first of its seeds")
)

// A node is what stands at a path of the model: "" nothing, "dir", "->target", or a text of lines.
type node string

const aDir node = "dir"

func (n node) file() bool { return strings.HasPrefix(string(n), "file\n") }

// A model is a tree in memory: the disk, or a draft over another model.
type model struct {
	base    *model // nil: it is the disk
	stands  map[string]node
	was     map[string]node // of a draft: what it relied upon, by the paths that it changes
	changed map[string]node
}

// at is what stands at a path.
func (m *model) at(p string) node {
	if p == "." {
		return aDir
	}
	if m.base == nil {
		return m.stands[p]
	}
	if n, ok := m.changed[p]; ok {
		return n
	}
	for up := path.Dir(p); up != "."; up = path.Dir(up) {
		if n, ok := m.changed[up]; ok && (n != aDir || m.was[up] != aDir) {
			return ""
		}
	}
	return m.base.at(p)
}

// set changes a path.
func (m *model) set(p string, n node) {
	if m.base == nil {
		if n == "" {
			delete(m.stands, p)
		} else {
			m.stands[p] = n
		}
		return
	}
	if _, known := m.changed[p]; !known {
		m.was[p] = m.base.at(p)
	}
	m.changed[p] = n
	if n == "" && m.was[p] == "" {
		delete(m.changed, p)
		delete(m.was, p)
	}
	for _, q := range slices.Sorted(maps.Keys(m.changed)) { // what nobody can get to goes with its directory
		if n != aDir && m.changed[q] != "" && strings.HasPrefix(q, p+"/") {
			m.set(q, "")
		}
	}
}

// raw are the paths of which the model knows something, whether their directories are there or not.
func (m *model) raw() map[string]node {
	paths := map[string]bool{}
	for at := m; at != nil; at = at.base {
		for p := range at.stands {
			paths[p] = true
		}
		for p := range at.changed {
			paths[p] = true
		}
	}
	out := map[string]node{}
	for p := range paths {
		if n := m.at(p); n != "" {
			out[p] = n
		}
	}
	return out
}

// reach are the paths below a directory that a walk from there comes to.
func (m *model) reach(from string) map[string]node {
	out := map[string]node{}
	for p, n := range m.raw() {
		up := path.Dir(p)
		for up != from && up != "." && m.at(up) == aDir {
			up = path.Dir(up)
		}
		if up == from && m.at(up) == aDir {
			out[p] = n
		}
	}
	return out
}

// below are a path and all that is in it, what is in a directory first.
func (m *model) below(p string) []string {
	var out []string
	for q := range m.raw() {
		if q == p || strings.HasPrefix(q, p+"/") {
			out = append(out, q)
		}
	}
	slices.Sort(out)
	slices.Reverse(out)
	return out
}

// commit makes a draft's changes in its base; false, and nothing is made, where somebody else was there.
func (m *model) commit() bool {
	will := map[string]node{}
	for p, n := range m.changed {
		now, was := m.base.at(p), m.was[p]
		switch {
		case now == n:
			continue
		case now == was:
			will[p] = n
			continue
		}
		merged, ok := merged(was, n, now)
		if !ok {
			return false
		}
		will[p] = merged
	}
	// A directory that is to go and has something new in it stays, and with it all; and what is to come needs its
	// directory.
	for p, n := range will {
		if m.base.at(p) == aDir && n != aDir {
			for q := range m.base.reach(p) {
				if w, ok := will[q]; !ok || w != "" {
					return false
				}
			}
		}
		up := path.Dir(p)
		if stands, ok := will[up]; n != "" && (ok && stands != aDir || !ok && m.base.at(up) != aDir) {
			return false
		}
	}
	for p, n := range will {
		m.base.set(p, n)
	}
	return true
}

// merged is a text with two changes of it.
func merged(was, mine, theirs node) (node, bool) {
	if !was.file() || !mine.file() || !theirs.file() {
		return "", false
	}
	old := lines(was)
	a, b := runsOf(old, lines(mine)), runsOf(old, lines(theirs))
	out := slices.Clone(old)
	for _, x := range a {
		for _, y := range b {
			if x.from <= y.to && y.from <= x.to && !slices.Equal(x.lines, y.lines) {
				return "", false
			}
			if x.from <= y.to && y.from <= x.to && (x.from != y.from || x.to != y.to) {
				return "", false
			}
		}
	}
	for _, x := range append(a, b...) {
		copy(out[x.from:], x.lines)
	}
	return node("file\n" + strings.Join(out, "\n")), true
}

// A changedRun is lines, one after the other, that a text has in place of others.
type changedRun struct {
	from, to int // to is the first that is as it was
	lines    []string
}

func runsOf(old, now []string) (out []changedRun) {
	for i := 0; i < len(old); i++ {
		from := i
		for i < len(old) && now[i] != old[i] {
			i++
		}
		if i > from {
			out = append(out, changedRun{from, i, now[from:i]})
		}
	}
	return out
}

func lines(n node) []string { return strings.Split(strings.TrimPrefix(string(n), "file\n"), "\n") }

const fileLines = 9

// A pair is a draft and its model. Without a draft it is the disk.
type pair struct {
	d     *Draft
	m     *model
	outer *pair
	inner int // that live
}

// A world is what one run works in.
type world struct {
	r     *rand.Rand
	dir   string
	disk  *pair
	live  []*pair
	tree  *Disk
	n     int
	story []string
	seen  map[string]int
}

func newWorld(t testing.TB, dir string, seed uint64) *world {
	root := filepath.Join(dir, "root")
	if err := os.MkdirAll(root, 0o755); err != nil {
		t.Fatal(err)
	}
	w := &world{r: rand.New(rand.NewPCG(seed, 1)), dir: dir, seen: map[string]int{}}
	w.disk = &pair{m: &model{stands: map[string]node{}}}
	for range 8 {
		w.foreign(t)
	}
	tree, err := OpenDisk([]string{root})
	if err != nil {
		t.Fatal(err)
	}
	w.tree = tree
	return w
}

// name is a path of few, so that runs meet.
func (w *world) name() string {
	p := string(rune('a' + w.r.IntN(4)))
	for w.r.IntN(3) == 0 && len(p) < 5 {
		p += "/" + string(rune('a'+w.r.IntN(4)))
	}
	return p
}

// text is a file, or what stands there with one line changed.
func (w *world) text(now node) node {
	w.n++
	own := make([]string, fileLines)
	for i := range own {
		own[i] = "line " + strconv.Itoa(i)
	}
	if now.file() {
		own = lines(now)
	}
	own[w.r.IntN(fileLines)] = strings.Repeat("x", w.n%7) + strconv.Itoa(w.n)
	return node("file\n" + strings.Join(own, "\n"))
}

// foreign is a change of somebody who knows nothing of drafts.
func (w *world) foreign(t testing.TB) {
	m, p := w.disk.m, w.name()
	at := filepath.Join(w.dir, "root", p)
	if m.at(path.Dir(p)) != aDir {
		return
	}
	switch now := m.at(p); {
	case now != "" && w.r.IntN(4) == 0:
		for _, q := range m.below(p) {
			m.set(q, "")
		}
		must(t, os.RemoveAll(at))
		w.tell("foreign remove", p)
	case now == aDir:
	case now == "" && w.r.IntN(3) == 0:
		m.set(p, aDir)
		must(t, os.Mkdir(at, 0o755))
		w.tell("foreign mkdir", p)
	default:
		n := w.text(now)
		m.set(p, n)
		must(t, os.WriteFile(at+".tmp~", []byte(n), 0o644))
		must(t, os.Rename(at+".tmp~", at))
		w.tell("foreign write", p)
	}
}

func (w *world) tell(what ...string) {
	w.story = append(w.story, strings.Join(what, " "))
	w.seen[what[0]]++
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func place(p string) change.Place { return change.Place{Path: change.Name(p)} }

// edit is a change in a draft, which must come out as the model says.
func (w *world) edit(x *pair) error {
	p, m, d := w.name(), x.m, x.d
	now, room := m.at(p), m.at(path.Dir(p)) == aDir
	var err error
	want := true
	switch w.r.IntN(6) {
	case 0:
		w.tell("remove", p)
		want = now != ""
		err = d.Remove(place(p))
		if want {
			for _, q := range m.below(p) {
				m.set(q, "")
			}
		}
	case 1:
		w.tell("mkdir", p)
		want = now == "" && room
		err = d.Mkdir(place(p))
		if want {
			m.set(p, aDir)
		}
	case 2:
		w.tell("link", p)
		want = now == "" && room
		err = d.Link(place(p), "../a")
		if want {
			m.set(p, "->../a")
		}
	case 3:
		to := w.name()
		w.tell("rename", p, to)
		want = now != "" && m.at(to) == "" && m.at(path.Dir(to)) == aDir && to != p && !strings.HasPrefix(to, p+"/")
		err = d.Rename(place(p), place(to))
		if want {
			w.renamed(m, p, to)
		}
	default:
		n := w.text(now)
		w.tell("put", p)
		want = room && now != aDir
		err = d.Put(place(p), 0, func(out io.Writer) error { _, err := io.WriteString(out, string(n)); return err })
		if want {
			m.set(p, n)
		}
	}
	if (err == nil) != want {
		return fmt.Errorf("%s: %v, and the model says %v", w.story[len(w.story)-1], err, want)
	}
	return nil
}

// renamed is a rename in the model.
func (w *world) renamed(m *model, from, to string) {
	m.set(to, m.at(from))
	inside := m.reach(from)
	for _, q := range slices.Sorted(maps.Keys(inside)) {
		m.set(to+strings.TrimPrefix(q, from), inside[q])
	}
	for _, q := range m.below(from) {
		m.set(q, "")
	}
}

// begin opens a draft over the disk or over another one.
func (w *world) begin(outer *pair) error {
	var base Tree = w.tree
	if outer.d != nil {
		base = outer.d
	}
	w.n++
	d, err := New(filepath.Join(w.dir, "draft"+strconv.Itoa(w.n)), base, 1, w.r.IntN(2) == 0)
	if errors.Is(err, ErrDepth) {
		return nil
	}
	if err != nil {
		return err
	}
	w.tell("begin")
	outer.inner++
	w.live = append(w.live, &pair{d: d, outer: outer, m: &model{
		base: outer.m, was: map[string]node{}, changed: map[string]node{},
	}})
	return nil
}

// end commits or drops a draft without others over it.
func (w *world) end(x *pair, drop bool) error {
	if drop {
		w.tell("drop")
		w.gone(x)
		return x.d.Drop()
	}
	want := x.m.commit()
	var err error
	if x.outer.d == nil {
		_, err = x.d.Commit(context.Background(), w.apply)
	} else {
		_, err = x.d.CommitTo(context.Background(), x.outer.d)
	}
	var conflict *Conflict
	switch {
	case err == nil && want:
		w.tell("commit")
		w.gone(x)
		return nil
	case errors.As(err, &conflict) && !want:
		w.tell("conflict")
		w.gone(x) // its own view may have been merged in part: that is not compared
		return x.d.Drop()
	}
	return fmt.Errorf("commit: %v, and the model says %v", err, want)
}

// What lies in a directory that somebody removed takes the directory's place.
func TestAFileTakesThePlaceOfItsDirectoryThatIsGone(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "root")
	must(t, os.MkdirAll(filepath.Join(root, "a"), 0o755))
	must(t, os.WriteFile(filepath.Join(root, "a/d"), []byte("old"), 0o644))
	tree, err := OpenDisk([]string{root})
	must(t, err)
	defer tree.Close()
	d, err := New(filepath.Join(dir, "draft"), tree, 1, false)
	must(t, err)
	defer d.Drop()
	must(t, d.Put(place("a/d"), 0, func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }))
	must(t, os.RemoveAll(filepath.Join(root, "a")))
	must(t, d.Rename(place("a/d"), place("a")))
	if text, err := read(d, place("a"), 100); err != nil || string(text) != "new" {
		t.Errorf("%q %v", text, err)
	}
	if now, err := d.Look(place("a/d")); err != nil || now.Type != change.None {
		t.Errorf("it is still in its directory: %v %v", now.Type, err)
	}
}

// apply makes a set on the disk.
func (w *world) apply(ctx context.Context, s *change.Set) (*change.Report, error) {
	o := change.Options{Roots: []string{filepath.Join(w.dir, "root")}, State: filepath.Join(w.dir, "state")}
	tx, err := change.Begin(o)
	if err != nil {
		return nil, err
	}
	defer tx.Close()
	return tx.Apply(ctx, s)
}

func (w *world) gone(x *pair) {
	x.outer.inner--
	w.live = slices.DeleteFunc(w.live, func(y *pair) bool { return y == x })
}

// seenBy is what a tree shows.
func seenBy(t Tree, p change.Place, out map[string]node) error {
	names, err := t.Names(p)
	if err != nil {
		return err
	}
	for _, name := range names {
		at := p.Child(name)
		e, err := t.Look(at)
		if err != nil {
			return err
		}
		switch e.Type {
		case change.Dir:
			out[string(at.Path)] = aDir
			if err := seenBy(t, at, out); err != nil {
				return err
			}
		case change.Link:
			out[string(at.Path)] = node("->" + e.Target)
		case change.File:
			text, err := read(t, at, 1<<20)
			if err != nil {
				return err
			}
			out[string(at.Path)] = node(text)
		}
	}
	return nil
}

// compare compares a tree with its model.
func compare(t Tree, m *model) error {
	got := map[string]node{}
	if err := seenBy(t, place("."), got); err != nil {
		return err
	}
	want := m.reach(".")
	if maps.Equal(got, want) {
		return nil
	}
	var wrong []string
	for p, n := range want {
		if got[p] != n {
			wrong = append(wrong, fmt.Sprintf("%s: got %q, want %q", p, got[p], n))
		}
	}
	for p, n := range got {
		if want[p] == "" {
			wrong = append(wrong, fmt.Sprintf("%s: got %q, want nothing", p, n))
		}
	}
	return errors.New(strings.Join(wrong, "\n"))
}

// step does one thing at random.
func (w *world) step(t testing.TB) error {
	if len(w.live) == 0 || len(w.live) < 5 && w.r.IntN(8) == 0 {
		outer := w.disk
		if len(w.live) > 0 && w.r.IntN(2) == 0 {
			outer = w.live[w.r.IntN(len(w.live))]
		}
		return w.begin(outer)
	}
	x := w.live[w.r.IntN(len(w.live))]
	switch k := w.r.IntN(12); {
	case k == 0:
		w.foreign(t)
		return nil
	case k < 3 && x.inner == 0:
		return w.end(x, w.r.IntN(3) == 0)
	case x.inner > 0 && w.r.IntN(2) == 0: // what lies below a draft changes as well
		return w.edit(x)
	}
	return w.edit(x)
}

// run makes one run, and says what is wrong.
func (w *world) run(t testing.TB, steps int) error {
	for range steps {
		if err := w.step(t); err != nil {
			return err
		}
		for _, x := range w.live {
			if err := compare(x.d, x.m); err != nil {
				return fmt.Errorf("a draft:\n%w", err)
			}
		}
	}
	for len(w.live) > 0 {
		i := slices.IndexFunc(w.live, func(x *pair) bool { return x.inner == 0 })
		if err := w.end(w.live[i], false); err != nil {
			return err
		}
	}
	return compare(w.tree, w.disk.m)
}

// Drafts over the disk and over each other, with commits, drops and foreign edits, show and leave what a model in
// memory says. -runs 100000 takes an hour.
func TestDraftsAreWhatTheModelSays(t *testing.T) {
	n := *runs
	if testing.Short() {
		n = min(n, 50)
	}
	seen := map[string]int{}
	for s := *seed; s < *seed+uint64(n); s++ {
		dir := t.TempDir()
		w := newWorld(t, dir, s)
		err := w.run(t, 30)
		w.tree.Close()
		if err != nil {
			t.Fatalf("-seed %d: %v\n%s", s, err, strings.Join(w.story, "\n"))
		}
		for what, k := range w.seen {
			seen[what] += k
		}
		must(t, os.RemoveAll(dir))
	}
	t.Logf("%d runs: %v", n, seen)
	for _, what := range []string{"commit", "conflict", "drop", "rename", "remove", "foreign write"} {
		if seen[what] == 0 {
			t.Errorf("no %s in any of them", what)
		}
	}
}
