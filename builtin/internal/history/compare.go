package history

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"helve/internal/change"
	"helve/internal/fsroot"
)

// Compare looks again and writes what changed since the scan into the history, as the work of a call: what other calls
// changed meanwhile is theirs. It returns the changes; with none, nothing is written. What was there before and could
// not be kept is among the call's gaps.
//
// The scan then says how things stand now, so that a command that goes on can be looked at again.
func (s *Store) Compare(ctx context.Context, sc *Scan, call Call) ([]Change, error) {
	return s.compare(ctx, sc, call, comparing{})
}

// CompareRunning is Compare for a command that goes on. Large files that it changed, which it may be writing to, wait
// for the last comparison: a log that grows would be kept as often as somebody looks.
func (s *Store) CompareRunning(ctx context.Context, sc *Scan, call Call) ([]Change, error) {
	return s.compare(ctx, sc, call, comparing{running: true})
}

// CompareAt is Compare for some places only, and the directories that they lie in. It is for another call that is about
// to change them: what the command did there came first.
func (s *Store) CompareAt(ctx context.Context, sc *Scan, call Call, at []change.Place) ([]Change, error) {
	now, err := s.standingAt(sc, at)
	if err != nil || len(now) == 0 {
		return nil, err
	}
	return s.compare(ctx, sc, call, comparing{some: now})
}

// standingAt is what stands at places, and at the new directories in which they lie, as far as it differs from the
// scan.
func (s *Store) standingAt(sc *Scan, at []change.Place) (map[change.Place]change.Entry, error) {
	trees, err := s.trees()
	defer trees.close()
	if err != nil {
		return nil, err
	}
	out := map[change.Place]change.Entry{}
	for _, p := range at {
		for ; p.Path != "."; p = p.Parent() {
			if _, seen := out[p]; seen {
				break
			}
			e, err := trees[p.Root].Look(p.Path)
			if err != nil {
				return nil, err
			}
			if !sc.entries[p].Unchanged(e) {
				out[p] = e
			}
		}
	}
	return out, nil
}

// comparing says what is compared.
type comparing struct {
	running bool                          // the command goes on
	some    map[change.Place]change.Entry // only what stands at these places; nil: everywhere
	until   int64                         // what was changed later is not the command's, by the clock of the files; 0: all is
}

// compare is Compare and its kin.
func (s *Store) compare(ctx context.Context, sc *Scan, call Call, how comparing) ([]Change, error) {
	r, err := s.Begin(call)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	r.late = ctx.Err
	now := how.some
	if now == nil {
		var closed []change.Place
		if now, closed, err = entries(ctx, s.o); err != nil {
			return nil, err
		}
		r.nameClosed(append(closed, sc.closed...))
	}
	between, err := s.since(sc.journal)
	if err != nil {
		return nil, err
	}
	for _, at := range sc.differing(now, between, how.some != nil) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		growing := how.running && now[at].Type == change.File && now[at].Size > scanFile
		if growing || how.until != 0 && now[at].Changed > how.until {
			continue
		}
		if err := r.addFound(sc, at, between); err != nil {
			return nil, err
		}
	}
	if err := r.foundAll(ctx, sc); err != nil {
		return nil, err
	}
	if how.some == nil { // else what other calls did elsewhere is not known to the scan
		if sc.journal, err = markOf(s.journal()); err != nil {
			return nil, err
		}
	}
	return r.Changes(), nil
}

// foundAll writes what was found into the history, if anything was.
func (r *Recording) foundAll(ctx context.Context, sc *Scan) error {
	if len(r.call.Changes) == 0 {
		return nil
	}
	if err := r.fetch(ctx, sc); err != nil {
		return err
	}
	for _, ch := range r.call.Changes {
		sc.git[ch.Root].forget(ch.Place)
	}
	r.call.Changes = slices.DeleteFunc(r.call.Changes, func(c Change) bool { return c.Was.equal(c.Now) })
	if len(r.call.Changes) == 0 {
		return nil
	}
	r.nameLost()
	if err := r.Commit(); err != nil {
		return err
	}
	sc.datedNow(r.dated())
	return r.Done()
}

