package tree

import (
	"maps"
	"path/filepath"
	"slices"
	"time"
)

// Listing is what a walk once found in a directory. A later walk that is given it (Options.Known) and finds the
// directory's own state and all rules unchanged does not read the directory again: names come and go only with its
// time of change.
type Listing struct {
	Stat  Stat // of the directory before it was read; zero: it must be read again
	Files []string
	Dirs  []string
	Rules []RuleFile // the ignore files that were read for it
	First int        // the File.Number of the first of Files
}

// RuleFile is an ignore file in the state in which it was read; the zero Stat means that it was not there.
type RuleFile struct {
	Path string // absolute
	Stat Stat
}

// restless is how long a directory must have been left alone before it was read for its times to tell whether it
// changed since: more than one tick of any file system's clock that counts in less than seconds.
const restless = 200 * time.Millisecond

// coarseRestless is the same for file systems that count in seconds: FAT in two of them.
const coarseRestless = 3 * time.Second

// trusts reports whether listings may answer for what these options ask: they have what is visible.
func (o *Options) trusts() bool {
	asksForHidden := o.NoIgnore || o.Hidden || o.Ignored || o.Count || o.Filter.Overrides()
	typed := o.Filter != nil && o.Filter.typed // a type shows names that begin with a dot
	return o.Known != nil && !asksForHidden && !typed
}

// OutsideRules returns the ignore files that lie outside a root and count in it, such as those of the directories
// above, info/exclude and the person's own, whether they exist or not, in the order of their paths. Listings that were
// made while these were the same may be trusted.
func OutsideRules(root, global string) []RuleFile {
	files := outsideFiles(root, global)
	var list []RuleFile
	for _, p := range slices.Sorted(maps.Keys(files)) {
		list = append(list, RuleFile{p, files[p]})
	}
	return list
}

// rulesOf lists the ignore files of a directory that has those that present names.
func rulesOf(abs string, present [len(ignoreNames)]bool, git bool) []RuleFile {
	var paths []string
	for i, name := range ignoreNames {
		if present[i] {
			paths = append(paths, filepath.Join(abs, name))
		}
	}
	if git {
		paths = append(paths, filepath.Join(abs, ".git"))
		exclude := excludeFile(abs)
		if exclude != "" {
			paths = append(paths, exclude)
		}
	}
	var list []RuleFile
	for _, p := range paths {
		list = append(list, RuleFile{p, statPath(p)})
	}
	return list
}

// rulesHold reports whether the ignore files of the directory are as they were when it was listed.
func (l *Listing) rulesHold() bool {
	for i := range l.Rules {
		r := &l.Rules[i]
		if statPath(r.Path) != r.Stat {
			return false
		}
	}
	return true
}

// recall answers for a directory out of its listing. If it may be trusted only for its rules, those below may be
// trusted still.
func (l *lister) recall(d *Dir, t *task) bool {
	known, ok := l.w.opt.Known(d.Path)
	if !ok || !known.rulesHold() {
		t.trusted = false
		return false
	}
	st, err := d.handle.self()
	if err != nil || st != known.Stat || st == (Stat{}) {
		l.was = known.Rules
		return false
	}
	l.remembered(d, *t, &known)
	return true
}

// remembered fills d with what its listing names and is still there.
func (l *lister) remembered(d *Dir, t task, known *Listing) {
	d.Files = l.shown[:0]
	for i, name := range known.Files {
		if !l.chosen(d.Path, name, false) {
			continue
		}
		f := File{Name: name, Number: known.First + i}
		if l.w.opt.Stat && !f.look(d) {
			continue
		}
		d.Files = append(d.Files, f)
	}
	l.shown = d.Files
	l.files += len(d.Files)
	for _, name := range known.Dirs {
		if l.chosen(d.Path, name, true) {
			d.Dirs = append(d.Dirs, name)
			l.descend(d, t, name)
		}
	}
}

// chosen reports whether the caller's own choice keeps a visible entry.
func (l *lister) chosen(dir, name string, isDir bool) bool {
	opt := &l.w.opt
	if isDir && slices.Contains(opt.Skip, name) {
		return false
	}
	return opt.Filter == nil || !opt.Filter.hides(dir, name, isDir)
}

// learn notes what makes a listing of d. It comes before the directory is read: what changes while it is read changes
// its times, too.
func (l *lister) learn(d *Dir) {
	st, err := d.handle.self()
	if err == nil && st.settled(time.Now()) {
		d.Stat = st
	}
}

// settled reports whether the times tell whether something changed after now: what changed a moment before may change
// again within one tick of its clock.
func (st Stat) settled(now time.Time) bool {
	changed, wait := max(st.MTime, st.CTime), restless
	if st.MTime%int64(time.Second) == 0 && st.CTime%int64(time.Second) == 0 {
		wait = coarseRestless
	}
	return now.UnixNano()-changed > int64(wait)
}

// Settled returns the rule files in a form to be kept: one that changed a moment ago will count as changed.
func Settled(list []RuleFile) []RuleFile {
	now := time.Now()
	for i := range list {
		if !list[i].Stat.settled(now) {
			list[i].Stat.Size = -1
		}
	}
	return list
}
