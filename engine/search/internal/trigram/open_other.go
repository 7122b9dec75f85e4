//go:build !windows

package trigram

import "os"

// openShared opens a file that others may delete meanwhile.
func openShared(path string) (*os.File, error) { return os.Open(path) }
