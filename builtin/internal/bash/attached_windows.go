package bash

import (
	"os"
	"syscall"
)

// duplicate is the same open file once more.
func duplicate(f *os.File) (*os.File, error) {
	self, err := syscall.GetCurrentProcess()
	if err != nil {
		return nil, err
	}
	var own syscall.Handle
	err = syscall.DuplicateHandle(self, syscall.Handle(f.Fd()), self, &own, 0, false, syscall.DUPLICATE_SAME_ACCESS)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(own), f.Name()), nil
}
