//go:build !windows

package job

// A Job is nothing here: it lets what is written for all systems name the type.
type Job struct{}
