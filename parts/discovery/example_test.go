package discovery_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"helve"
	"helve/parts/discovery"
)

// A workspace whose further tools a command prints. Connect runs it.
func ExamplePart() {
	home, err := os.MkdirTemp("", "helve-example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(home)
	ws, err := helve.Open(context.Background(), helve.Options{
		Dirs:    []string{home},
		Environ: []string{"HOME=" + filepath.Join(home, "home")}, // a program leaves this away
		Config:  []byte(`{"discovery": {"command": "node", "call": "node call.js"}}`),
		Parts:   []helve.Part{discovery.Part()},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer ws.Close()
	fmt.Println(len(ws.Findings()))
	// Output: 0
}
