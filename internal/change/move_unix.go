//go:build unix

package change

import "golang.org/x/sys/unix"

// renameSlowly is a rename to a free name without the help of the system: a file takes its new name by a link, which
// fails if the name is taken; anything else is looked for before.
func renameSlowly(from, to spot) error {
	what, err := from.look()
	if err != nil {
		return err
	}
	if what.Type != Dir && link(from, to) == nil {
		return from.unlink()
	}
	there, err := to.look()
	switch {
	case err != nil:
		return err
	case there.Type != None:
		return exists(to.name)
	}
	return replace(from, to)
}

// replace is a rename over whatever stands at the new name.
func replace(from, to spot) error {
	err := unix.Renameat(from.in.fd, from.name, to.in.fd, to.name)
	return named("rename", to.name, err)
}

// link gives a file another name.
func link(from, to spot) error {
	err := unix.Linkat(from.in.fd, from.name, to.in.fd, to.name, 0)
	return named("link", to.name, err)
}
