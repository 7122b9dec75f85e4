//go:build unix

package main

import (
	"os"
	"syscall"
)

// signalStatus is the status of a process that a signal ended, as a shell tells it.
func signalStatus(state *os.ProcessState) int {
	status, _ := state.Sys().(syscall.WaitStatus)
	return 128 + int(status.Signal())
}
