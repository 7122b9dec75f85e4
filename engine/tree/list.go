package tree

import (
	"path/filepath"
	"slices"
)

// Kind is the type of a directory entry.
type Kind uint8

// The kinds that a walk tells apart. Unknown is asked about with a stat.
const (
	Unknown Kind = iota
	Regular
	Directory
	Symlink
	Other
)

// dirent is one entry as the system lists it.
type dirent struct {
	name string
	kind Kind
}

// lister is what one worker keeps between directories.
type lister struct {
	w       *walker
	id      int
	raw     rawBuffer
	entries []dirent
	join    []byte
	next    []task
	shown   []File // of the directory at hand
	dirs    int
	files   int
	count   hiddenCount
	was     []RuleFile // the rules that the listing of the directory at hand has, if it has changed otherwise
}

// run does one task. After the walk has failed it only gives back what the task holds.
func (l *lister) run(t task) {
	switch {
	case l.w.stop.Load():
		if t.dir != nil {
			t.dir.release()
		}
	case t.dir != nil:
		part := &Dir{
			Path:   t.dir.Path,
			Part:   t.part,
			Files:  t.files,
			handle: t.dir.handle,
			scope:  t.dir.scope,
		}
		l.show(part)
		t.dir.release()
	default:
		l.list(t)
	}
}

// list reads one directory, or recalls it, and shows it. The tasks for what lies below go on the stack before the
// caller's function is called: it may take long, and others can work meanwhile.
func (l *lister) list(t task) {
	if l.w.opt.before != nil {
		l.w.opt.before(t.path)
	}
	if t.hidden != nil && l.w.spent() {
		return
	}
	h, err := l.w.base.openDir(t.path)
	if err != nil {
		l.w.unreadable(t.path, err)
		return
	}
	d := &Dir{Path: t.path, handle: h}
	d.users.Store(1)
	defer d.release()
	l.dirs++
	l.next = l.next[:0]
	l.was = nil
	recalled := t.trusted && l.recall(d, &t)
	if !recalled {
		l.read(d, &t)
		if t.hidden != nil {
			l.countAll(d, t)
			l.w.push(l.next)
			return
		}
		l.sort(d, t)
	}
	l.split(d)
	l.w.push(l.next)
	l.show(d)
}

// read reads the entries of a directory and its ignore files.
func (l *lister) read(d *Dir, t *task) {
	if l.w.opt.Learn {
		l.learn(d)
	}
	var err error
	l.entries, err = d.handle.list(&l.raw, l.entries[:0])
	if err != nil { // what was read before it counts, and makes no listing
		l.w.unreadable(t.path, err)
		d.Stat = Stat{}
	}
	if t.hidden != nil {
		return // rules decide nothing below what is hidden
	}
	if t.scope == nil {
		t.scope = l.w.scopeAbove(t.path)
	}
	l.enter(d, t)
}

// enter reads the ignore files among the entries.
func (l *lister) enter(d *Dir, t *task) {
	d.scope = t.scope
	if l.w.opt.NoIgnore {
		return
	}
	present, git := l.ignoreFiles()
	abs := filepath.Join(l.w.root, filepath.FromSlash(d.Path))
	if t.trusted || l.w.opt.Learn {
		rules := rulesOf(abs, present, git)
		t.trusted = t.trusted && slices.Equal(rules, l.was)
		if l.w.opt.Learn {
			d.Rules = Settled(rules)
		}
	}
	if !git && present == [len(ignoreNames)]bool{} {
		return
	}
	here := place{base: d.Path, shown: d.Path, abs: abs}
	here.read = func(name string) []byte {
		return d.handle.read(name, maxIgnoreBytes)
	}
	d.scope = t.scope.enter(here, present, git, l.w.opt.GlobalIgnore)
}

// ignoreFiles finds which ignore files are among the entries, and whether a work tree begins here.
func (l *lister) ignoreFiles() (present [len(ignoreNames)]bool, git bool) {
	for i := range l.entries {
		e := &l.entries[i]
		if e.name[0] != '.' {
			continue
		}
		k := slices.Index(ignoreNames[:], e.name)
		if k >= 0 {
			present[k] = true
		}
		git = git || e.name == ".git"
	}
	return present, git
}

// sort puts every entry where it belongs: files, directories, ignored.
func (l *lister) sort(d *Dir, t task) {
	d.Files = l.shown[:0]
	for i := range l.entries {
		l.place(d, t, &l.entries[i])
	}
	l.shown = d.Files
	l.files += len(d.Files)
}

