package code_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"helve"
	"helve/parts/code"
)

// A workspace that knows its code.
func ExamplePart() {
	home, err := os.MkdirTemp("", "helve-example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(home)
	ws, err := helve.Open(context.Background(), helve.Options{
		Dirs:    []string{home},
		Environ: []string{"HOME=" + filepath.Join(home, "home")}, // a program leaves this away
		Parts:   []helve.Part{code.Part()},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer ws.Close()
	for _, name := range []string{"find", "impact", "rename_symbol"} {
		fmt.Println(name, ws.Kit().View().Has(name))
	}
	// Output:
	// find true
	// impact true
	// rename_symbol true
}
