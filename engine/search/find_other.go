//go:build !amd64 || purego

package search

// vectors reports that there are no vector instructions: bytes.IndexByte, which has them, does the work.
func vectors() bool { return false }

func pairScan(*byte, int, *pair) int   { return -1 }
func groupScan(*byte, int, *group) int { return -1 }
