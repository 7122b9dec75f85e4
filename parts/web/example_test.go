package web_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"helve"
	"helve/parts/web"
)

// A workspace that fetches pages, and those of a server of this machine, too.
func ExamplePart() {
	home, err := os.MkdirTemp("", "helve-example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(home)
	ws, err := helve.Open(context.Background(), helve.Options{
		Dirs:    []string{home},
		Environ: []string{"HOME=" + filepath.Join(home, "home")}, // a program leaves this away
		Config:  []byte(`{"fetch": {"allow_private": ["localhost:8080"]}}`),
		Parts:   []helve.Part{web.Part(web.Options{})},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer ws.Close()
	for _, name := range []string{"fetch"} {
		fmt.Println(name, ws.Kit().View().Has(name))
	}
	// Output:
	// fetch true
}
