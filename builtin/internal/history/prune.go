package history

import (
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"helve/internal/state"
)

// Bounds of a history that nobody configured.
const (
	DefaultAge   = 30 * 24 * time.Hour
	DefaultBytes = 2 << 30
)

// Pruned is what was forgotten.
type Pruned struct {
	Calls int
	Bytes int64 // of the store's files
}

// Prune forgets calls from before a time, and then the oldest ones until the
// contents that are kept have at most so many bytes as they are stored. What they
// alone kept is removed.
func (s *Store) Prune(before time.Time, bytes int64) (Pruned, error) {
	return s.prune(before, bytes, false)
}

// ForgetCalls forgets the calls that are meant, and what took only such calls back, with the contents that they alone
// kept.
func ForgetCalls(s *Store, meant func(*Call) bool) (Pruned, error) {
	return forget(s, false, func(calls []*Call, sizes map[Digest]int64) ([]*Call, map[Digest]bool) {
		gone := map[string]bool{}
		var others []*Call
		for _, c := range calls { // an undo stands behind what it takes back
			stays := func(id string) bool { return !gone[id] }
			if meant(c) || len(c.Of) > 0 && !slices.ContainsFunc(c.Of, stays) {
				gone[c.ID] = true
				continue
			}
			others = append(others, c)
		}
		return keptCalls(others, sizes, time.Time{}, math.MaxInt64)
	})
}

// prune is Prune; always says to write the journal anew though nothing is forgotten.
func (s *Store) prune(before time.Time, bytes int64, always bool) (Pruned, error) {
	return forget(s, always, func(calls []*Call, sizes map[Digest]int64) ([]*Call, map[Digest]bool) {
		return keptCalls(calls, sizes, before, bytes)
	})
}

// A keeping chooses the calls that stay, in their order, and says which contents they need.
type keeping func(calls []*Call, sizes map[Digest]int64) ([]*Call, map[Digest]bool)

// forget keeps what a choice keeps.
func forget(s *Store, always bool, choose keeping) (Pruned, error) {
	g, unlock, err := s.open()
	if err != nil {
		return Pruned{}, err
	}
	defer unlock()
	sizes, err := s.objects.sizes()
	if err != nil {
		return Pruned{}, err
	}
	kept, used := choose(g.calls, sizes)
	out := Pruned{Calls: len(g.calls) - len(kept)}
	if out.Calls > 0 || g.broken > 0 || always {
		if err := s.rewrite(g.roots, kept); err != nil {
			return Pruned{}, err
		}
	}
	for d, size := range sizes {
		if used[d] {
			continue
		}
		if err := os.Remove(s.objects.path(d)); err != nil {
			return out, err
		}
		out.Bytes += size
	}
	return out, s.objects.tidy()
}

// keptCalls are those that stay, in their order, and the contents that they need. A call is at least as young as those
// before it: a clock that was set back for a while makes no old ones.
func keptCalls(calls []*Call, sizes map[Digest]int64, before time.Time, limit int64) ([]*Call, map[Digest]bool) {
	used := map[Digest]bool{}
	var bytes int64
	young := slices.IndexFunc(calls, func(c *Call) bool { return !c.Time.Before(before) })
	if young < 0 {
		young = len(calls)
	}
	for i, c := range slices.Backward(calls) {
		fresh := map[Digest]bool{}
		for _, ch := range c.Changes {
			for _, d := range []Digest{ch.Was.Object, ch.Now.Object} {
				if _, stored := sizes[d]; stored && !used[d] && !fresh[d] {
					fresh[d] = true
					bytes += sizes[d]
				}
			}
		}
		if i < young || bytes > limit {
			return calls[i+1:], used
		}
		for d := range fresh {
			used[d] = true
		}
	}
	return calls, used
}

// rewrite replaces the journal by one that holds these calls.
func (s *Store) rewrite(roots []string, calls []*Call) error {
	lines := []line{{Version: version}, {Roots: roots}}
	for _, c := range calls {
		lines = append(lines, line{Call: c, Changes: c.Changes}, line{Done: c.ID, Dirs: c.Dirs})
	}
	var out []byte
	for _, l := range lines {
		b, err := l.encode()
		if err != nil {
			return err
		}
		out = append(out, b...)
	}
	if err := os.Remove(rootsFile(s.o)); err != nil && !os.IsNotExist(err) { // the next call says them anew
		return err
	}
	return state.Replace(s.journal(), out, 0o600)
}

// sizes are those of the contents as they are stored.
func (o *objects) sizes() (map[Digest]int64, error) {
	out := map[Digest]int64{}
	err := filepath.WalkDir(o.dir, func(path string, d fs.DirEntry, err error) error {
		if os.IsNotExist(err) && path == o.dir {
			return fs.SkipAll
		}
		if err != nil || d.IsDir() {
			return err
		}
		digest := Digest(filepath.Base(filepath.Dir(path)) + d.Name())
		if o.path(digest) != path {
			return nil // on its way into the store
		}
		info, err := d.Info()
		if err == nil {
			out[digest] = info.Size()
		}
		return err
	})
	return out, err
}

// tidy removes what processes left that ended while they wrote. Nobody writes meanwhile: the store is taken.
func (o *objects) tidy() error {
	left, err := filepath.Glob(filepath.Join(o.dir, "new-*"))
	if err != nil {
		return err
	}
	for _, path := range left {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}
