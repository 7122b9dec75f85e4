package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
)

// Keys lists the keys that a configuration may have at its top, sorted.
func Keys() []string {
	out := slices.DeleteFunc(keys(reflect.TypeFor[Values]()), func(key string) bool {
		return key == "$schema" // for editors, which write it themselves
	})
	slices.Sort(out)
	return out
}

// Value is what a file has for a key, as JSON. A key that is not there is an error.
func Value(file, key string) (json.RawMessage, error) {
	text, err := readFile(file)
	if err != nil {
		return nil, err
	}
	root, err := new(places).parse(text, Place{File: file})
	if err != nil {
		return nil, err
	}
	n := root.Path(SplitKey(key)...)
	if n == nil {
		return nil, fmt.Errorf("config: %s is not set in %s", key, file)
	}
	return n.AppendCompact(nil), nil
}
