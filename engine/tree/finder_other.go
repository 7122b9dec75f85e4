//go:build !linux || portable

package tree

import "errors"

// timesTell is false: the portable calls tell too little of a directory.
func (h dirHandle) timesTell() (device uint64, ok bool) { return 0, false }

func (h dirHandle) peek(string) (st Stat, device uint64, err error) {
	return Stat{}, 0, errors.ErrUnsupported
}
