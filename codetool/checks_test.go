package codetool_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"helve/codetool"
)

// halve leaves the test a part of one processor: busy loops have the rest until it ends.
func halve(t *testing.T) {
	t.Helper()
	was := runtime.GOMAXPROCS(1)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	const loops = 4
	for range loops {
		go func() {
			for ctx.Err() == nil {
			}
			done <- struct{}{}
		}()
	}
	t.Cleanup(func() {
		stop()
		for range loops {
			<-done
		}
		runtime.GOMAXPROCS(was)
	})
}

// usedOften is a tree in which hundreds of files call one function.
func usedOften() map[string]string {
	files := map[string]string{"go.mod": "module example.com\n", "lib/lib.go": "package lib\n\nfunc Used() {}\n"}
	var calls strings.Builder
	for i := range 200 {
		fmt.Fprintf(&calls, "func f%d() { lib.Used(); f%d() }\n", i, i)
	}
	for i := range 300 {
		files[fmt.Sprintf("p%d/p.go", i)] = "package p\n\nimport \"example.com/lib\"\n\n" + calls.String()
	}
	return files
}

func TestABusyMachineChangesNoAnswer(t *testing.T) {
	if testing.Short() {
		return // under the race detector all takes ten times as long, and the last bound is one of time
	}
	edit := func(t *testing.T) ([]string, string) {
		h := open(t, usedOften(), codetool.Options{})
		h.call("find_symbol", `{"name":"Used"}`)
		check := h.index.Broken(t.Context(), "lib/lib.go")
		if err := os.WriteFile(filepath.Join(h.dir, "lib", "lib.go"), []byte("package lib\n\nfunc Other() {}\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return check(t.Context())
	}
	want, why := edit(t)
	if len(want) == 0 || why != "" {
		t.Fatalf("broken %q, not checked: %q", want, why)
	}
	halve(t)
	if got, why := edit(t); !slices.Equal(got, want) || why != "" {
		t.Errorf("beside busy loops: broken %q, not checked: %q; want %q", got, why, want)
	}
}

func TestAnIndexThatIsFarBehindSaysSo(t *testing.T) {
	h := open(t, usedOften(), codetool.Options{})
	h.call("find_symbol", `{"name":"Used"}`)
	for i := range 100 {
		write(t, h.dir, map[string]string{fmt.Sprintf("p%d/q.go", i): "package p\n"})
	}
	check := h.index.Broken(t.Context(), "lib/lib.go")
	if broke, why := check(t.Context()); len(broke) > 0 || !strings.Contains(why, "more than 64 files") {
		t.Errorf("broken %q, not checked: %q; want why", broke, why)
	}
}
