package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"helve/server"
	"helve/tool"
)

// maxListed bounds the names of one folder that a completion looks at.
const maxListed = 10_000

// Files are the workspace's, as resources. What a session may read its policy says.
type files struct{}

var _ server.Files = files{}

// A readRules is the policy of a session.
type readRules struct{ policy tool.Policy }

// denies tells whether a rule keeps a path, or all below it, from being read.
func (r *readRules) denies(target string) bool {
	d, ok := r.policy.(interface {
		Denies(kind tool.Kind, target string) bool
	})
	return !ok || d.Denies(tool.Read, target)
}

// Read reads a regular file, and none that a link leads to: target has its links resolved already.
func (files) Read(_ context.Context, s *tool.Session, target string, max int64) ([]byte, error) {
	root, err := os.OpenRoot(s.Roots[0].Path)
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
		return nil, fmt.Errorf("%s has %d bytes, at most %d are read as a resource: page it with read", target, st.Size(), max)
	}
	return io.ReadAll(io.LimitReader(f, max))
}

var errMoved = errors.New("the file is not the one that was judged")

// openPlain opens a place in which no link takes part. It does not wait for the other end of a pipe.
func openPlain(root *os.Root, target string) (*os.File, error) {
	if !filepath.IsLocal(target) {
		return nil, fmt.Errorf("%s is outside the workspace", target)
	}
	for p := path.Clean(target); p != "."; p = path.Dir(p) {
		if st, err := root.Lstat(p); err != nil || st.Mode()&fs.ModeSymlink != 0 {
			return nil, errors.Join(errMoved, err)
		}
	}
	f, err := root.OpenFile(target, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	here, err := root.Lstat(target)
	there, err2 := f.Stat()
	if err != nil || err2 != nil || !os.SameFile(here, there) {
		f.Close()
		return nil, errMoved
	}
	return f, nil
}

// Complete lists the names of one folder. A folder ends with a slash, so that its own can be asked for next.
func (files) Complete(_ context.Context, s *tool.Session, prefix string, n int) ([]string, error) {
	dir, start := path.Split(prefix)
	may := tool.Of(s, func() *readRules { return &readRules{} })
	if !filepath.IsLocal(path.Join(dir, ".")) {
		return nil, nil
	}
	names, err := folderOf(s.Roots[0].Path, path.Join(dir, "."))
	if err != nil {
		return nil, nil // there is no such folder, or none that is ours to show
	}
	var out []string
	for _, e := range names {
		at := path.Join(dir, e.Name())
		if !strings.HasPrefix(e.Name(), start) || e.Name() == ".git" || may.denies(at) {
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

func folderOf(workspace, dir string) ([]fs.DirEntry, error) {
	root, err := os.OpenRoot(workspace)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if dir == "." {
		f, err := root.Open(dir)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return entries(f)
	}
	f, err := openPlain(root, dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return entries(f)
}

func entries(dir *os.File) ([]fs.DirEntry, error) {
	list, err := dir.ReadDir(maxListed)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return list, err
}
