package code_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"strings"

	"helve/engine/code"
)

// A folder is a tree of files in memory. Package codetool has one of files on disk.
type folder map[string]string

func (f folder) Files(context.Context) (code.Listing, error) {
	var l code.Listing
	for path, text := range f {
		l.Files = append(l.Files, code.Entry{Path: path, Size: int64(len(text)), ModTime: 1})
	}
	return l, nil
}

func (f folder) Open(path string) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader(f[path])), nil
}

// Who calls a function, and whom it calls.
func Example() {
	index := code.New(folder{"greet.go": `package greet

func Greet(name string) string { return greeting() + name }

func greeting() string { return "Hello, " }
`}, code.Options{})
	defer index.Close()
	s, err := index.Snapshot(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	found, err := s.Find(context.Background(), "Greet", code.Page{})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range found.Matches {
		fmt.Println(m.Path, m.Line, m.Signature)
	}
	calls, err := s.Dependencies(context.Background(), "Greet", code.Page{})
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range calls.Edges {
		fmt.Println("it calls", e.Name)
	}
	// Output:
	// greet.go 3 func Greet(name string) string
	// it calls greeting
}
