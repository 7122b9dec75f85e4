package history

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"helve/internal/change"
	"helve/internal/git"
)

const (
	// maxIndex bounds git's index as it is read: that of Linux has 10 MB.
	maxIndex = 256 << 20
	// maxSmall bounds a pointer to a git directory, its configuration and a list of attributes.
	maxSmall = 1 << 20
)

// A gitStore knows which files of a root stand as git has them, so that their contents need not be kept. A nil one
// knows none.
type gitStore struct {
	dir   string // git's own directory
	clean map[change.Place]string
}

// openGit reads the index of the repository whose worktree a root is. Where git would change contents on the way into
// the worktree, its objects are not what stood there, and nil is returned; so it is without a repository.
func openGit(dir string, root int, entries map[change.Place]change.Entry) *gitStore {
	at := filepath.Join(dir, ".git")
	if text, err := readSmall(at); err == nil { // a pointer, as worktrees and submodules have it
		to, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
		if !ok {
			return nil
		}
		if at = to; !filepath.IsAbs(at) {
			at = filepath.Join(dir, at)
		}
	}
	index := filepath.Join(at, "index")
	text, err := readFile(index, maxIndex)
	if err != nil || converts(dir, at, root, entries) {
		return nil
	}
	st, err := os.Lstat(index)
	if err != nil {
		return nil
	}
	written := st.ModTime().UnixNano()
	g := &gitStore{dir: at, clean: map[change.Place]string{}}
	err = git.Indexed(text, func(f git.IndexedFile) {
		place := change.Place{Root: root, Path: change.Name(f.Name)}
		e, there := entries[place]
		// What changed in the very moment in which the index was written looks to it as it did before.
		if there && f.Knows(e) && e.Changed < written {
			g.clean[place] = hex.EncodeToString(f.Object)
		}
	})
	if err != nil {
		return nil
	}
	return g
}

// converts tells whether git may write other bytes into the worktree than it has: by line ends, filters, encodings and
// keywords, or because its objects are of a form that is not known here.
func converts(dir, gitDir string, root int, entries map[change.Place]change.Entry) bool {
	lists := []string{filepath.Join(gitDir, "info", "attributes")}
	for at := range entries {
		if at.Root == root && path.Base(string(at.Path)) == ".gitattributes" {
			lists = append(lists, filepath.Join(dir, filepath.FromSlash(string(at.Path))))
		}
	}
	for _, name := range lists {
		text, err := readSmall(name)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil || mentions(text, "filter", "ident", "encoding", "eol", "text", "crlf") {
			return true
		}
	}
	config, err := readSmall(filepath.Join(gitDir, "config"))
	if errors.Is(err, os.ErrNotExist) { // of a linked worktree: it is the main one's
		return false
	}
	return err != nil || mentions(bytes.ToLower(config), "autocrlf", "objectformat", "attributesfile")
}

func mentions(text []byte, words ...string) bool {
	for _, w := range words {
		if bytes.Contains(text, []byte(w)) {
			return true
		}
	}
	return false
}

// readSmall reads a regular file of at most maxSmall bytes.
func readSmall(name string) ([]byte, error) { return readFile(name, maxSmall) }

// readFile reads a regular file of at most limit bytes.
func readFile(name string, limit int64) ([]byte, error) {
	st, err := os.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular(), st.Size() > limit:
		return nil, fmt.Errorf("%s is no file of at most %d bytes", name, limit)
	}
	return os.ReadFile(name)
}

// has tells whether git has the content of a file.
func (g *gitStore) has(at change.Place) bool {
	return g != nil && g.clean[at] != ""
}

// forget says that a file is not what git has any more.
func (g *gitStore) forget(at change.Place) {
	if g != nil {
		delete(g.clean, at)
	}
}

// read starts git and has use ask it for contents, one after the other.
func (g *gitStore) read(ctx context.Context, use func(ask asker)) error {
	return git.Objects(ctx, g.dir, func(ask func(object string, size int64) (io.Reader, error)) {
		use(func(at change.Place, size int64) (io.Reader, error) { return ask(g.clean[at], size) })
	})
}

// An asker gets the content of a file of that size. It is read before the next one is asked for, or skipped.
type asker func(at change.Place, size int64) (io.Reader, error)
