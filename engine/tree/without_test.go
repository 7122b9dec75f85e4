package tree

import (
	"strings"
	"testing"
)

func TestFilesCanBeLeftOutByPath(t *testing.T) {
	f, err := NewFilter(FilterSpec{Without: func(p string) bool { return strings.HasSuffix(p, ".env") || p == "a/b" }})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{"x": true, "a/.env": false, ".env": false, "a/b": false, "a/b/c": true, "b": true} {
		if got := f.Match(path); got != want {
			t.Errorf("%s is shown: %v, want %v", path, got, want)
		}
	}
}