// since is what calls left at each place that they changed, from a mark on.
func (s *Store) since(m mark) (map[change.Place]State, error) {
	g, err := s.readFrom(m)
	if err != nil {
		return nil, err
	}
	return g.left(), nil
}

// differing are the places at which something else stands now, as far as the system tells; directories before what is
// in them. With some, nothing is said of other places than those of now.
func (sc *Scan) differing(
	now map[change.Place]change.Entry, between map[change.Place]State, some bool,
) []change.Place {
	var out []change.Place
	for at, e := range now {
		_, others := between[at]
		if others || !sc.entries[at].Unchanged(e) {
			out = append(out, at)
		}
	}
	for at := range sc.entries {
		if _, there := now[at]; !there && !some {
			out = append(out, at)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Compare(out[j]) < 0 })
	return out
}

// addFound adds what became of a place. What stands as another call left it is not added, nor what is as it was. The
// scan learns how it stands.
func (r *Recording) addFound(sc *Scan, at change.Place, between map[change.Place]State) error {
	t, err := r.tree(at.Root)
	if err != nil {
		return err
	}
	e, now, err := r.keepMoving(t, at)
	if err != nil {
		return err
	}
	sc.stoodIn(r, at)
	was, others := between[at]
	if !others {
		was = r.stood(sc, at)
	}
	sc.learn(at, e, now)
	if now.equal(was) || others && now.same(was) {
		return nil
	}
	r.call.Changes = append(r.call.Changes, Change{Place: at, Was: was, Now: now})
	return nil
}

// moving is how often a place is looked at that changes while it is read.
const moving = 3

// keepMoving keeps what stands at a place that a running command may be changing. The entry is from before the content
// was read: what changes after it is found by the next comparison.
func (r *Recording) keepMoving(t *change.Tree, at change.Place) (e change.Entry, now State, err error) {
	for range moving {
		if e, err = t.Look(at.Path); err != nil {
			return e, now, err
		}
		if now, err = r.keepEntry(t, at, e); err == nil || r.late != nil && r.late() != nil {
			break
		}
	}
	return e, now, err
}

// stoodIn has the recording know the time that the directory of a place had.
func (sc *Scan) stoodIn(r *Recording, at change.Place) {
	up := at.Parent()
	e := sc.entries[up]
	if up.Path == "." {
		e = sc.tops[up.Root]
	}
	r.stoodAt(up, e)
}

// datedNow has the scan know the times that directories have now.
func (sc *Scan) datedNow(dirs []Dated) {
	for _, d := range dirs {
		if d.Path == "." {
			sc.tops[d.Root].Time = d.Now
			continue
		}
		e := sc.entries[d.Place]
		e.Time = d.Now
		sc.entries[d.Place] = e
	}
}

// learn has the scan say how a place stands now.
func (sc *Scan) learn(at change.Place, e change.Entry, now State) {
	if e.Type == change.None {
		delete(sc.entries, at)
	} else {
		sc.entries[at] = e
	}
	delete(sc.kept, at)
	if e.Type == change.File && now.Lost == "" {
		sc.kept[at] = now.Object
	}
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
			lost = append(lost, fsroot.Quote(string(ch.Path)))
		}
	}
	r.gap("the earlier content is not kept of ", lost)
}

// nameClosed adds to the gaps what could not be looked at.
func (r *Recording) nameClosed(at []change.Place) {
	var closed []string
	for _, p := range at {
		closed = append(closed, fsroot.Quote(string(p.Path)))
	}
	slices.Sort(closed)
	r.gap("changes are not known in what may not be looked at: ", slices.Compact(closed))
}

// gap adds a gap that names some paths; without any there is none.
func (r *Recording) gap(what string, paths []string) {
	if len(paths) == 0 {
		return
	}
	text := what + strings.Join(paths[:min(len(paths), namedGaps)], ", ")
	if more := len(paths) - namedGaps; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	r.call.Gaps = append(r.call.Gaps, text)
}
