package server

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"helve/engine/tree"
	"helve/tool"
)

// maxListed bounds the names of one folder that a completion looks at: a folder with more is not one that somebody
// types paths of.
const maxListed = 10_000

// A Folder is the Files of sessions: the regular files below a session's first root. No link is followed.
type Folder struct {
	// Denies tells whether a rule keeps the session from reading a path, or all below it; completions leave it out.
	// nil: none.
	Denies func(s *tool.Session, target string) bool
	// Trees are those of the workspace's tools, so that there is one watch for all. nil: the folder as a whole cannot
	// be followed.
	Trees func() *tree.Set
}

var (
	_ Files       = Folder{}
	_ FileWatcher = Folder{}
)

// State tells the states of a file, or of the whole tree, apart: by size, time and place on the disk.
func (d Folder) State(ctx context.Context, s *tool.Session, target string) (string, error) {
	if d.Denies != nil && d.Denies(s, target) {
		return "", fmt.Errorf("%s may not be read", target)
	}
	if target == "." {
		return d.stateOfAll(ctx, s)
	}
	root, err := openRoot(s)
	if err != nil {
		return "", err
	}
	defer root.Close()
	st, err := root.Lstat(target)
	if errors.Is(err, fs.ErrNotExist) {
		return "none", nil // it may come
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprint(st.Mode(), st.Size(), st.ModTime().UnixNano()), nil
}

// A treeWatch is the session's look at its whole workspace.
type treeWatch struct {
	tree *tree.Tree
	err  error

	mu    sync.Mutex
	last  *tree.Snapshot
	state string
}

// Close gives the tree back.
func (w *treeWatch) Close() error {
	if w.tree == nil {
		return nil
	}
	return w.tree.Close()
}

// stateOfAll is the state of all visible files. Nothing is read where nothing changed, and the system says so.
func (d Folder) stateOfAll(ctx context.Context, s *tool.Session) (string, error) {
	if d.Trees == nil || len(s.Roots) == 0 {
		return "", errors.New("the workspace as a whole cannot be followed")
	}
	w := tool.Of(s, func() *treeWatch {
		t, err := d.Trees().Open(s.Roots[0].Path)
		return &treeWatch{tree: t, err: err}
	})
	if w.err != nil {
		return "", w.err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	now, err := w.tree.Snapshot(ctx)
	if err != nil || now == w.last {
		return w.state, err
	}
	h := fnv.New128a()
	for _, e := range now.Newest() {
		fmt.Fprintf(h, "%s\x00%+v\x00", e.Path, e.Stat)
	}
	w.last, w.state = now, string(h.Sum(nil))
	return w.state, nil
}

// Read reads a regular file, and none that a link leads to: target has its links resolved already.
func (Folder) Read(_ context.Context, s *tool.Session, target string, max int64) ([]byte, error) {
	root, err := openRoot(s)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := openPlain(root, target)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", target)
	case st.Size() > max:
		const format = "%s has %d bytes, at most %d are read as a resource: page it with read"
		return nil, fmt.Errorf(format, target, st.Size(), max)
	}
	return io.ReadAll(io.LimitReader(f, max))
}

func openRoot(s *tool.Session) (*os.Root, error) {
	if len(s.Roots) == 0 {
		return nil, errors.New("the session has no workspace")
	}
	return os.OpenRoot(s.Roots[0].Path)
}

var errMoved = errors.New("the file is not the one that was judged")

// openPlain opens a place in which no link takes part. It does not wait for the other end of a pipe.
func openPlain(root *os.Root, target string) (*os.File, error) {
	if !filepath.IsLocal(target) {
		return nil, fmt.Errorf("%s is outside the workspace", target)
	}
	for p := path.Clean(target); p != "."; p = path.Dir(p) {
		st, err := root.Lstat(p)
		if err != nil || st.Mode()&fs.ModeSymlink != 0 {
			return nil, errors.Join(errMoved, err)
		}
	}
	f, err := root.OpenFile(target, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	here, err := root.Lstat(target)
	there, err2 := f.Stat()
	if err != nil || err2 != nil || !os.SameFile(here, there) { // it was replaced in between
		f.Close()
		return nil, errMoved
	}
	return f, nil
}

// Complete lists the names of one folder. A folder ends with a slash, so that its own can be asked for next.
func (d Folder) Complete(_ context.Context, s *tool.Session, prefix string, n int) ([]string, error) {
	dir, start := path.Split(prefix)
	if !filepath.IsLocal(path.Join(dir, ".")) {
		return nil, nil
	}
	names, err := folderOf(s, path.Join(dir, "."))
	if err != nil {
		return nil, nil // there is no such folder, or none that is ours to show
	}
	var out []string
	for _, e := range names {
		at := path.Join(dir, e.Name())
		if !strings.HasPrefix(e.Name(), start) || e.Name() == ".git" {
			continue
		}
		if d.Denies != nil && d.Denies(s, at) {
			continue
		}
		if e.IsDir() {
			at += "/"
		} else if !e.Type().IsRegular() {
			continue
		}
		out = append(out, at)
	}
	slices.Sort(out)
	return out[:min(len(out), n)], nil
}

func folderOf(s *tool.Session, dir string) ([]fs.DirEntry, error) {
	root, err := openRoot(s)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var f *os.File
	if dir == "." {
		f, err = root.Open(dir)
	} else {
		f, err = openPlain(root, dir)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := f.ReadDir(maxListed)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return list, err
}
