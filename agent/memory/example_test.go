package memory_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"helve/agent"
	"helve/agent/memory"
)

// An agent is told what the project says, as far as somebody trusts it.
func Example() {
	dir, err := os.MkdirTemp("", "project")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "AGENTS.md"), []byte("Run the tests with go test."), 0o600); err != nil {
		log.Fatal(err)
	}

	found, err := memory.Read(context.Background(), memory.Options{Dir: dir})
	if err != nil {
		log.Fatal(err)
	}
	trusted := found.Theirs() // of a folder of one's own; else those of a memory.Store
	used, whole := found.Using(trusted)
	ag := &agent.Agent{System: used.Text()}
	fmt.Println(len(found.Files), whole)
	fmt.Println(ag.System[len(ag.System)-27:])
	// Output:
	// 1 true
	// Run the tests with go test.
}
