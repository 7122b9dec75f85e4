package terminal

import (
	"os"

	"golang.org/x/sys/windows"
)

// flush drops the keys that wait. What is no console has none, and the error says so.
func flush(f *os.File) { _ = windows.FlushConsoleInputBuffer(windows.Handle(f.Fd())) }
