//go:build !linux

package proc

// ExitRefused is the exit status of a supervisor that could not start the command.
const ExitRefused = 125
