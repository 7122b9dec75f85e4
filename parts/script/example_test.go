package script_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"helve"
	"helve/parts/script"
)

// A workspace that offers run_script where the configuration says so; its main function calls interpreter.Init.
func ExamplePart() {
	home, err := os.MkdirTemp("", "helve-example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(home)
	ws, err := helve.Open(context.Background(), helve.Options{
		Dirs:    []string{home},
		Environ: []string{"HOME=" + filepath.Join(home, "home")}, // a program leaves this away
		Parts:   []helve.Part{script.Part(script.Options{})},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer ws.Close()
	fmt.Println(ws.Kit().View().Has("run_script"))
	// Output: false
}
