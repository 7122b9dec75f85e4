package sandbox

import (
	"errors"
	"os"
)

// A View is the roots of a layer as its commands see them, for this process: what is read through it is what they
// changed and the roots below, and what is written goes to the layer.
//
// While one is open no command may run that changes the layer, and no second view may be opened.
type View struct {
	dirs map[string]*os.File // by the root: the layer that lies over it, or what the one over an outer root has there
}

// Dir is the path by which this process opens a root, good until Close. A link to it must not be resolved: it says
// nothing. "": the layer does not lie over this root, which is one that nothing can be written to.
func (v *View) Dir(root string) string {
	if f := v.dirs[root]; f != nil {
		return descriptorPath(f)
	}
	return ""
}

// Close gives the view back. Whoever opened directories or files through it closes them before.
func (v *View) Close() error {
	var errs []error
	for _, f := range v.dirs {
		errs = append(errs, f.Close())
	}
	v.dirs = nil
	return errors.Join(errs...)
}
