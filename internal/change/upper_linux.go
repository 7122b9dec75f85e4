package change

import (
	"context"
	"fmt"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// CopyUpper copies an overlay's upper layer, over which nothing lies, to a path where nothing stands: an overlay over the
// same root shows the same with either, and no file of one is a file of the other. What the overlay noted in it is
// copied with it. Where it fails, what it made is left to the caller.
func CopyUpper(ctx context.Context, to, from string) error {
	source, err := openDir(filepath.Dir(from))
	if err != nil {
		return err
	}
	defer source.close()
	target, err := openDir(filepath.Dir(to))
	if err != nil {
		return err
	}
	defer target.close()
	name := filepath.Base(to)
	c := copier{base: target, seen: map[ID]Name{}, whole: true, ctx: ctx}
	if err := c.entry(spot{source, filepath.Base(from)}, spot{target, name}, Name(name), 0); err != nil {
		return fmt.Errorf("change: copy a layer: %w", err)
	}
	return nil
}

// whiteout notes at a name that nothing is there any more, as an overlay does. The kernel lets everybody.
func (d *dir) whiteout(name string) error {
	return named("note as gone", name, unix.Mknodat(d.fd, name, unix.S_IFCHR, 0))
}

// Opaque tells of a directory of an overlay's upper layer that nothing below it shows through.
func (t *Tree) Opaque(path Name) (bool, error) {
	d, err := t.dirs.dir(Place{Path: path})
	if err != nil {
		return false, err
	}
	return opaque(d)
}
