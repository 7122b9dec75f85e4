package replay

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

const (
	// maxEntries and maxBytes bound what is copied: a larger workspace would be waited for too long.
	maxEntries = 200_000
	maxBytes   = 2 << 30
)

// copyTree copies a folder with its files, links and times. What is neither, such as a pipe, is left out, and so is
// what goes away meanwhile.
func copyTree(ctx context.Context, from, to string) error {
	var b bound
	own, err := os.Stat(filepath.Dir(to)) // where the folder for temporary files lies in the workspace
	if err != nil {
		return err
	}
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil && path == from {
			return err
		}
		if err != nil || ctx.Err() != nil {
			return ctx.Err()
		}
		info, err := e.Info()
		switch {
		case err != nil:
			return nil
		case os.SameFile(info, own):
			return fs.SkipDir
		}
		if err := b.count(info); err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		return copyEntry(path, filepath.Join(to, rel), info)
	})
}

// A bound counts what is copied.
type bound struct {
	entries int
	size    int64
}

func (b *bound) count(info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		b.size += info.Size()
	}
	if b.entries++; b.entries > maxEntries || b.size > maxBytes {
		return fmt.Errorf("the workspace is not copied: it has more than %d files or %d bytes", maxEntries, maxBytes)
	}
	return nil
}

func copyEntry(from, to string, info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case mode.IsDir(): // one that may not be written to could not be filled
		return os.MkdirAll(to, mode.Perm()|0o700)
	case mode&fs.ModeSymlink != 0:
		target, err := os.Readlink(from)
		if err != nil {
			return nil
		}
		return os.Symlink(target, to)
	case mode.IsRegular():
		return copyFile(from, to, info)
	}
	return nil
}

func copyFile(from, to string, info fs.FileInfo) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return nil // whoever may not read it sees no difference either
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, io.LimitReader(in, maxBytes))
	if closed := out.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Chtimes(to, info.ModTime(), info.ModTime())
	}
	return err
}
