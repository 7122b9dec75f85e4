//go:build !linux || portable

package fsroot

import "os"

// reserve does nothing where nothing is gained.
func reserve(*os.File, int64) error { return nil }
