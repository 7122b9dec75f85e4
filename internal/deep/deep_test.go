package deep_test

import (
	"testing"

	"helve/internal/deep"
)

// fall needs a stack of a few kilobytes.
//
//go:noinline
func fall(n int) int {
	var b [64]int
	if n == 0 {
		return len(b)
	}
	b[n] = n
	return fall(n-1) + b[n]
}

// BenchmarkFall compares goroutines that grow as they go with those that begin with the room.
func BenchmarkFall(b *testing.B) {
	for _, how := range []struct {
		name  string
		begin func()
	}{{"growing", func() {}}, {"room", deep.Stack}} {
		b.Run(how.name, func(b *testing.B) {
			done := make(chan int)
			for b.Loop() {
				go func() {
					how.begin()
					done <- fall(20)
				}()
				<-done
			}
		})
	}
}
