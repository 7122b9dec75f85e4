//go:build unix

package change

import "golang.org/x/sys/unix"

// renameSlowly is a rename to a free name without the help of the system: a file takes its new name by a link, which
// fails if the name is taken; anything else is looked for before.
func renameSlowly(from *dir, name string, to *dir, newName string) error {
	what, err := from.look(name)
	if err != nil {
		return err
	}
	if what.Type != Dir && link(from, name, to, newName) == nil {
		return from.remove(name, false)
	}
	there, err := to.look(newName)
	switch {
	case err != nil:
		return err
	case there.Type != None:
		return exists(newName)
	}
	return replace(from, name, to, newName)
}

// replace is a rename over whatever stands at the new name.
func replace(from *dir, name string, to *dir, newName string) error {
	return named("rename", newName, unix.Renameat(from.fd, name, to.fd, newName))
}

// link gives a file another name.
func link(from *dir, name string, to *dir, newName string) error {
	return named("link", newName, unix.Linkat(from.fd, name, to.fd, newName, 0))
}
