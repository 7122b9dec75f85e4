// Package builtin holds the tools that every agent needs: one file a tool, and All is the list.
//
// The tools of one Workspace share what they know of it: the roots that they may touch, the locks on its files, the
// trees that are searched. What a session has read or started belongs to the session.
//
// They decide nobody's rights. A call tells by its effects what it would do, and the kit's policy judges that. What no
// policy can allow is refused here: paths outside the roots, files that steer other programs, private addresses, and
// command lines that would destroy more than a workspace.
//
// Arguments that are wrong, and work that fails, become results with an error, which the model reads; its hint is the
// next step.
package builtin

import (
	"context"
	"errors"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"helve/builtin/internal/web"
	"helve/engine/sandbox"
	"helve/engine/tree"
	"helve/internal/fsroot"
	"helve/internal/secrets"
	"helve/tool"
)

// Options say where the tools work, and what of the machine they use. The zero value but for Dirs keeps nothing on
// disk, confines commands to reading, and reaches public hosts only.
type Options struct {
	Dirs []string // the workspace's folders; the first is the default for relative paths

	// State is a private folder outside Dirs for locks, and for what commands change until that was looked at. "":
	// locks are kept within this process, and commands change the workspace while they run.
	State string

	// Protected refuses writes to what steers helve or other programs; nil: Steering. See fsroot.Options.
	Protected func(root, folded string) error

	// Environ is the person's environment, as os.Environ gives it: where their ignore file is, and what a command's
	// environment is made of (sandbox.Env). nil: that of this process.
	Environ []string

	Sandbox Sandbox

	// History says what is remembered of what calls change. The zero value: nothing.
	History History

	// Cache is a private folder for search indexes and for the build caches of commands; "" means to do without.
	// Resident says that the workspace lives long: its trees are then watched and its indexes kept up to date in the
	// background.
	Cache    string
	Resident bool

	// Trees are the trees that others of the process look at too, so that a resident one is watched once and
	// everybody knows of the tools' own writes. nil: the workspace has its own.
	Trees *tree.Set

	// Pages is a private folder in which fetch keeps pages for other processes; one inside Dirs is not used. "": it
	// remembers them in this process only.
	Pages string

	// ReadsFolders says that kits take a read of a path that ends in a slash for ls: read then tells of it.
	ReadsFolders bool

	// Denied tells whether a file, as a target of an effect, must not be read. grep leaves it out, since nobody
	// judges every file of a directory that it searches. It is called by several goroutines at once. nil: none.
	Denied func(target string) bool

	// Secret tells whether a file, as a target of an effect, may hold secrets. Searches leave it out, commands that
	// run unasked do not see it, and the history does not keep its content. It is called by several goroutines at
	// once. nil: the usual names, which docs/security.md describes.
	Secret func(target string) bool

	// SecretList names what Secret decides by at this moment: while it is the same, what Secret said about a file is
	// remembered, in Cache too. nil: nothing is remembered, unless Secret is nil.
	SecretList func() string

	// DeniedWrite tells whether a file must not be written. Undo leaves it alone. It is called by several goroutines at
	// once. nil: none.
	DeniedWrite func(target string) bool

	// Guarded tells why a file is never written by a tool, "" if it may be: an undo leaves it alone instead of being
	// refused as a whole. It is called by several goroutines at once. nil: every file may be.
	Guarded func(target string) string

	// Asks tells why what a command does to a file is held back whatever anybody says, for what has another program ask
	// us; "" if it is not. Asking are those files, absolute: where nothing holds a command's changes back, those that
	// are there are read-only for it, and the others are not made. nil: there are none.
	Asks   func(target string) string
	Asking func() []string

	// SomeDenied tells whether Denied can say yes at all, so that nobody looks through a workspace for nothing. nil:
	// it can.
	SomeDenied func() bool

	// Broken is asked before a file of the first folder is changed by edit, multi_edit or write. What it returns is
	// called when the change is made, and names what that broke, a line each, and why that may not be all, "" if it is;
	// nil says nothing. nil: nobody is asked.
	Broken func(ctx context.Context, path string) func(context.Context) (broke []string, unchecked string)

	// OneCall says that this process ends after a call: it cannot keep background commands.
	OneCall bool

	// Attached says that bash runs one command for somebody who is as near to it as to one of their own. nil: its
	// output is in the result alone.
	Attached *Attached

	// AllowPrivate names hosts of the private network that fetch may reach: "localhost:8080", "10.0.0.7",
	// "*.corp.example". Only a person says so, never a workspace.
	AllowPrivate []string

	// Summarizer answers fetch's prompts; nil: the passages of the page that have the prompt's words do.
	Summarizer Summarizer

	// Lookup resolves the names of hosts for fetch; nil: the system's resolver.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
}

// Sandbox says how commands that were approved are confined. Those that run unasked are always read-only and without
// network. The zero value confines everything to reading.
type Sandbox struct {
	Level    sandbox.Level
	Network  bool     // approved commands have it without asking for it
	Sockets  bool     // they have Unix sockets with names without asking for the network
	Writable []string // further folders that approved commands may change
	Readable []string // what commands may read outside the workspace, beside programs and the system
	Masked   []string // what no command can read, beside the secrets that are always masked
	Launcher string   // an installed helve, for programs that do not call sandbox.Init

	Limits sandbox.Limits // of every command; zero fields take their defaults

	Idle time.Duration // ends a command in the foreground that printed nothing for so long; zero: never

	// Reach tells what of a level this machine can enforce, as sandbox.Reach does, for those who judge command lines
	// and run none. nil: sandbox.Reach.
	Reach func(context.Context, sandbox.Options) (sandbox.Reached, error)
}

