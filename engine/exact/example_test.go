package exact_test

import (
	"fmt"
	"log"
	"os"

	"helve/engine/code"
	"helve/engine/exact"
	"helve/engine/sandbox"
)

// A checker is given to an index, which asks it where names alone do not say what a reference means. A program that has
// one calls sandbox.Init first in main.
func Example() {
	sandbox.Init()

	dir, err := os.MkdirTemp("", "example-*")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	checker := exact.New(exact.Options{Dir: dir, Environ: []string{"PATH=" + dir}}) // where no server is
	defer checker.Close()
	fmt.Println("Go is checked:", checker.Checks(code.Go))
	// Output:
	// Go is checked: false
}
