package change

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
)

// overlayAttr begins the attributes that an overlay in a user namespace leaves on its upper layer (fs/overlayfs/overlayfs.h).
const overlayAttr = "user.overlay."

// maxAttrs bounds the names of an entry's attributes: Linux has 64 KiB of them.
const maxAttrs = 64 << 10

// cleanLayer removes the overlay's own attributes from what will be moved into a root, and whiteouts that stand for
// nothing there.
func cleanLayer(at *dir, name string, e Entry) error {
	if e.Type != Dir {
		return spot{at, name}.clean(e)
	}
	if err := (spot{at, name}).clean(e); err != nil {
		return err
	}
	sub, err := at.enter(name)
	if err != nil {
		return err
	}
	defer sub.close()
	w := &walk{before: func(in *dir, path Name, e Entry) error {
		s := spot{in, base(path)}
		if e.isWhiteout() {
			return s.unlink()
		}
		return s.clean(e)
	}}
	return w.run(sub, ".", 0)
}

// clean removes the overlay's own attributes from an entry. Only files and directories can have any.
func (s spot) clean(e Entry) error {
	if e.Type != File && e.Type != Dir {
		return nil
	}
	path := fmt.Sprintf("/proc/self/fd/%d/%s", s.in.fd, s.name)
	list, err := listAttributes(path)
	if err != nil {
		return named("list attributes", s.name, err)
	}
	for _, attr := range list {
		if !strings.HasPrefix(attr, overlayAttr) {
			continue
		}
		err := unix.Lremovexattr(path, attr)
		if errors.Is(err, unix.EACCES) { // attributes of the user's go with the right to write, also for an owner
			err = s.removeFrom(e, path, attr)
		}
		if err != nil {
			return named("remove attribute", s.name, err)
		}
	}
	return nil
}

// removeFrom removes an attribute of an entry that its owner may not write to, which has another mode for that moment.
func (s spot) removeFrom(e Entry, path, attr string) error {
	if err := s.in.chmod(s.name, e.Mode|ownerAll); err != nil {
		return err
	}
	return errors.Join(
		unix.Lremovexattr(path, attr),
		s.in.chmod(s.name, e.Mode),
	)
}

// listAttributes lists the names of an entry's attributes.
func listAttributes(path string) ([]string, error) {
	var few [512]byte // most entries have none or one
	n, err := unix.Llistxattr(path, few[:])
	buf := few[:]
	if errors.Is(err, unix.ERANGE) {
		buf = make([]byte, maxAttrs)
		n, err = unix.Llistxattr(path, buf)
	}
	switch {
	case errors.Is(err, unix.ENOTSUP), n == 0 && err == nil:
		return nil, nil
	case err != nil:
		return nil, err
	}
	return strings.Split(strings.TrimRight(string(buf[:n]), "\x00"), "\x00"), nil
}

// opaque reports a directory of the layer that hides the one below it.
func opaque(d *dir) (bool, error) {
	path := fmt.Sprintf("/proc/self/fd/%d", d.fd)
	value := make([]byte, 16) // "y", or "x" for a directory with whiteouts of another form
	n, err := unix.Getxattr(path, overlayAttr+"opaque", value)
	switch {
	case errors.Is(err, unix.ENODATA), errors.Is(err, unix.ENOTSUP):
		return false, nil
	case err != nil:
		return false, named("get attribute", overlayAttr+"opaque", err)
	}
	return string(value[:n]) == "y", nil
}
