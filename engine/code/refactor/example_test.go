package refactor_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"strings"

	"helve/engine/code"
	"helve/engine/code/refactor"
)

// A folder is a tree of files in memory.
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

// A function gets another name, and so do the calls of it.
func Example() {
	index := code.New(folder{"greet.py": "def greet(name):\n    return 'Hello, ' + name\n\nprint(greet('you'))\n"}, code.Options{})
	defer index.Close()
	s, err := index.Snapshot(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	changes, err := refactor.Rename(context.Background(), s, "greet", "welcome")
	if err != nil {
		log.Fatal(err)
	}
	for i := range changes.Files {
		fmt.Printf("%s", changes.Files[i].After())
	}
	// Output:
	// def welcome(name):
	//     return 'Hello, ' + name
	//
	// print(welcome('you'))
}
