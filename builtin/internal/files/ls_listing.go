package files

import (
	"cmp"
	"io/fs"
	"slices"
	"sort"
	"strings"
	"sync"

	"helve/engine/tree"
	"helve/internal/fsroot"
)

// A listing grows while a tree is walked, in parallel, and is then cut to what is shown.
type listing struct {
	dir   fsroot.Path
	base  string // what the walk's paths begin with
	depth int
	most  int // entries that are shown
	odds  int // directories that are looked through for what a walk leaves out

	mu  sync.Mutex
	top *lsDir

	shown          int  // entries that were given a line
	capped, deeper bool // entries were left out; there are deeper levels
}

// An lsDir is a directory that may be shown, with the counts of all that is below it, at any depth.
type lsDir struct {
	name        string
	files, dirs int // below it, at any depth
	bytes       int64
	kids        map[string]*lsDir // the directories in it
	own         []lsFile          // the files in it
	unkept      int               // files of its own beyond what can be shown
	entries     []lsEntry         // what is shown of it, once that is chosen
	more        int               // entries that are not
}

// An lsFile is a file, or what else has a name in a directory.
type lsFile struct {
	name string
	size int64
	kind string // of what is no regular file
}

// An lsEntry is one line: a directory or a file.
type lsEntry struct {
	dir  *lsDir
	file lsFile
}

// newListing shows so many levels of a directory.
func newListing(dir fsroot.Path, depth int) *listing {
	base := ""
	if dir.Rel() != "." {
		base = dir.Rel() + "/"
	}
	return &listing{
		dir:   dir,
		base:  base,
		depth: depth,
		most:  lsShown,
		odds:  maxOdd,
		top:   &lsDir{},
	}
}

// visit takes in one directory of the walk.
func (l *listing) visit(_ int, d *tree.Dir) error {
	var bytes int64
	var files []lsFile
	for _, f := range d.Files {
		if !fsroot.IsTemp(f.Name) {
			files = append(files, lsFile{name: f.Name, size: f.Stat.Size})
			bytes += f.Stat.Size
		}
	}
	rest := strings.TrimSuffix(strings.TrimPrefix(d.Path, l.base), "/")
	l.mu.Lock()
	defer l.mu.Unlock()
	at, level := l.top, 0
	at.count(len(files), len(d.Dirs), bytes)
	for rest != "" && level < l.depth {
		var name string
		name, rest, _ = strings.Cut(rest, "/")
		at, level = at.kid(name), level+1
		at.count(len(files), len(d.Dirs), bytes)
	}
	if level >= l.depth {
		l.deeper = l.deeper || len(files)+len(d.Dirs) > 0
		return nil
	}
	at.keep(files, l.most)
	for _, name := range d.Dirs {
		at.kid(name)
	}
	return nil
}

// count adds to the sums of a directory.
func (d *lsDir) count(files, dirs int, bytes int64) {
	d.files, d.dirs, d.bytes = d.files+files, d.dirs+dirs, d.bytes+bytes
}

// kid is a directory in this one, made when it is first heard of: its own visit may come before or after.
func (d *lsDir) kid(name string) *lsDir {
	if d.kids == nil {
		d.kids = map[string]*lsDir{}
	}
	if d.kids[name] == nil {
		d.kids[name] = &lsDir{name: name}
	}
	return d.kids[name]
}

// keep remembers files, the first by name where there are more than can be shown.
func (d *lsDir) keep(files []lsFile, most int) {
	d.own = append(d.own, files...)
	if len(d.own) <= 2*most {
		return
	}
	d.sortOwn()
	d.unkept += len(d.own) - most
	d.own = d.own[:most:most]
}

// sortOwn sorts its own files by name.
func (d *lsDir) sortOwn() {
	sort.SliceStable(d.own, func(i, j int) bool { return d.own[i].name < d.own[j].name })
}

// choose gives the entries that may be shown to the directories nearest to the top first, and on one level to the
// small ones first: one huge directory does not hide the others.
func (l *listing) choose() {
	level := []*lsDir{l.top}
	for len(level) > 0 {
		slices.SortStableFunc(level, func(a, b *lsDir) int {
			return cmp.Compare(len(a.kids)+len(a.own), len(b.kids)+len(b.own))
		})
		var next []*lsDir
		for _, d := range level {
			all := d.sorted()
			n := min(len(all), l.most-l.shown)
			d.entries, d.more = all[:n], len(all)-n+d.unkept
			l.shown += n
			l.capped = l.capped || d.more > 0
			for _, e := range d.entries {
				if e.dir != nil {
					next = append(next, e.dir)
				}
			}
		}
		level = next
	}
}

// sorted are the directories and then the files, by name.
func (d *lsDir) sorted() []lsEntry {
	var out []lsEntry
	for _, k := range d.kids {
		out = append(out, lsEntry{dir: k})
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].dir.name < out[j].dir.name })
	d.sortOwn()
	for _, f := range d.own {
		out = append(out, lsEntry{file: f})
	}
	return out
}

// maxOdd is how many of the shown directories are looked through for what a walk leaves out.
const maxOdd = 100

// oddities adds links, pipes and sockets, which a walk of files passes over: an agent should know that the name is
// taken.
func (l *listing) oddities(files *fsroot.Set) {
	left := l.odds
	l.odd(files, l.top, l.dir, oddPlace{1, &left})
}

// oddPlace is where a directory stands in which something odd is looked for.
type oddPlace struct {
	level int  // of its entries, from 1
	left  *int // directories that may still be looked through
}

// odd looks through one directory that is shown, and those in it. Only the bound on all of them together keeps a
// listing fast.
func (l *listing) odd(files *fsroot.Set, d *lsDir, at fsroot.Path, in oddPlace) {
	*in.left--
	if *in.left < 0 {
		return
	}
	found, _, err := files.ReadDir(at, 2*l.most)
	if err != nil {
		return // gone meanwhile
	}
	for _, e := range found {
		kind := oddKind(e.Type())
		if kind != "" && l.shown >= l.most {
			l.capped = l.capped || l.whole() // to a model the cap was told, or the name is one of too many
		} else if kind != "" {
			d.entries = append(d.entries, lsEntry{file: lsFile{name: e.Name(), kind: kind}})
			l.shown++
		}
	}
	sort.SliceStable(d.entries, func(i, j int) bool {
		a, b := d.entries[i], d.entries[j]
		if a.dir != nil || b.dir != nil {
			return rankOf(a) < rankOf(b)
		}
		return a.file.name < b.file.name
	})
	for _, e := range d.entries {
		if e.dir == nil {
			continue
		}
		if l.whole() && in.level < l.depth || len(e.dir.entries)+e.dir.more > 0 {
			l.odd(files, e.dir, at.Join(e.dir.name), oddPlace{in.level + 1, in.left})
		}
	}
}

// whole tells that the listing is a program's, which gets all of it.
func (l *listing) whole() bool { return l.odds > maxOdd }

// rankOf has directories stand before files.
func rankOf(e lsEntry) int {
	if e.dir != nil {
		return 0
	}
	return 1
}

// oddKind names what is neither a file nor a directory; "" for these.
func oddKind(m fs.FileMode) string {
	switch {
	case m&fs.ModeSymlink != 0:
		return "link"
	case m&fs.ModeNamedPipe != 0:
		return "named pipe"
	case m&fs.ModeSocket != 0:
		return "socket"
	case m&fs.ModeDevice != 0:
		return "device"
	}
	return ""
}

// shownName quotes a name that would not look like itself in a line of text.
func shownName(name string) string { return fsroot.Quote(name) }
