//go:build !linux || portable

package tree

import "errors"

// notifier is not there: a resident tree compares the files' times before every answer.
type notifier struct{}

type happening struct {
	watch                             int32
	name                              string
	dir, entry, lost, selfGone, ended bool
}

func newNotifier() (*notifier, error) { return nil, errors.ErrUnsupported }

func (n *notifier) close()                    {}
func (n *notifier) add(string) (int32, error) { return 0, errors.ErrUnsupported }
func (n *notifier) remove(int32)              {}
func (n *notifier) wait() error               { return errors.ErrUnsupported }
func (n *notifier) read(func(happening))      {}
func full(error) bool                         { return true }

func (*notifier) addNames(string) error { return errors.ErrUnsupported }

// mountTable is used where a notifier is.
type mountTable struct{}

func openMountTable() (*mountTable, error) { return nil, errors.ErrUnsupported }
func (*mountTable) changed() bool          { return true }
func (*mountTable) close()                 {}
