//go:build !windows

package proc

// places are the folders besides PATH in which a program is looked for: there are none.
func places(string, []string) []string { return nil }

// foreign tells that a folder's program of this name is for another system: none is.
func foreign(string, string, []string) bool { return false }
