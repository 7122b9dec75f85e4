package exec

import (
	"errors"
	"os"
)

// forwarded are the signals that reach the command instead of this process.
var forwarded = []os.Signal{os.Interrupt}

func survivePipes()           {}
func signalNumber(string) int { return 0 }
func keepFolderFD(int)        {}

func tellFolder(int, string) error { return errors.New("exec: --cwd-fd does not work on Windows") }
