package tree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
)

// Options say what a walk lists. The zero value lists what ripgrep would search, except that it knows no personal
// ignore file.
type Options struct {
	// From are the directories to begin with, slash paths relative to the root; none: the root. Rules do not hide
	// these themselves.
	From []string

	NoIgnore     bool     // read no ignore files
	Hidden       bool     // list names that begin with a dot
	Skip         []string // names of directories never entered, whatever else is said
	GlobalIgnore string   // the person's own ignore file (see GitIgnoreFile)
	Filter       *Filter  // nil: everything
	Depth        int      // levels of directories to list; 0: all
	Stat         bool     // fill File.Stat
	Ignored      bool     // fill Dir.Ignored
	Count        bool     // count what is hidden, in Stats.Hidden; costs a walk of the hidden directories
	Workers      int      // goroutines; 0: GOMAXPROCS, at most 16
	Learn        bool     // fill Dir.Stat and Dir.Rules, which make a Listing

	// Known returns what is known of a directory, whose path has a slash at its end, from a walk with Learn, no
	// filter and the same OutsideRules; ok is false for one that is not known. Several goroutines call it.
	Known func(dir string) (l Listing, ok bool)

	before   func(path string)                   // called before a directory is read
	excluded func(dir, name string, e concealed) // called for every entry that rules or a dot hide
	most     int                                 // what is looked at below hidden directories (see concealedDir); 0: all
}

// Stats is what a walk came across.
type Stats struct {
	Dirs, Files int
	Hidden      []Hidden // most files first; only with Options.Count
	Failed      []error  // directories that could not be read, the first maxFailed
	Failures    int      // how many there were
}

// Dir is one directory during its visit, or a part of a very large one. It is valid until the callback returns.
type Dir struct {
	Path    string // "" for the root, else with a slash at its end: "a/b/"
	Part    int    // 0 for the first part of a directory, which has Dirs, Ignored, Stat and Rules
	Files   []File
	Dirs    []string   // names of the subdirectories that the walk goes into
	Ignored []Excluded // only with Options.Ignored
	Stat    Stat       // only with Options.Learn, and zero if the directory changed too short a time ago
	Rules   []RuleFile // only with Options.Learn
	scope   *scope
	handle  dirHandle
	users   atomic.Int32
}

// File is a regular file in a Dir.
type File struct {
	Name   string
	Stat   Stat // zero without Options.Stat
	Number int  // its place in what Options.Known knows; -1 if it was read from the directory
}

// Excluded is an entry that is not listed.
type Excluded struct {
	Name  string
	IsDir bool
	Rule  *Rule // nil: its name begins with a dot, or a filter left it out
	Stat  Stat
}

// Stat tells one state of a file from another.
type Stat struct {
	Size         int64
	MTime, CTime int64 // nanoseconds since 1970; CTime is 0 where the system has none
	Inode        uint64
}

const (
	maxWorkers = 16   // more readers than this contend for the kernel's locks instead of reading
	batch      = 128  // files handed to one callback: keeps all workers busy in one huge directory
	maxFailed  = 100  // errors kept: enough to see what is wrong
	maxDepth   = 2048 // below PATH_MAX / 2, the deepest that names of one byte can nest
)

// ErrNotDirectory is returned for a root or a start that is no directory.
var ErrNotDirectory = errors.New("not a directory")

// task is a directory to list, or a batch of files of one already listed.
type task struct {
	path    string // of the directory, with its slash
	scope   *scope // what it inherits
	depth   int
	hidden  *hiddenKey // who hides it: its files are only counted
	trusted bool       // all rules above are as the listings have them; scope is not set

	dir   *Dir // of a batch: whose files these are
	part  int
	files []File
}

// walker is one walk: what was asked, the tasks that are left, what came of it.
type walker struct {
	root  string
	base  dirHandle
	opt   Options
	top   *scope // what holds above the root
	visit func(worker int, d *Dir) error

	mu    sync.Mutex
	wake  *sync.Cond // tells of new tasks, and of the end
	stack []task
	busy  int // goroutines that do a task, and may add others
	err   error
	stop  atomic.Bool // after an error: the tasks that are left are dropped
	stats Stats
	count hiddenCount

	looked atomic.Int64 // at entries below hidden directories, with Options.most
	more   atomic.Bool  // there are more than that
}

// Walk lists the tree at root, which is an absolute path, and calls visit for every directory, from several
// goroutines at a time; worker, below the number of workers, tells them apart. A directory comes after its parent,
// otherwise in no order. An error of visit ends the walk and is returned, as is the context's. Directories that
// cannot be read are counted in Stats. When Walk returns no goroutine is left.
func Walk(ctx context.Context, root string, opt Options, visit func(worker int, d *Dir) error) (Stats, error) {
	return walk(ctx, root, root, opt, visit)
}

