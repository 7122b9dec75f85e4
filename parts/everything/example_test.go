package everything_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"helve"
	"helve/parts/everything"
	"helve/parts/web"
)

// A workspace with all that the program helve has; what has options of its own is named once more.
func ExampleParts() {
	home, err := os.MkdirTemp("", "helve-example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(home)
	ws, err := helve.Open(context.Background(), helve.Options{
		Dirs:    []string{home},
		Environ: []string{"HOME=" + filepath.Join(home, "home")}, // a program leaves this away
		Parts:   append(everything.Parts(), web.Part(web.Options{})),
	})
	if err != nil {
		log.Fatal(err)
	}
	defer ws.Close()
	for _, name := range []string{"read", "find", "fetch"} {
		fmt.Println(name, ws.Kit().View().Has(name))
	}
	// Output:
	// read true
	// find true
	// fetch true
}
