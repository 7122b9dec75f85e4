//go:build !linux

package spawn

// killMarked finds nothing: without /proc the group is all that is known of a tree.
func killMarked(string) int { return 0 }