// place decides about one entry. What is neither file nor directory is nowhere, and so are symbolic links.
func (l *lister) place(d *Dir, t task, e *dirent) {
	if e.kind == Unknown {
		e.kind = d.handle.kind(e.name)
	}
	if e.kind != Regular && e.kind != Directory {
		return
	}
	isDir := e.kind == Directory
	keep, key := l.judge(d, e.name, isDir)
	switch {
	case !keep:
		l.exclude(d, t, e.name, isDir, key)
	case isDir:
		d.Dirs = append(d.Dirs, e.name)
		l.descend(d, t, e.name)
	default:
		f := File{Name: e.name, Number: -1}
		if l.w.opt.Stat && !f.look(d) {
			return
		}
		d.Files = append(d.Files, f)
	}
}

// look fills in the state of a file; false if it is gone since it was listed.
func (f *File) look(d *Dir) bool {
	st, err := d.handle.stat(f.Name)
	f.Stat = st
	return err == nil
}

// descend makes the task for a subdirectory.
func (l *lister) descend(d *Dir, t task, name string) {
	if t.depth+1 >= l.maxDepth() {
		return
	}
	l.next = append(l.next, task{
		path:    d.Path + name + "/",
		scope:   d.scope,
		depth:   t.depth + 1,
		trusted: t.trusted,
	})
}

func (l *lister) maxDepth() int {
	if n := l.w.opt.Depth; n > 0 {
		return min(n, maxDepth)
	}
	return maxDepth
}

// judge decides about one entry, in ripgrep's order: globs that override, ignore rules, types, the dot.
func (l *lister) judge(d *Dir, name string, isDir bool) (keep bool, by hiddenKey) {
	opt := &l.w.opt
	if isDir && slices.Contains(opt.Skip, name) {
		return false, hiddenKey{reason: byName}
	}
	f := opt.Filter
	var v verdict
	if f != nil && f.override != nil {
		v, l.join = f.override.decide(d.Path, name, isDir, l.join)
		if v != undecided {
			return v == shown && !f.leavesOut(d.Path, name, isDir), hiddenKey{reason: byFilter}
		}
	}
	var rule *Rule
	v, rule, l.join = d.scope.decide(d.Path, name, isDir, l.join)
	if v == ignored {
		return false, hiddenKey{rule: rule}
	}
	if f != nil {
		var choice verdict
		choice, l.join = f.decide(d.Path, name, isDir, l.join)
		if choice == ignored {
			return false, hiddenKey{reason: byFilter}
		}
		if choice == shown && f.typed {
			v = shown
		}
	}
	if v == undecided && !opt.Hidden && name[0] == '.' {
		return false, hiddenKey{reason: byDot}
	}
	// Without is asked last, and so only about what would be shown: who counts what it leaves out counts no more.
	return !f.leavesOut(d.Path, name, isDir), hiddenKey{reason: byFilter}
}

// exclude notes an entry that is not listed, as far as somebody wants to know.
func (l *lister) exclude(d *Dir, t task, name string, isDir bool, by hiddenKey) {
	counts := l.w.opt.Count && by.reason != byFilter
	if counts && !l.w.opt.Filter.leavesOut(d.Path, name, isDir) { // what the caller's own choice leaves out is not counted
		l.countHidden(d, t, name, isDir, by)
	}
	if l.w.opt.excluded != nil && by.reason != byFilter {
		l.w.opt.excluded(d.Path, name, concealed{isDir: isDir, rule: by.rule})
	}
	if l.w.opt.Ignored {
		e := Excluded{Name: name, IsDir: isDir, Rule: by.rule}
		if l.w.opt.Stat && !isDir {
			e.Stat, _ = d.handle.stat(name)
		}
		d.Ignored = append(d.Ignored, e)
	}
}

// split leaves the first batch of a large directory in d and makes tasks of the others, which other workers may take.
func (l *lister) split(d *Dir) {
	all := d.Files
	if len(all) <= batch {
		return
	}
	all = slices.Clone(all) // others will read it after this worker has gone on
	d.Files = all[:batch:batch]
	part := 0
	for rest := range slices.Chunk(all[batch:], batch) {
		d.users.Add(1)
		part++
		l.next = append(l.next, task{dir: d, part: part, files: rest})
	}
}

// show calls the caller's function. Its error ends the walk.
func (l *lister) show(d *Dir) {
	err := l.w.visit(l.id, d)
	if err != nil {
		l.w.fail(err)
	}
}
