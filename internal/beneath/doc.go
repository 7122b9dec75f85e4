// Package beneath opens what lies below a directory that is held open, and nothing else: whatever is put in the place
// of a directory or a file meanwhile, no symbolic link leads out of it.
//
// On Linux no link is followed at all: the kernel refuses it in the call that opens (openat2 with RESOLVE_BENEATH and
// RESOLVE_NO_SYMLINKS, since Linux 5.6), or, where that call is missing, the path is opened one name after the other.
// On other systems os.Root keeps links inside the directory, and a directory that is replaced by a link while it is
// opened is noticed.
//
// Paths are relative, with slashes, and clean: no "..", no empty name, "." for the directory itself.
package beneath

import "errors"

// ErrLink is returned where a symbolic link stands at the path or on the way to it. On Linux the cause is ELOOP.
var ErrLink = errors.New("a symbolic link stands there")
