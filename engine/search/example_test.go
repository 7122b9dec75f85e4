package search_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"helve/engine/search"
	"helve/engine/tree"
)

// A search is a query and a function that is called for every file with a match. Lines in it are in order; files are
// as the query's Sort says.
func Example() {
	root, err := os.MkdirTemp("", "example-*")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(root)
	os.WriteFile(filepath.Join(root, "main.go"), []byte("package main\n\nfunc main() { open() }\n"), 0o644)
	os.WriteFile(filepath.Join(root, "file.go"), []byte("package main\n\n// Opens a file.\nfunc open() {}\n"), 0o644)

	t, err := tree.At(root, tree.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer t.Close()
	query := search.Query{
		Patterns:  []string{`open`},
		SmartCase: true, // the pattern is in lower case: so is any case
		Types:     []string{"go"},
		Sort:      search.ByPath,
	}
	sum, err := search.New(t).Grep(context.Background(), query, func(f *search.File) error {
		for _, l := range f.Lines {
			fmt.Printf("%s:%d: %s\n", f.Path, l.Number, l.Text)
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sum.Lines, "lines in", sum.Files, "files")
	// Output:
	// file.go:3: // Opens a file.
	// file.go:4: func open() {}
	// main.go:3: func main() { open() }
	// 3 lines in 2 files
}

// Glob finds files by name. A pattern without a slash matches in every directory.
func ExampleEngine_Glob() {
	root, err := os.MkdirTemp("", "example-*")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(root)
	for _, name := range []string{"a.go", "b.txt", "deep/c.go"} {
		path := filepath.Join(root, name)
		os.MkdirAll(filepath.Dir(path), 0o755)
		os.WriteFile(path, nil, 0o644)
	}
	t, err := tree.At(root, tree.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer t.Close()
	found, _, err := search.New(t).Glob(context.Background(), search.GlobQuery{Pattern: "*.go", Sort: search.ByPath})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range found {
		fmt.Println(f.Path)
	}
	// Output:
	// a.go
	// deep/c.go
}
