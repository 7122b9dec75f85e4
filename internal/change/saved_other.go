//go:build !linux

package change

import (
	"errors"
	"os"
)

// covers finds nothing: there are no overlays.
func (h *hiding) covers(*dir, Name) error { return nil }

func keepUserAttrs(_, _ *os.File) error { return nil }

// CopyLayer needs Linux.
func (t *Transaction) CopyLayer(Name, string) error { return errors.ErrUnsupported }

// Now needs Linux.
func (t *Transaction) Now() (int64, error) { return 0, errors.ErrUnsupported }

// PutMarksBack needs Linux.
func (t *Transaction) PutMarksBack() error { return errors.ErrUnsupported }
