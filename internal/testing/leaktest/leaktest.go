// Package leaktest looks for goroutines that tests left behind, as goleak does, and gives those
// that are just ending their time: on a machine that is busy that is more than goleak's half a
// second.
package leaktest

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// patience is how long a goroutine that ends may take for it.
const patience = 30 * time.Second

// Find is the goroutines that are left, nil if all have ended.
func Find(o ...goleak.Option) error {
	err := goleak.Find(o...)
	for end := time.Now().Add(patience); err != nil && time.Now().Before(end); err = goleak.Find(o...) {
	}
	return err
}

// Main runs the tests of a package, fails if they leave goroutines behind, and ends the program.
func Main(m *testing.M) {
	code := m.Run()
	if code == 0 {
		if err := Find(); err != nil {
			fmt.Fprintf(os.Stderr, "the tests passed, and left goroutines: %v\n", err)
			code = 1
		}
	}
	os.Exit(code)
}
