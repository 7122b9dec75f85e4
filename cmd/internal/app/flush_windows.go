package app

import (
	"os"

	"golang.org/x/sys/windows"
)

func flush(f *os.File) { _ = windows.FlushConsoleInputBuffer(windows.Handle(f.Fd())) } // what is no console has no keys either
