package codetool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"helve/codetool"
	"helve/tool"
)

// The tools answer about a folder as it is at the moment of the call. Here a model asks who uses a function.
func Example() {
	dir, err := os.MkdirTemp("", "example-*")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	os.WriteFile(filepath.Join(dir, "price.py"), []byte("def total(items):\n    return sum(items)\n"), 0o644)
	os.WriteFile(filepath.Join(dir, "shop.py"), []byte("from price import total\n\n"+
		"def checkout(cart):\n    return total(cart)\n"), 0o644)

	index, err := codetool.Open(codetool.Options{Dir: dir})
	if err != nil {
		log.Fatal(err)
	}
	defer index.Close()
	var registry tool.Registry
	for _, t := range codetool.All(index) {
		if err := registry.Add(t); err != nil {
			log.Fatal(err)
		}
	}
	kit := registry.Kit(tool.KitOptions{})

	call := &tool.Call{Name: "get_dependents", Args: json.RawMessage(`{"name": "total"}`), Dir: dir}
	result, err := kit.Call(context.Background(), call)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Text())
	// Output:
	// of price.py#total:1-2 function
	// shop.py#checkout:3-4 function, call at 4, import-resolved
}
