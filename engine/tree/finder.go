package tree

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
)

// A Finder finds files by their paths, ignored and hidden ones too, again and again. It remembers what it found in each
// directory, so that to ask again costs one stat for a directory instead of reading it: a name comes or goes only with
// the directory's times. What it remembers can be kept in a file for other processes. It is safe for concurrent use.
type Finder struct {
	root string
	file string

	mu     sync.Mutex
	loaded bool
	key    string
	top    *branch // nil: nothing is remembered
	fresh  int     // directories that were read since the file was written, or read
	quiet  quiet
}

// Wanted says what a Finder looks for.
type Wanted struct {
	// Want tells whether a file is wanted, by its path from the root. Several goroutines call it.
	Want func(path string) bool
	// Key names what Want decides by: while it is the same, so are the answers. "": nothing is remembered.
	Key string
	// Skip are the names of directories that are not looked into.
	Skip []string
	// Most bounds the files that are looked at. 0: no bound.
	Most int
}

// ErrTooMany says that there are more files than Wanted.Most.
var ErrTooMany = errors.New("too many files")

// branch is what is known of a directory.
type branch struct {
	name    string
	watched bool
	read    bool // its entries are known, though they may have changed
	stat    Stat // before it was read; zero: it must be read again
	files   int
	found   []string // the names of those that are wanted
	dirs    []*branch
}

// NewFinder makes a finder for the tree at root, an absolute path. file is where it keeps what it knows, "" for
// nowhere. What stands there is trusted: it must be where only the person can write.
func NewFinder(root, file string) *Finder { return &Finder{root: root, file: file} }

// Find returns the paths of the wanted files, from the root, sorted. A file that was there before the call is found.
// With an error it returns what it found before.
func (f *Finder) Find(ctx context.Context, what Wanted) ([]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	base, err := openRoot(f.root)
	if err != nil {
		return nil, err
	}
	defer base.close()
	device, tells := base.timesTell()
	remembers := tells && what.Key != ""
	f.recall(what, remembers)
	s := &search{f: f, what: what, base: base, device: device, at: map[string]*branch{}}
	if remembers && f.quiet.holds() && s.holds("", f.top) {
		return slices.Clone(f.quiet.found), nil
	}
	s.listens = remembers
	todo := []spot{{"", f.top}}
	for len(todo) > 0 && err == nil {
		todo, err = s.round(ctx, todo)
	}
	slices.Sort(s.found)
	f.quiet.found, f.quiet.still = nil, false
	if err != nil || !remembers {
		f.top = nil
		return s.found, err
	}
	if f.quiet.notify != nil && !f.quiet.failed && s.reads == 0 {
		f.quiet.found, f.quiet.still = slices.Clone(s.found), true
	}
	f.fresh += s.learned
	f.keep(what)
	return s.found, nil
}

// recall prepares what is remembered for a search.
func (f *Finder) recall(what Wanted, remembers bool) {
	if f.key != what.Key {
		f.key, f.top, f.loaded, f.quiet.still = what.Key, nil, false, false
	}
	if remembers && !f.loaded {
		f.loaded = true
		f.top = f.load(what)
	}
	if f.top == nil {
		f.top = &branch{}
		f.fresh = 0
	}
}

// search is one question to a Finder.
type search struct {
	f      *Finder
	what   Wanted
	base   dirHandle
	device uint64 // of the root

	listens bool // directories are to be watched
	reads   int  // how many are not as they were

	stale, unknown []spot // of this round: to be read alone, and with all below

	mu       sync.Mutex
	at       map[string]*branch // what is being read, by path
	next     []spot
	found    []string
	searched int
	learned  int
}

// spot is a directory with its path, as in Dir.Path.
type spot struct {
	path string
	b    *branch
}

