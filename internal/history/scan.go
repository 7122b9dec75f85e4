package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"helve/internal/change"
)

// Bounds of what a scan keeps before anything changed. Most commands change nothing of it, and a person waits.
const (
	// scanFile is how large a file may be that is kept in case it changes: sources are smaller.
	scanFile = 4 << 20
	// scanFiles and scanBytes bound all of them together: reading and hashing them takes a second or two.
	scanFiles = 4_000
	scanBytes = 128 << 20
	// maxScan is how many entries are looked at: a repository of Linux has 80,000.
	maxScan = 1_000_000
	// namedGaps is how many paths a gap names.
	namedGaps = 5
)

var errMany = errors.New("there are too many files")

// A Scan is what stood in the roots before a command ran that changes them directly. What it changed is found out by
// [Store.Compare]; what was there before is known as far as the scan could keep it, or git has it.
//
// Nothing of it is written but contents. It holds the history for no longer than it takes.
type Scan struct {
	entries map[change.Place]change.Entry
	kept    map[change.Place]Digest
	git     []*gitStore // by root; nil: it has none that serves
	journal mark
}

// Scan looks at everything in the roots, but for what Options.Skip names, and keeps the contents of files that git
// does not have: those that it does not know or that were changed, within bounds.
func (s *Store) Scan(ctx context.Context) (*Scan, error) {
	unlock, err := s.lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	sc := &Scan{kept: map[change.Place]Digest{}}
	if sc.journal, err = s.mark(); err != nil {
		return nil, err
	}
	if sc.entries, err = s.entries(ctx); err != nil {
		return nil, err
	}
	for root, dir := range s.o.Roots {
		sc.git = append(sc.git, openGit(dir, root, sc.entries))
	}
	return sc, s.keepOwn(ctx, sc)
}

// entries are what stands in the roots.
func (s *Store) entries(ctx context.Context) (map[change.Place]change.Entry, error) {
	out := map[change.Place]change.Entry{}
	for root, dir := range s.o.Roots {
		t, err := change.OpenTree(dir)
		if err != nil {
			return nil, err
		}
		err = t.Walk(".", func(name change.Name, e change.Entry) error {
			at := change.Place{Root: root, Path: name}
			if e.Type == change.Dir && s.leftOut(at) {
				return fs.SkipDir
			}
			out[at] = e
			if len(out) > maxScan {
				return errMany
			}
			return ctx.Err()
		})
		t.Close()
		if err != nil {
			return nil, fmt.Errorf("history: look at %s: %w", dir, err)
		}
	}
	return out, nil
}

// leftOut tells of a directory that a scan does not enter. Git only adds to its objects, and undo leaves them.
func (s *Store) leftOut(at change.Place) bool {
	name := string(at.Path)
	if path.Base(name) == "objects" && path.Base(path.Dir(name)) == ".git" {
		return true
	}
	if s.o.Own != nil && s.o.Own(at) {
		return true
	}
	return s.o.Skip != nil && s.o.Skip(at)
}

// keepOwn keeps the contents that nobody else has, the smallest first: so most of them.
func (s *Store) keepOwn(ctx context.Context, sc *Scan) error {
	var own []change.Place
	for at, e := range sc.entries {
		fits := e.Type == change.File && e.Size <= scanFile
		if fits && !sc.git[at.Root].has(at) && (s.o.Secret == nil || !s.o.Secret(at)) {
			own = append(own, at)
		}
	}
	slices.SortFunc(own, func(a, b change.Place) int {
		return cmp.Or(cmp.Compare(sc.entries[a].Size, sc.entries[b].Size), comparePlaces(a, b))
	})
	trees, err := s.trees()
	defer trees.close()
	if err != nil {
		return err
	}
	var bytes int64
	for _, at := range own[:min(len(own), scanFiles)] {
		if err := ctx.Err(); err != nil {
			return err
		}
		if bytes += sc.entries[at].Size; bytes > scanBytes {
			break
		}
		if d, err := s.keepFile(trees[at.Root], at.Path); err == nil { // what cannot be read is not kept
			sc.kept[at] = d
		}
	}
	return nil
}

// roots are the trees of all roots.
type roots []*change.Tree

func (s *Store) trees() (roots, error) {
	var out roots
	for _, dir := range s.o.Roots {
		t, err := change.OpenTree(dir)
		if err != nil {
			return out, err
		}
		out = append(out, t)
	}
	return out, nil
}

func (r roots) close() {
	for _, t := range r {
		t.Close()
	}
}

// keepFile keeps a file as it is.
func (s *Store) keepFile(t *change.Tree, name change.Name) (Digest, error) {
	f, err := t.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	d, _, err := s.objects.keep(f)
	return d, err
}

