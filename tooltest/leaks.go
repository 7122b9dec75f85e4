package tooltest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"helve/internal/testing/leaktest"
)

// endTime is how long a job with a done context may take to come back, and what it started to be gone: long, for a
// machine may be busy.
const endTime = 30 * time.Second

func checkLeaks(t *testing.T, before goleak.Option) {
	t.Helper()
	err := leaktest.Find(before)
	if err != nil {
		t.Errorf("goroutines are left: %v", err)
	}
}

// left is how many processes there are more than before; those that are just ending get a moment, as goroutines do.
func left(before int) int {
	end := time.Now().Add(endTime)
	n := processes() - before
	for n > 0 && time.Now().Before(end) {
		time.Sleep(10 * time.Millisecond)
		n = processes() - before
	}
	return n
}

// processes counts the children of this process, where the system tells; -1 elsewhere.
func processes() int {
	lists, _ := filepath.Glob("/proc/self/task/*/children") // the pattern is valid
	if len(lists) == 0 {
		return -1
	}
	n := 0
	for _, l := range lists {
		b, _ := os.ReadFile(l) // a thread that has ended meanwhile has no children
		n += len(strings.Fields(string(b)))
	}
	return n
}

// quick fails t and ends it when f takes longer than endTime; f is then left behind.
func quick(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(endTime):
		t.Fatalf("%s did not come back within %v", what, endTime)
	}
}
