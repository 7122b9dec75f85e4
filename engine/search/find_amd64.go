//go:build amd64 && !purego

package search

import "golang.org/x/sys/cpu"

// vectors reports whether pairScan and groupScan may be called: they need AVX2, as nine of ten processors of the last
// ten years have. Build with the tag purego to leave them out.
func vectors() bool { return cpu.X86.HasAVX2 }

// pairScan returns the first position below n where both bytes of p are, or -1. n is at least 32, and at b there are n
// bytes and the larger offset more.
//
//go:noescape
func pairScan(b *byte, n int, p *pair) int

// groupScan returns the first position below n where a needle of g may begin, or -1, under the same conditions.
//
//go:noescape
func groupScan(b *byte, n int, gr *group) int
