package change

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
)

// overlayAttr begins the attributes that an overlay in a user namespace leaves on its upper layer
// (fs/overlayfs/overlayfs.h).
const overlayAttr = "user.overlay."

// maxAttrs bounds the names of an entry's attributes: Linux has 64 KiB of them.
const maxAttrs = 64 << 10

// clean removes the overlay's own attributes from what will be moved to a place, and whiteouts that stand for nothing
// there. Where that gives a file in a directory a new time of change, the old one is remembered. from is the entry's
// path in the transaction's folder.
func (r *layerReader) clean(top spot, at Place, from Name, e Entry) error {
	if err := r.marks.attributes(top, e, from); err != nil {
		return err
	}
	if _, err := top.clean(e); e.Type != Dir || err != nil {
		return err
	}
	sub, err := top.in.enter(top.name)
	if err != nil {
		return err
	}
	defer sub.close()
	w := &walk{before: func(parent *dir, path Name, e Entry) error {
		s, below := spot{parent, base(path)}, in(from, string(path))
		if e.isWhiteout() {
			r.marks.whiteout(below)
			return s.unlink()
		}
		if err := r.marks.attributes(s, e, below); err != nil {
			return err
		}
		return r.cleanInside(s, at.Child(string(path)), e)
	}}
	return w.run(sub, ".", 0)
}

// cleanInside cleans one entry of a directory.
func (r *layerReader) cleanInside(s spot, at Place, e Entry) error {
	cleaned, err := s.clean(e)
	if e.Type != File || err != nil {
		return err
	}
	if changed, known := r.hidden.changed(at.Path); known {
		r.touch(at, changed)
	} else if cleaned {
		r.touch(at, e.Changed)
	}
	return nil
}

// clean removes the overlay's own attributes from an entry, and tells whether it had any. Only files and directories
// can.
func (s spot) clean(e Entry) (cleaned bool, err error) {
	if e.Type != File && e.Type != Dir {
		return false, nil
	}
	path := s.path()
	list, err := listAttributes(path)
	if err != nil {
		return false, named("list attributes", s.name, err)
	}
	for _, attr := range list {
		if !strings.HasPrefix(attr, overlayAttr) {
			continue
		}
		// Attributes of the user's go with the right to write, also for an owner.
		err := s.owned(e, func() error { return unix.Lremovexattr(path, attr) })
		if err != nil {
			return cleaned, named("remove attribute", s.name, err)
		}
		cleaned = true
	}
	return cleaned, nil
}

// maxMark bounds the value of an overlay's attribute, in bytes: the longest holds a handle of a file of the layer below
// (fs/overlayfs/overlayfs.h, OVL_FH_MAX_SIZE).
const maxMark = 1 << 10

// attributes takes down what the overlay noted at a directory.
func (m *marks) attributes(s spot, e Entry, path Name) error {
	if m == nil || e.Type != Dir {
		return nil
	}
	at := s.path()
	list, err := listAttributes(at)
	if err != nil {
		return named("list attributes", s.name, err)
	}
	for _, attr := range list {
		if !strings.HasPrefix(attr, overlayAttr) {
			continue
		}
		value := make([]byte, maxMark)
		err := s.owned(e, func() (err error) {
			n, err := unix.Lgetxattr(at, attr, value)
			value = value[:max(n, 0)]
			return err
		})
		if err != nil {
			return named("get attribute", s.name, err)
		}
		m.all = append(m.all, mark{path, attr, value})
	}
	return nil
}

// path leads to a spot through its open directory.
func (s spot) path() string { return fmt.Sprintf("/proc/self/fd/%d/%s", s.in.fd, s.name) }

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

// copiedUp tells of a directory that the overlay copied from below: it then says where from, if only by an empty word.
func copiedUp(d *dir) (bool, error) {
	path := fmt.Sprintf("/proc/self/fd/%d", d.fd)
	_, err := unix.Getxattr(path, overlayAttr+"origin", nil)
	switch {
	case errors.Is(err, unix.ENODATA), errors.Is(err, unix.ENOTSUP):
		return false, nil
	case err != nil:
		return false, named("get attribute", overlayAttr+"origin", err)
	}
	return true, nil
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
