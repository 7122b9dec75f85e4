package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

func flush(f *os.File) { unix.IoctlSetInt(int(f.Fd()), unix.TCFLSH, unix.TCIFLUSH) }