// round compares directories, and reads those that changed. What is below these comes in the next round.
func (s *search) round(ctx context.Context, todo []spot) (next []spot, err error) {
	s.stale, s.unknown, s.next = nil, nil, nil
	for _, p := range todo {
		s.compare(p.path, p.b)
	}
	if s.what.Most > 0 && s.searched > s.what.Most {
		return nil, ErrTooMany
	}
	clear(s.at)
	err = s.walk(ctx, s.unknown, 0)
	if err != nil {
		return nil, err
	}
	clear(s.at)
	err = s.walk(ctx, s.stale, 1)
	return s.next, err
}

// compare takes what is known of a directory and of those below, if it still holds.
func (s *search) compare(path string, b *branch) {
	if b.read && !b.watched {
		s.listen(path, b)
	}
	switch {
	case !b.read:
		s.unknown = append(s.unknown, spot{path, b})
		return
	case b.stat == Stat{} || !s.holds(path, b):
		s.stale = append(s.stale, spot{path, b})
		return
	}
	s.searched += b.files
	for _, name := range b.found {
		s.found = append(s.found, path+name)
	}
	for _, d := range b.dirs {
		s.compare(path+d.name+"/", d)
	}
}

// listen watches a directory.
func (s *search) listen(path string, b *branch) {
	if s.listens {
		b.watched = s.f.quiet.listen(s.f.root, path)
	}
}

// holds reports whether a directory is as it was when it was read. On another file system than the root's, times may
// tell less.
func (s *search) holds(path string, b *branch) bool {
	st, device, err := s.base.peek(path)
	return err == nil && device == s.device && st == b.stat
}

// walk reads directories, to so many levels.
func (s *search) walk(ctx context.Context, list []spot, depth int) error {
	if len(list) == 0 {
		return nil
	}
	s.reads += len(list)
	o := Options{NoIgnore: true, Hidden: true, Skip: s.what.Skip, Learn: true, Depth: depth}
	o.before = func(path string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.listen(path, s.branch(path))
	}
	for _, p := range list {
		p.b.stat, p.b.files, p.b.found = Stat{}, 0, nil
		s.at[p.path] = p.b
		from := strings.TrimSuffix(p.path, "/")
		if from == "" {
			from = "."
		}
		o.From = append(o.From, from)
	}
	_, err := Walk(ctx, s.f.root, o, func(_ int, d *Dir) error { return s.visit(d, depth == 1) })
	return err
}

// visit notes what is in a directory, or in a part of it.
func (s *search) visit(d *Dir, alone bool) error {
	var names []string
	for i := range d.Files {
		if name := d.Files[i].Name; s.what.Want(d.Path + name) {
			names = append(names, strings.Clone(name)) // all names of a directory share one string
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.branch(d.Path)
	for _, name := range names {
		s.found = append(s.found, d.Path+name)
	}
	b.files += len(d.Files)
	b.found = append(b.found, names...)
	if d.Part == 0 {
		s.enter(d, b, alone)
	}
	s.searched += len(d.Files)
	if s.what.Most > 0 && s.searched > s.what.Most {
		return ErrTooMany
	}
	return nil
}

// enter notes a directory's state and what lies in it. Of one that is read alone, the subdirectories that were known
// are compared next.
func (s *search) enter(d *Dir, b *branch, alone bool) {
	b.read, b.stat = true, d.Stat
	if d.Stat != (Stat{}) {
		s.learned++
	}
	known := b.dirs
	b.dirs = make([]*branch, 0, len(d.Dirs))
	for _, name := range d.Dirs {
		path := d.Path + name + "/"
		if !alone {
			b.dirs = append(b.dirs, s.branch(path))
			continue
		}
		i := slices.IndexFunc(known, func(k *branch) bool { return k.name == name })
		below := &branch{name: strings.Clone(name)}
		if i >= 0 {
			below = known[i]
		}
		b.dirs = append(b.dirs, below)
		s.next = append(s.next, spot{path, below})
	}
}

// branch is what is known of a path. A directory may be visited before the one that it lies in.
func (s *search) branch(path string) *branch {
	b := s.at[path]
	if b == nil {
		outer := strings.TrimSuffix(path, "/")
		b = &branch{name: strings.Clone(outer[strings.LastIndexByte(outer, '/')+1:])}
		s.at[path] = b
	}
	return b
}
