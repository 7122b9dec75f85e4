//go:build !windows

package journal

import (
	"io/fs"
	"os"
)

// open opens a file, which others may rename meanwhile.
func open(path string, flag int, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(path, flag, mode)
}

func rename(from, to string) error { return os.Rename(from, to) }
