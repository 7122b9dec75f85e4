//go:build unix

package app

import "syscall"

// replacing is how a program takes the place of this one: the process, its terminal and its parent stay.
func replacing() func(path string, argv, environ []string) error { return syscall.Exec }
