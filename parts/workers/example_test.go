package workers_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"helve"
	"helve/parts/workers"
	"helve/tool"
)

// A workspace whose tools others work for: here nobody, and each tool stays as it is.
func ExamplePart() {
	home, err := os.MkdirTemp("", "helve-example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(home)
	ws, err := helve.Open(context.Background(), helve.Options{
		Dirs:    []string{home},
		Environ: []string{"HOME=" + filepath.Join(home, "home")}, // a program leaves this away
		Parts: []helve.Part{workers.Part(workers.Options{
			Relocate: func(dir string, tools []tool.Tool) ([]tool.Tool, error) {
				fmt.Println(len(tools) > 10)
				return tools, nil
			},
		})},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer ws.Close()
	// Output: true
}
