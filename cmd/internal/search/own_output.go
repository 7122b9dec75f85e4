package search

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// ownOutput tells of a path below dir that it is the file that this program prints to; nil if there is none. A search
// that found its own output would find it again for as long as the disk has room: helve grep x > found.txt.
func ownOutput(stdout io.Writer, dir string) func(path string) bool {
	f, ok := stdout.(*os.File)
	if !ok {
		return nil
	}
	out, err := f.Stat()
	if err != nil || !out.Mode().IsRegular() {
		return nil
	}
	// Linux knows the file's name, so that only one name has to be compared instead of one file for each that is
	// read.
	if name, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd())); err == nil {
		own, err := filepath.Rel(dir, name)
		if err != nil || !filepath.IsLocal(own) {
			return nil
		}
		own = filepath.ToSlash(own)
		return func(path string) bool { return path == own }
	}
	return func(path string) bool {
		st, err := os.Stat(filepath.Join(dir, filepath.FromSlash(path)))
		return err == nil && os.SameFile(st, out)
	}
}
