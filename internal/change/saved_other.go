//go:build !linux

package change

import (
	"context"
	"errors"
	"os"
)

// covers finds nothing: there are no overlays.
func (h *hiding) covers(*dir, Name) error { return nil }

func keepUserAttrs(_, _ *os.File, _ bool) error { return nil }

// CopyLayer needs Linux.
func (t *Transaction) CopyLayer(Name, string) error { return errors.ErrUnsupported }

// Now needs Linux.
func (t *Transaction) Now() (int64, error) { return 0, errors.ErrUnsupported }

// PutMarksBack needs Linux.
func (t *Transaction) PutMarksBack() error { return errors.ErrUnsupported }

// CopyUpper needs Linux.
func CopyUpper(context.Context, string, string) error { return errors.ErrUnsupported }

func (d *dir) whiteout(string) error { return errors.ErrUnsupported }

// Opaque is false: there are no overlays.
func (t *Tree) Opaque(Name) (bool, error) { return false, nil }