func (s *Sandbox) reach(ctx context.Context, o sandbox.Options) (sandbox.Reached, error) {
	if s.Reach != nil {
		return s.Reach(ctx, o)
	}
	return sandbox.Reach(ctx, o)
}

// A Workspace is what the built-in tools share. It is safe for concurrent use.
type Workspace struct {
	files  *fsroot.Set // the only way to files
	opts   Options
	lines  lineCache
	web    *web.Client
	memory memoryStore // for todos where there is no state folder
	kept   keeper      // what calls changed
	shell  Shell       // what commands are written for

	watches    sync.Map // of *watched: commands that change the workspace directly
	waiting    waiting  // commands whose clients are to bring an answer
	unrepaired error    // why what an earlier process had begun to change could not be finished

	mu      sync.Mutex
	closed  bool
	engines map[*fsroot.Root]*engine      // those that were needed so far
	finders map[*fsroot.Root]*tree.Finder // of secrets, those that were needed so far

	recorded []*taskRecord // of background commands that go on
}

// Open opens the folders, of which there must be one, and starts nothing: trees are read and watched when a tool
// first needs them. A folder that is none, or cannot be read, is an error that names it. Close the workspace when its
// kits are no longer used.
func Open(o Options) (*Workspace, error) {
	if len(o.Dirs) == 0 {
		return nil, errors.New("open workspace: no folder is named")
	}
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	if o.Secret == nil {
		var usual *secrets.List
		o.Secret, o.SecretList = usual.Has, usual.Version
	}
	if o.Protected == nil {
		o.Protected = Steering
	}
	fo := fsroot.Options{Protected: o.Protected}
	if o.State != "" {
		fo.LockDir = filepath.Join(o.State, "locks")
	}
	files, err := fsroot.Open(fo, o.Dirs...)
	if err != nil {
		return nil, err
	}
	if _, err := files.Resolve("", o.Pages); err == nil { // what tools may write would become what the web said
		o.Pages = ""
	}
	w := &Workspace{
		files:   files,
		opts:    o,
		engines: map[*fsroot.Root]*engine{},
		finders: map[*fsroot.Root]*tree.Finder{},
		shell:   FindShell(o.Environ),
		web: web.New(web.Options{
			AllowPrivate: o.AllowPrivate,
			Lookup:       o.Lookup,
			Dir:          o.Pages,
		}),
	}
	if w.opts.Trees == nil {
		w.opts.Trees = &tree.Set{Config: tree.Config{GlobalIgnore: tree.GitIgnoreFile(w.getenv)}}
	}
	w.repair()
	return w, nil
}

// Close closes the roots and ends what watches them. Background commands end with their sessions, not here. Tools that
// run after it fail.
func (w *Workspace) Close() error {
	w.waiting.close()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	var errs []error
	for _, e := range w.engines {
		errs = append(errs, e.close())
	}
	w.engines = nil
	for _, f := range w.finders {
		errs = append(errs, f.Close())
	}
	sandbox.Rest()
	errs = append(errs, w.pruneAtTimes())
	return errors.Join(append(errs, w.files.Close())...)
}

// getenv is a variable of the person's environment; the last of several counts.
func (w *Workspace) getenv(name string) string {
	for _, e := range slices.Backward(w.opts.Environ) {
		k, v, _ := strings.Cut(e, "=")
		if k == name {
			return v
		}
	}
	return ""
}

// resolve finds the place that a call names; "" is its directory.
func (w *Workspace) resolve(c *tool.Call, path string) (fsroot.Path, error) {
	if path == "" {
		path = "."
	}
	p, err := w.files.Resolve(c.Dir, path)
	return p, toolError(err)
}

// resolveWrite finds the place of a file that a call would change, and refuses what steers other programs before
// anybody is asked.
func (w *Workspace) resolveWrite(c *tool.Call, path string) (fsroot.Path, error) {
	p, err := w.resolve(c, path)
	if err != nil {
		return p, err
	}
	if err := w.opts.Protected(p.Root().Name(), fsroot.Fold(p.Rel())); err != nil {
		return p, tool.Errorf(tool.Permission, "%s: %w", path, err)
	}
	if err := nested(p); err != nil {
		return p, tool.Errorf(tool.Permission, "%s: %w", path, err)
	}
	return p, nil
}

// Dir is the first folder, links resolved.
func (w *Workspace) Dir() string { return w.files.Roots()[0].Dir() }

// rootPrefix stands before the paths of every root but the first.
func rootPrefix(r *fsroot.Root) string {
	if r.Name() == "" {
		return ""
	}
	return "//" + r.Name() + "/"
}

// origin is the identity of a built-in tool.
func origin(name string) tool.Origin { return tool.Origin{Kind: tool.Builtin, Name: name} }

// toolError gives a file error its code: what the caller may not do, what it asked wrongly, what went wrong at the
// work.
func toolError(err error) error {
	var known *tool.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	code := tool.Execution
	switch {
	case isAny(err, fsroot.ErrOutside, fsroot.ErrProtected):
		code = tool.Permission
	case isAny(err, fsroot.ErrBadPath, fsroot.ErrLoop, fsroot.ErrHardLink),
		isAny(err, fsroot.ErrDirectory, fsroot.ErrNotDir, fsroot.ErrNotRegular):
		code = tool.Validation
	}
	return &tool.Error{Code: code, Err: err}
}

// isAny tells whether an error is one of several.
func isAny(err error, targets ...error) bool {
	for _, t := range targets {
		if errors.Is(err, t) {
			return true
		}
	}
	return false
}

// isMissing tells that there is no such file.
func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
