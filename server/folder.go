package server

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
}

var _ Files = Folder{}

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