// walk is Walk for a tree that is opened by the path at.
func walk(ctx context.Context, root, at string, opt Options, visit func(worker int, d *Dir) error) (Stats, error) {
	base, err := openRoot(at)
	if err != nil {
		return Stats{}, fmt.Errorf("walk: %w", err)
	}
	defer base.close()
	w := newWalker(root, base, opt)
	w.visit = visit
	if err := w.begin(); err != nil {
		return Stats{}, err
	}
	return w.run(ctx)
}

// run does the tasks on the stack and those that come of them.
func (w *walker) run(ctx context.Context) (Stats, error) {
	defer context.AfterFunc(ctx, func() { w.fail(ctx.Err()) })()
	var wg sync.WaitGroup
	for id := range w.opt.workers() {
		wg.Go(func() { w.work(id) })
	}
	wg.Wait()
	w.stats.Hidden = w.count.sorted()
	if err := ctx.Err(); err != nil {
		return w.stats, err
	}
	return w.stats, w.err
}

func newWalker(root string, base dirHandle, opt Options) *walker {
	w := &walker{root: root, base: base, opt: opt}
	w.wake = sync.NewCond(&w.mu)
	return w
}

func (o *Options) workers() int {
	if o.Workers > 0 {
		return o.Workers
	}
	return Workers()
}

// begin puts the directories to start from on the stack, each with the rules that hold there.
func (w *walker) begin() error {
	from := w.opt.From
	if len(from) == 0 {
		from = []string{"."}
	}
	w.top = &scope{}
	if !w.opt.NoIgnore {
		w.top = parentScope(w.root, w.opt.GlobalIgnore)
	}
	for i := len(from) - 1; i >= 0; i-- {
		t, err := w.start(from[i])
		if err != nil {
			return err
		}
		w.stack = append(w.stack, t)
	}
	return nil
}

// start makes the task for one starting point.
func (w *walker) start(from string) (task, error) {
	switch {
	case (from == "." || from == "") && w.opt.trusts():
		return task{trusted: true}, nil
	case from == "." || from == "":
		return task{scope: w.top}, nil
	case !fs.ValidPath(strings.ToValidUTF8(from, "x")): // a name need not be UTF-8
		return task{}, fmt.Errorf("walk: %s: not a clean relative path", from)
	}
	dir := from + "/"
	return task{path: dir, scope: w.scopeAbove(dir)}, nil
}

// scopeAbove makes the scope that a directory, given with its slash, inherits: the rules between the root and it. Its
// own are read when it is listed.
func (w *walker) scopeAbove(dir string) *scope {
	if w.opt.NoIgnore {
		return w.top
	}
	s, prefix := w.top, ""
	for i := range len(dir) {
		if dir[i] != '/' {
			continue
		}
		abs := filepath.Join(w.root, filepath.FromSlash(prefix))
		here := place{base: prefix, shown: prefix, abs: abs}
		in := prefix
		here.read = func(name string) []byte {
			return w.base.read(in+name, maxIgnoreBytes)
		}
		s = s.enterDisk(here, w.opt.GlobalIgnore)
		prefix = dir[:i+1]
	}
	return s
}

// work is one goroutine of the walk: it takes tasks until there are none and nobody is at work who might add some. The
// stack is worked from its end, so the walk goes down first and the stack stays short.
func (w *walker) work(id int) {
	l := &lister{w: w, id: id}
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		for len(w.stack) == 0 && w.busy > 0 {
			w.wake.Wait()
		}
		if len(w.stack) == 0 {
			w.wake.Broadcast()
			break
		}
		t := w.stack[len(w.stack)-1]
		w.stack = w.stack[:len(w.stack)-1]
		w.busy++
		w.mu.Unlock()
		l.run(t)
		w.mu.Lock()
		w.busy--
		if w.busy == 0 {
			w.wake.Broadcast()
		}
	}
	w.stats.Dirs += l.dirs
	w.stats.Files += l.files
	w.count.add(&l.count)
}

// push adds tasks. The last is run first.
func (w *walker) push(tasks []task) {
	if len(tasks) == 0 {
		return
	}
	w.mu.Lock()
	w.stack = append(w.stack, tasks...)
	w.mu.Unlock()
	w.wake.Broadcast()
}

// fail stops the walk; the first error is kept.
func (w *walker) fail(err error) {
	w.stop.Store(true)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
}

// unreadable notes a directory that could not be listed. One that is gone is no failure.
func (w *walker) unreadable(path string, err error) {
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stats.Failures++
	if w.stats.Failures <= maxFailed {
		w.stats.Failed = append(w.stats.Failed, fmt.Errorf("list: %s: %w", path, err))
	}
}

// release gives back one part's share of a directory; with the last it is closed.
func (d *Dir) release() {
	if d.users.Add(-1) == 0 {
		d.handle.close()
	}
}
