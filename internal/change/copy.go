package change

import (
	"fmt"
	"io"
	"os"

	"helve/internal/fsroot"
)

// copyEntry copies what stands at a spot, whole directories too, with what belongs to it, to a spot that is free.
func copyEntry(from, to spot, depth int) error {
	e, err := from.look()
	if err != nil {
		return err
	}
	switch e.Type {
	case File:
		err = copyFile(from, to, e.Size)
	case Dir:
		err = copyDir(from, to, depth)
	case Link:
		err = to.in.symlink(string(e.Target), to.name)
	default:
		err = fmt.Errorf("%s: %s cannot be copied", quoted(Name(from.name)), e.Type)
	}
	if err != nil {
		return err
	}
	return to.dress(e)
}

// copyFile copies a file by its content. Attributes that are an access list come along; mode and times are set by the
// caller, last, because writing changes them.
func copyFile(from, to spot, size int64) error {
	in, err := from.in.open(from.name)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := to.in.create(to.name)
	if err != nil {
		return err
	}
	defer out.Close()
	if err := copySparse(out, in, size); err != nil {
		return err
	}
	if err := fsroot.KeepAttrs(out, in); err != nil {
		return err
	}
	return out.Close()
}

// copyDir copies a directory. Both are held open, so that nothing that is put in their place is copied or written to.
func copyDir(from, to spot, depth int) error {
	if depth >= maxDepth {
		return errDeep
	}
	if err := to.in.mkdir(to.name); err != nil {
		return err
	}
	in, err := from.in.enter(from.name)
	if err != nil {
		return err
	}
	defer in.close()
	out, err := to.in.enter(to.name)
	if err != nil {
		return err
	}
	defer out.close()
	names, more, err := in.names(MaxEntries)
	if err != nil {
		return err
	}
	if more {
		return errMany
	}
	for _, name := range names {
		if err := copyEntry(spot{in, name}, spot{out, name}, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// copyPlain copies the rest of a file.
func copyPlain(out, in *os.File) error {
	_, err := io.Copy(out, in)
	return err
}
