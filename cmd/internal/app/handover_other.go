//go:build !unix

package app

// replacing is nil: a process cannot become another program here.
func replacing() func(path string, argv, environ []string) error { return nil }
