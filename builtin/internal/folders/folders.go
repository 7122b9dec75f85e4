// Package folders holds the folders of a workspace for the built-in tools: paths resolved, trees watched and searched,
// and which files may hold secrets.
package folders

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"helve/engine/tree"
	"helve/internal/change"
	"helve/internal/fsroot"
	"helve/internal/secrets"
	"helve/tool"
)

// Options are those of builtin.Options that say where tools work and what they look at, with the same meaning.
type Options struct {
	Dirs       []string
	State      string
	Protected  func(root, folded string) error
	Environ    []string
	Cache      string
	Resident   bool
	Trees      *tree.Set
	Denied     func(target string) bool
	Secret     func(target string) bool
	SecretList func() string

	// At is as in fsroot.Options: where something lies over a folder. Nothing is watched or remembered there.
	At func(dir string) string
}

// Folders are those of a workspace: the way to their files, and what is known of them. They are safe for concurrent
// use.
type Folders struct {
	Options
	Files *fsroot.Set // the only way to files

	watches sync.Map // of Watch: whoever wants to know of our own changes

	mu      sync.Mutex
	closed  bool
	engines map[*fsroot.Root]*engine      // those that were needed so far
	finders map[*fsroot.Root]*tree.Finder // of secrets, those that were needed so far
}

// Open opens the folders, of which there must be one, and starts nothing: trees are read and watched when a tool
// first needs them. A folder that is none, or cannot be read, is an error that names it.
func Open(o Options) (*Folders, error) {
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
	fo := fsroot.Options{Protected: o.Protected, At: o.At}
	if o.State != "" {
		fo.LockDir = filepath.Join(o.State, "locks")
	}
	files, err := fsroot.Open(fo, o.Dirs...)
	if err != nil {
		return nil, err
	}
	w := &Folders{
		Options: o,
		Files:   files,
		engines: map[*fsroot.Root]*engine{},
		finders: map[*fsroot.Root]*tree.Finder{},
	}
	if w.Trees == nil {
		w.Trees = &tree.Set{Config: tree.Config{GlobalIgnore: tree.GitIgnoreFile(w.Getenv)}}
	}
	return w, nil
}

// CloseTrees ends what watches the folders and searches them. Tools that run after it fail.
func (w *Folders) CloseTrees() error {
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
	return errors.Join(errs...)
}

// Getenv is a variable of the person's environment; the last of several counts.
func (w *Folders) Getenv(name string) string {
	for _, e := range slices.Backward(w.Environ) {
		k, v, _ := strings.Cut(e, "=")
		if k == name {
			return v
		}
	}
	return ""
}

// Resolve finds the place that a call names; "" is its directory.
func (w *Folders) Resolve(c *tool.Call, path string) (fsroot.Path, error) {
	if path == "" {
		path = "."
	}
	p, err := w.Files.Resolve(c.Dir, path)
	return p, ToolError(err)
}

// ResolveWrite finds the place of a file that a call would change, and refuses what steers other programs before
// anybody is asked.
func (w *Folders) ResolveWrite(c *tool.Call, path string) (fsroot.Path, error) {
	p, err := w.Resolve(c, path)
	if err != nil {
		return p, err
	}
	if err := w.Protected(p.Root().Name(), fsroot.Fold(p.Rel())); err != nil {
		return p, tool.Errorf(tool.Permission, "%s: %w", path, err)
	}
	if err := nested(p); err != nil {
		return p, tool.Errorf(tool.Permission, "%s: %w", path, err)
	}
	return p, nil
}

// Dir is the first folder, links resolved.
func (w *Folders) Dir() string { return w.Files.Roots()[0].Dir() }

// RootPrefix stands before the paths of every root but the first.
func RootPrefix(r *fsroot.Root) string {
	if r.Name() == "" {
		return ""
	}
	return "//" + r.Name() + "/"
}

// Origin is the identity of a built-in tool.
func Origin(name string) tool.Origin { return tool.Origin{Kind: tool.Builtin, Name: name} }

// ToolError gives a file error its code: what the caller may not do, what it asked wrongly, what went wrong at the
// work.
func ToolError(err error) error {
	var known *tool.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	code := tool.Execution
	switch {
	case IsAny(err, fsroot.ErrOutside, fsroot.ErrProtected):
		code = tool.Permission
	case IsAny(err, fsroot.ErrBadPath, fsroot.ErrLoop, fsroot.ErrHardLink),
		IsAny(err, fsroot.ErrDirectory, fsroot.ErrNotDir, fsroot.ErrNotRegular):
		code = tool.Validation
	}
	return &tool.Error{Code: code, Err: err}
}

// IsAny tells whether an error is one of several.
func IsAny(err error, targets ...error) bool {
	for _, t := range targets {
		if errors.Is(err, t) {
			return true
		}
	}
	return false
}

// IsMissing tells that there is no such file.
func IsMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// RootDirs are the workspace's folders, links resolved.
func (w *Folders) RootDirs() []string {
	var out []string
	for _, r := range w.Files.Roots() {
		out = append(out, r.Dir())
	}
	return out
}

// TargetOf is a place as the target of an effect.
func (w *Folders) TargetOf(at change.Place) string {
	return RootPrefix(w.Files.Roots()[at.Root]) + string(at.Path)
}

// PlaceOf is a path as the history names it.
func (w *Folders) PlaceOf(p fsroot.Path) change.Place {
	root := slices.Index(w.Files.Roots(), p.Root())
	return change.Place{Root: root, Path: change.Name(p.Rel())}
}

// ShownPath is a place for people and models.
func (w *Folders) ShownPath(at change.Place) string {
	if at.Root < 0 || at.Root >= len(w.Files.Roots()) {
		return fsroot.Quote(string(at.Path)) // of a folder that the workspace had once
	}
	return fsroot.Quote(w.TargetOf(at))
}

// MustBeDir refuses what is no directory, or is not there, when the call runs: at the time of the approval it may
// have been another.
func (w *Folders) MustBeDir(p fsroot.Path) error {
	st, err := w.Files.Stat(p)
	if IsMissing(err) {
		return tool.Errorf(tool.Execution, "Directory not found: %s", p.Shown())
	}
	if err != nil {
		return ToolError(err)
	}
	if !st.IsDir() {
		return tool.Errorf(tool.Validation, "Path is a file, not a directory: %s", p.Shown())
	}
	return nil
}
