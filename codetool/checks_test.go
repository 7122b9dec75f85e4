package codetool_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

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

// lostUse edits the tree of usedOften so that a function is gone that all of it uses, and is what is said of that. A
// look has the time of ceiling.
func lostUse(t *testing.T, ceiling time.Duration) (broke []string, unchecked string) {
	t.Helper()
	h := open(t, usedOften(), codetool.Options{})
	h.index.SetCeiling(ceiling)
	h.call("find_symbol", `{"name":"Used"}`)
	check := h.index.Broken(t.Context(), "lib/lib.go")
	write(t, h.dir, map[string]string{"lib/lib.go": "package lib\n\nfunc Other() {}\n"})
	return check(t.Context())
}

// What bounds a look is its work, which is the same on every machine. The ceiling of time is out of the way here: how
// long the busy loops leave the test without a processor says nothing of it.
func TestABusyMachineChangesNoAnswer(t *testing.T) {
	want, why := lostUse(t, time.Hour)
	if len(want) == 0 || why != "" {
		t.Fatalf("broken %q, not checked: %q", want, why)
	}
	halve(t)
	if got, why := lostUse(t, time.Hour); !slices.Equal(got, want) || why != "" {
		t.Errorf("beside busy loops: broken %q, not checked: %q; want %q", got, why, want)
	}
}

// A look that the ceiling ended says so, and never that nothing broke.
func TestALookThatHadNoTimeSaysSo(t *testing.T) {
	if broke, why := lostUse(t, time.Nanosecond); len(broke) > 0 || why != "the time was over" {
		t.Errorf("broken %q, not checked: %q; want why", broke, why)
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
