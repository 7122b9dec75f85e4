package tree

import (
	"context"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// resident keeps a tree's table fresh. Events are collected as they come and acted on when somebody asks.
type resident struct {
	t  *Tree
	mu sync.Mutex

	notify *notifier // nil: compare times before every answer
	done   chan struct{}
	ended  sync.WaitGroup

	current *Snapshot            // nil before the first question
	dirs    map[string]*watched  // by path, as in Dir.Path
	paths   map[int32]string     // the same by watch
	dirty   map[string]dirtiness // what may have changed, by path; directories with a slash at their end
	all     bool                 // everything may have changed
	outside map[string]Stat      // rule files that no watch covers, as they were when they were read
	hidden  concealment          // what is not visible
}

// watched is a directory that is listened to, with the rules that hold there.
type watched struct {
	watch int32
	scope *scope
}

// dirtiness is what may have changed; its zero value is nothing.
type dirtiness uint8

const (
	dirtyFile dirtiness = iota + 1 // a file, or the directory's own entry of it
	dirtyTree                      // a directory came, went, or has other rules
)

const (
	maxDirty = 20_000                // paths remembered as changed; with more the whole tree is compared
	settle   = 20 * time.Millisecond // between two readings of events nobody waits for: a build makes thousands
)

// newResident starts to listen. A system that tells nothing, or that has no more room to, is no error: then times are
// compared.
func newResident(t *Tree) *resident {
	r := &resident{t: t, done: make(chan struct{})}
	n, err := newNotifier()
	if err == nil {
		r.notify = n
		r.ended.Go(func() { r.listen(n) })
	}
	return r
}

// listen empties the kernel's queue, which is short, so that nothing is lost while nobody asks.
func (r *resident) listen(n *notifier) {
	for n.wait() == nil {
		r.mu.Lock()
		if r.notify != nil {
			n.read(r.happened)
		}
		r.mu.Unlock()
		select {
		case <-r.done:
			return
		case <-time.After(settle):
		}
	}
}

// close ends the listening, and returns when its goroutine has ended.
func (r *resident) close() {
	close(r.done)
	r.mu.Lock()
	if r.notify != nil {
		r.notify.close()
		r.notify = nil
	}
	r.mu.Unlock()
	r.ended.Wait()
}

// happened notes one event. It only notes: a build makes thousands of them, and most are about the same few paths. An
// event of a watch that was given up a moment ago is about nothing that is known.
func (r *resident) happened(h happening) {
	dir, known := r.paths[h.watch]
	switch {
	case h.lost:
		r.all = true
	case !known:
	case h.ended:
		delete(r.paths, h.watch)
	case h.selfGone:
		r.all = r.all || dir == ""
	case h.name == "":
	case h.name == ".git" || slices.Contains(ignoreNames[:], h.name):
		r.touch(dir, dirtyTree)
	case h.dir && h.entry:
		r.touch(dir+h.name+"/", dirtyTree)
	case !h.dir:
		r.touch(dir+h.name, dirtyFile)
		if h.entry { // what was a directory may now be a file, and the other way round
			r.touchTree(dir + h.name + "/")
		}
	}
}

// touch notes a path that may have changed.
func (r *resident) touch(path string, d dirtiness) {
	if r.dirty == nil {
		r.dirty = map[string]dirtiness{}
	}
	r.dirty[path] = d
	if len(r.dirty) > maxDirty {
		r.all, r.dirty = true, nil
	}
}

// touchTree notes a directory, if it is one that is watched.
func (r *resident) touchTree(dir string) {
	if r.dirs[dir] != nil {
		r.touch(dir, dirtyTree)
	}
}

// snapshot brings the table up to date.
func (r *resident) snapshot(ctx context.Context) (*Snapshot, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.notify != nil {
		r.notify.read(r.happened)
	}
	var err error
	switch {
	case r.current == nil, r.all, r.notify == nil, r.outsideChanged():
		err = r.rebuild(ctx)
	case len(r.dirty) > 0:
		err = r.update(ctx)
	}
	return r.current, err
}

// rebuild reads the whole tree. The watches come first, so that no change falls between.
func (r *resident) rebuild(ctx context.Context) error {
	before := r.current
	r.forget("")
	r.all, r.dirty = false, nil
	r.dirs = map[string]*watched{}
	r.paths = map[int32]string{}
	r.outside = outsideFiles(r.t.root, r.t.global)
	r.hidden = concealment{}
	put, err := r.scan(ctx, ".")
	if err != nil {
		r.current, r.all = nil, true
		return err
	}
	r.current = before.become(put)
	return nil
}

// scan reads a directory and all below, and watches them.
func (r *resident) scan(ctx context.Context, from string) (map[string]Stat, error) {
	var mu sync.Mutex
	put := map[string]Stat{}
	opt := Options{From: []string{from}, Stat: true, GlobalIgnore: r.t.global}
	opt.before = func(dir string) {
		mu.Lock()
		defer mu.Unlock()
		if r.notify != nil { // another worker may just have found that there are too many
			r.listenTo(dir)
		}
		if r.notify == nil { // it is known all the same: glance looks for directories to skip
			r.dirs[dir] = &watched{scope: &scope{}}
		}
	}
	opt.excluded = func(dir, name string, e concealed) {
		mu.Lock()
		defer mu.Unlock()
		r.hidden.put(dir, name, e)
	}
	_, err := walk(ctx, r.t.root, r.t.at, opt, func(_ int, d *Dir) error {
		mu.Lock()
		defer mu.Unlock()
		if w := r.dirs[d.Path]; w != nil {
			w.scope = d.scope
		}
		for i := range d.Files {
			f := &d.Files[i]
			put[d.Path+f.Name] = f.Stat
		}
		return nil
	})
	return put, err
}

// listenTo watches a directory before it is read. One that cannot be watched because it is gone is not missed.
func (r *resident) listenTo(dir string) {
	n, err := r.notify.add(filepath.Join(r.t.root, filepath.FromSlash(dir)))
	switch {
	case err == nil:
		r.dirs[dir] = &watched{watch: n, scope: &scope{}}
		r.paths[n] = dir
	case full(err): // from now on times are compared
		r.notify.close()
		r.notify = nil
	}
}

// forget ends the watches of a directory and all below it.
func (r *resident) forget(prefix string) {
	for dir, w := range r.dirs {
		if !strings.HasPrefix(dir, prefix) {
			continue
		}
		// A directory that was moved keeps its watch under its new path, which has the number now.
		if r.notify != nil && r.paths[w.watch] == dir {
			r.notify.remove(w.watch)
		}
		delete(r.paths, w.watch)
		delete(r.dirs, dir)
		r.hidden.leave(dir)
	}
}

// update looks again at what may have changed.
func (r *resident) update(ctx context.Context) error {
	if r.dirty[""] != 0 {
		return r.rebuild(ctx)
	}
	c := change{drop: map[string]bool{}, put: map[string]Stat{}}
	dirty := r.dirty
	r.dirty = nil
	for p, d := range dirty {
		if d == dirtyTree {
			r.forget(p)
		}
		c.drop[p] = true
	}
	for _, p := range slices.Sorted(maps.Keys(dirty)) { // an outer directory before what lies in it
		var err error
		if dirty[p] == dirtyFile {
			r.lookAt(p, &c)
		} else {
			err = r.rescan(ctx, p, &c)
		}
		if err != nil {
			r.all = true
			return err
		}
	}
	if r.notify == nil {
		return r.rebuild(ctx)
	}
	r.current = r.current.apply(c)
	return nil
}

// lookAt puts one file into c if it is there and visible.
func (r *resident) lookAt(p string, c *change) {
	dir, name := path.Split(p)
	w := r.dirs[dir]
	r.hidden.drop(dir, name)
	if w == nil {
		return
	}
	if hidden, _ := w.hides(dir, name, false); hidden {
		r.hidden.put(dir, name, concealed{unsure: true})
		return
	}
	kind, st, err := r.t.Lookup(p)
	if err == nil && kind == Regular {
		c.put[p] = st
	}
}

// rescan puts a directory's files into c if it is there and visible.
func (r *resident) rescan(ctx context.Context, prefix string, c *change) error {
	if r.dirs[prefix] != nil {
		return nil // an outer directory that was just read contains it
	}
	at := strings.TrimSuffix(prefix, "/")
	dir, name := path.Split(at)
	w := r.dirs[dir]
	r.hidden.drop(dir, name)
	if w == nil {
		return nil
	}
	if hidden, _ := w.hides(dir, name, true); hidden {
		r.hidden.put(dir, name, concealed{unsure: true})
		return nil
	}
	kind, _, err := r.t.Lookup(at)
	if err != nil || kind != Directory {
		return nil
	}
	put, err := r.scan(ctx, at)
	maps.Copy(c.put, put)
	return err
}

// hides decides as a walk without options does. The rule is nil where a dot hides the entry.
func (w *watched) hides(dir, name string, isDir bool) (hidden bool, by *Rule) {
	v, rule, _ := w.scope.decide(dir, name, isDir, nil)
	switch {
	case v == ignored:
		return true, rule
	case v == undecided && name[0] == '.':
		return true, nil
	}
	return false, nil
}

// outsideFiles are the rule files outside the root that count in it, whether they exist or not. Of a directory only
// which one it is counts: git writes into .git all the time.
func outsideFiles(root, global string) map[string]Stat {
	files := map[string]Stat{}
	note := func(file string) {
		if file != "" {
			files[file] = statPath(file)
		}
	}
	dir := root
	for range maxParents {
		note(excludeFile(dir))
		if dir != root { // those in the root are read, and watched, with it
			for _, name := range ignoreNames {
				note(filepath.Join(dir, name))
			}
			note(filepath.Join(dir, ".git"))
		}
		if dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	note(global)
	return files
}

// outsideChanged compares times: a watch on every directory above would tell of all that happens there.
func (r *resident) outsideChanged() bool {
	for p, was := range r.outside {
		if statPath(p) != was {
			return true
		}
	}
	return false
}
