package config

import (
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
