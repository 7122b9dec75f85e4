package tree

import (
	"context"
	"sort"

	"slices"
	"strings"
)

// concealed is an entry of a visible directory that a rule hides, or a dot if rule is nil.
type concealed struct {
	isDir  bool
	rule   *Rule
	unsure bool // something happened to it since: only its name is known
}

// concealment is what a resident tree knows of entries that are not visible. Its zero value is empty.
type concealment struct {
	in   map[string]map[string]concealed // by directory, as in Dir.Path, and name
	n    int
	full bool // there are too many to keep
}

const (
	// maxConcealed is how many hidden entries are kept: a built kernel has half of that, and it is some ten megabytes.
	maxConcealed = 100_000
	// concealedDir is how many entries a directory counts for: to open one takes as long as to read these.
	concealedDir = 16
)

func (c *concealment) put(dir, name string, e concealed) {
	if c.full {
		return
	}
	c.drop(dir, name)
	if c.n >= maxConcealed {
		*c = concealment{full: true}
		return
	}
	if c.in == nil {
		c.in = map[string]map[string]concealed{}
	}
	if c.in[dir] == nil {
		c.in[dir] = map[string]concealed{}
	}
	c.in[dir][name] = e
	c.n++
}

func (c *concealment) drop(dir, name string) {
	names := c.in[dir]
	if _, ok := names[name]; !ok {
		return
	}
	delete(names, name)
	c.n--
	if len(names) == 0 {
		delete(c.in, dir)
	}
}

// leave forgets what was in a directory.
func (c *concealment) leave(dir string) {
	c.n -= len(c.in[dir])
	delete(c.in, dir)
}

// Glance says what of the hidden files is counted. The zero value counts all.
type Glance struct {
	RulesOnly bool // not what a dot or Options.Skip hides
	Most      int  // entries that are looked at below hidden directories; 0: all
}

// Hidden counts the files that are kept out of what opt asks for with From, Skip and Filter, as Walk does with
// Options.Count, but it reads hidden directories only: what is in visible ones is known. more says that it did not
// count to the end, because of Glance.Most or the context. ok is false where the tree is not resident or hides too
// much to be kept in memory; then Walk can tell. The directories of From must be visible.
func (t *Tree) Hidden(ctx context.Context, opt Options, g Glance) (list []Hidden, more, ok bool) {
	if t.live == nil {
		return nil, false, false
	}
	if _, err := t.live.snapshot(ctx); err != nil {
		return nil, false, false
	}
	c := &glance{Glance: g, opt: &opt, choose: opt.Chooser(), keys: map[Rule]*hiddenKey{}}
	if !t.live.glance(c) {
		return nil, false, false
	}
	more = c.below(ctx, t)
	return c.count.sorted(), more, true
}

// glance counts what is hidden.
type glance struct {
	Glance
	opt    *Options
	choose *Chooser
	count  hiddenCount
	keys   map[Rule]*hiddenKey // by content: a rule file that was read twice has two rules for one line
	tasks  []task              // the hidden directories
}

// What hides entries without a rule.
var (
	hiddenByDot  = &hiddenKey{reason: byDot}
	hiddenByName = &hiddenKey{reason: byName}
)

// glance counts the hidden files of visible directories, and notes the hidden directories.
func (r *resident) glance(c *glance) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ascertain()
	if r.hidden.full {
		return false
	}
	for dir, names := range r.hidden.in {
		if !c.choose.wantsIn(dir) {
			continue
		}
		for name, e := range names {
			c.take(dir, name, e)
		}
	}
	if !c.RulesOnly {
		c.skipped(r.dirs)
	}
	return true
}

// skipped notes the visible directories that are left out for their names.
func (c *glance) skipped(dirs map[string]*watched) {
	for _, name := range c.opt.Skip {
		name += "/"
		for dir := range dirs {
			parent, ok := strings.CutSuffix(dir, name)
			whole := parent == "" || strings.HasSuffix(parent, "/")
			if ok && whole && c.choose.wantsIn(parent) {
				c.tasks = append(c.tasks, task{path: dir, hidden: hiddenByName})
			}
		}
	}
}

// ascertain looks at the entries to which something happened.
func (r *resident) ascertain() {
	for dir, names := range r.hidden.in {
		for name, e := range names {
			if e.unsure {
				r.lookBehind(dir, name)
			}
		}
	}
}

// lookBehind finds out what a hidden name is now, if it is still there: a rule may be for directories alone.
func (r *resident) lookBehind(dir, name string) {
	r.hidden.drop(dir, name)
	w := r.dirs[dir]
	kind, _, err := r.t.Lookup(dir + name)
	if w == nil || err != nil || kind != Regular && kind != Directory {
		return
	}
	e := concealed{isDir: kind == Directory}
	hidden, rule := w.hides(dir, name, e.isDir)
	if hidden {
		e.rule = rule
		r.hidden.put(dir, name, e)
	}
}

// take counts a file, or notes a directory. What the caller's own choice leaves out first is not counted.
func (c *glance) take(dir, name string, e concealed) {
	f := c.opt.Filter
	by := c.hiddenBy(name, e)
	switch {
	case by == nil, f.leavesOut(dir, name, e.isDir), f.overrules(dir, name, e.isDir):
	case e.isDir:
		c.tasks = append(c.tasks, task{path: dir + name + "/", hidden: by})
	case c.choose.wantsName(dir, name):
		c.count.inc(*by)
	}
}

// hiddenBy says what hides an entry; nil if that is of no interest.
func (c *glance) hiddenBy(name string, e concealed) *hiddenKey {
	skipped := e.isDir && slices.Contains(c.opt.Skip, name)
	switch {
	case c.RulesOnly && (skipped || e.rule == nil):
		return nil
	case skipped:
		return hiddenByName
	case e.rule == nil:
		return hiddenByDot
	}
	k := c.keys[*e.rule]
	if k == nil {
		k = &hiddenKey{rule: e.rule}
		c.keys[*e.rule] = k
	}
	return k
}

// below counts what lies in the hidden directories. With a limit that is done by one worker in the order of their
// paths, so that the same tree gives the same answer also where it is not counted to the end.
func (c *glance) below(ctx context.Context, t *Tree) (more bool) {
	if len(c.tasks) == 0 {
		return false
	}
	opt := Options{Filter: c.opt.Filter, most: c.Most}
	if c.Most > 0 {
		opt.Workers = 1
	}
	backwards := func(i, j int) bool { return c.tasks[i].path > c.tasks[j].path } // the last is the first to be done
	sort.SliceStable(c.tasks, backwards)
	w := newWalker(t.root, t.base, opt)
	w.stack = c.tasks
	_, err := w.run(ctx)
	c.count.add(&w.count)
	return w.more.Load() || err != nil
}

// spent reports whether enough was looked at below hidden directories, and notes that one more is.
func (w *walker) spent() bool {
	if w.opt.most == 0 {
		return false
	}
	if w.looked.Load() >= int64(w.opt.most) {
		w.more.Store(true)
		return true
	}
	w.looked.Add(concealedDir)
	return false
}
