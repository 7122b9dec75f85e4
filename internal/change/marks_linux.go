package change

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// PutMarksBack puts back into a layer that was read what reading it took out: an overlay with it shows what it showed
// before. Nothing that was read is made any more.
func (t *Transaction) PutMarksBack() error {
	if t.marks == nil {
		return errors.New("change: what an overlay had noted was not remembered")
	}
	for _, m := range slices.Backward(t.marks.all) {
		if err := t.putBack(m); err != nil {
			return fmt.Errorf("change: put back what an overlay had noted: %s: %w", quoted(m.path), err)
		}
	}
	t.marks.all = nil
	return nil
}

// putBack puts one mark back. Directories on the way are entered one by one, so that no link is followed.
func (t *Transaction) putBack(m mark) error {
	at := t.home
	for up := range strings.SplitSeq(string(Place{Path: m.path}.Parent().Path), "/") {
		sub, err := at.enter(up)
		if err != nil {
			return err
		}
		defer sub.close()
		at = sub
	}
	s := spot{at, base(m.path)}
	if m.attr == "" {
		return unix.Mknodat(at.fd, s.name, unix.S_IFCHR, 0)
	}
	e, err := s.look()
	if err != nil {
		return err
	}
	return s.owned(e, func() error { return unix.Lsetxattr(s.path(), m.attr, m.value, 0) })
}
