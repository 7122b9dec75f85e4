package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

const fread = 1 // of sys/fcntl.h: the queue of what was typed

func flush(f *os.File) { unix.IoctlSetPointerInt(int(f.Fd()), unix.TIOCFLUSH, fread) }