// Compare looks again and writes what changed since the scan into the history, as the work of a call: what other calls
// changed meanwhile is theirs. It returns the changes; with none, nothing is written. What was there before and could
// not be kept is among the call's gaps.
func (s *Store) Compare(ctx context.Context, sc *Scan, call Call) ([]Change, error) {
	r, err := s.Begin(call)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	now, err := s.entries(ctx)
	if err != nil {
		return nil, err
	}
	between, err := s.since(sc.journal)
	if err != nil {
		return nil, err
	}
	for _, at := range sc.differing(now, between) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := r.addFound(sc, at, between); err != nil {
			return nil, err
		}
	}
	if len(r.call.Changes) == 0 {
		return nil, nil
	}
	if err := r.fetch(ctx, sc); err != nil {
		return nil, err
	}
	r.nameLost()
	if err := r.Commit(); err != nil {
		return nil, err
	}
	return r.Changes(), r.Done()
}

// since is what calls left at each place that they changed, from a mark on.
func (s *Store) since(m mark) (map[change.Place]State, error) {
	g, err := s.readFrom(m)
	if err != nil {
		return nil, err
	}
	out := map[change.Place]State{}
	for _, c := range g.calls {
		for _, ch := range c.Changes {
			out[ch.Place] = ch.Now
		}
	}
	return out, nil
}

// differing are the places at which something else stands now, as far as the system tells; directories before what is
// in them.
func (sc *Scan) differing(now map[change.Place]change.Entry, between map[change.Place]State) []change.Place {
	var out []change.Place
	for at, e := range now {
		_, others := between[at]
		if others || !sc.entries[at].Unchanged(e) {
			out = append(out, at)
		}
	}
	for at := range sc.entries {
		if _, there := now[at]; !there {
			out = append(out, at)
		}
	}
	slices.SortFunc(out, comparePlaces)
	return out
}

// addFound adds what became of a place. What stands as another call left it is not added, nor what is as it was.
func (r *Recording) addFound(sc *Scan, at change.Place, between map[change.Place]State) error {
	t, err := r.tree(at.Root)
	if err != nil {
		return err
	}
	now, err := r.keepNow(t, at)
	if err != nil {
		return err
	}
	was, others := between[at]
	if !others {
		was = r.stood(sc, at)
	}
	if now.equal(was) || others && now.same(was) {
		return nil
	}
	r.call.Changes = append(r.call.Changes, Change{Place: at, Was: was, Now: now})
	return nil
}

// notKept is why an earlier content is not known. Until git was asked, that is so of what git has, too.
const notKept = "its earlier content is not kept, as the command changed the workspace directly"

// stood is what the scan saw at a place.
func (r *Recording) stood(sc *Scan, at change.Place) State {
	e := sc.entries[at]
	out := State{Entry: bare(e)}
	if e.Type != change.File {
		return out
	}
	d, known := sc.kept[at]
	if known && r.s.objects.has(d) {
		out.Object = d
	} else {
		out.Lost = notKept
	}
	return out
}

// fetch gets from git what it has of the earlier contents.
func (r *Recording) fetch(ctx context.Context, sc *Scan) error {
	for root, g := range sc.git {
		var wanted []int
		for i, ch := range r.call.Changes {
			if ch.Root == root && ch.Was.Lost == notKept && g.has(ch.Place) {
				wanted = append(wanted, i)
			}
		}
		if len(wanted) == 0 {
			continue
		}
		err := g.read(ctx, func(ask asker) {
			for _, i := range wanted {
				r.fetchOne(&r.call.Changes[i], ask)
			}
		})
		if err != nil && ctx.Err() != nil { // else what git did not give stays lost, and is named
			return ctx.Err()
		}
	}
	r.call.Changes = slices.DeleteFunc(r.call.Changes, func(c Change) bool { return c.Was.equal(c.Now) })
	return nil
}

// fetchOne gets one content from git; where that fails, it stays lost.
func (r *Recording) fetchOne(ch *Change, ask asker) {
	content, err := ask(ch.Place, ch.Was.Size)
	if err != nil {
		return
	}
	was := ch.Was
	was.Lost = ""
	if err := r.keep(&was, ch.Place, was.Size, content); err == nil {
		ch.Was = was
	}
}

// nameLost adds to the gaps what cannot come back.
func (r *Recording) nameLost() {
	var lost []string
	for _, ch := range r.call.Changes {
		if ch.Was.Lost == notKept {
			lost = append(lost, string(ch.Path))
		}
	}
	if len(lost) == 0 {
		return
	}
	text := strings.Join(lost[:min(len(lost), namedGaps)], ", ")
	if more := len(lost) - namedGaps; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	r.call.Gaps = append(r.call.Gaps, "the earlier content is not kept of "+text)
}
