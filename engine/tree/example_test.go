package tree_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"helve/engine/tree"
)

// A tree answers with the files that a person would call the project: what ignore rules hide and what begins with a
// dot is left out.
func Example() {
	root, err := os.MkdirTemp("", "example-*")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(root)
	for name, text := range map[string]string{
		".ignore":       "*.log\n/build/\n",
		"main.go":       "package main\n",
		"doc/guide.md":  "# Guide\n",
		"build/main.o":  "",
		"errors.log":    "",
		".editorconfig": "",
	} {
		path := filepath.Join(root, name)
		os.MkdirAll(filepath.Dir(path), 0o755)
		os.WriteFile(path, []byte(text), 0o644)
	}

	t, err := tree.At(root, tree.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer t.Close()
	now, err := t.Snapshot(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range now.Table().Files {
		fmt.Println(f.Path, f.Stat.Size)
	}
	// Output:
	// doc/guide.md 8
	// main.go 13
}
