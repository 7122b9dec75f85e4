// Package tooltest checks anyone's Tool or Source: that it keeps the promises on which the rest of helve relies.
//
//	func TestMyTool(t *testing.T) {
//		tooltest.Check(t, MyTool(), &tool.Call{Args: json.RawMessage(`{"path":"a.txt"}`), Dir: dir})
//	}
//
// Of every tool it is checked that
//
//   - its Spec is constant, has a name, an origin, a description without hidden characters and a schema for an object;
//   - its examples satisfy that schema;
//   - arguments of any kind are refused or understood, within 30 seconds, and nothing runs against a policy's no.
//
// Of every call that is given, that
//
//   - preparing it twice brings the same job;
//   - a job whose context is done comes back;
//   - the result is valid UTF-8, survives its own JSON and satisfies the output schema;
//   - of a tool that is a Renderer, the text can be made again of the data alone, so that the two say the same;
//   - a program gets all of it: where the tool only reads, the call is made again with Whole, and its data, too,
//     satisfies the schema, says that it is complete if it says anything of that, and agrees with its text;
//   - no goroutine and no child process is left.
package tooltest

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"go.uber.org/goleak"

	"helve/tool"
)

// Check fails t for every promise that the tool breaks. The calls are run, under a policy that allows everything; each
// must succeed, and a call without a session gets one. Without calls only the spec and the handling of bad calls are
// checked. t must not run in parallel with tests that start goroutines.
func Check(t *testing.T, tl tool.Tool, calls ...*tool.Call) {
	t.Helper()
	t.Run("spec", func(t *testing.T) { checkSpec(t, tl) })
	t.Run("bad calls", func(t *testing.T) { checkBadCalls(t, tl) })
	for i, c := range calls {
		name := fmt.Sprintf("call %d", i)
		t.Run(name, func(t *testing.T) { checkCall(t, tl, c) })
	}
}

// CheckSource lists a source twice, checks the spec of every tool that it brings, and closes the source if it can be
// closed. Both listings must be the same, and one under a done context must come back.
func CheckSource(t *testing.T, src tool.Source) {
	t.Helper()
	before := goleak.IgnoreCurrent()
	if src.Name() == "" {
		t.Error("the source has no name")
	}
	first, second := list(t, src), list(t, src)
	if !reflect.DeepEqual(digests(first), digests(second)) {
		t.Errorf("two listings differ:\n%q\n%q", digests(first), digests(second))
	}
	checkOrigins(t, first)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	quick(t, "a listing under a done context", func() { src.Tools(ctx) })
	c, ok := src.(interface{ Close() error })
	if !ok {
		return
	}
	if err := c.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	checkLeaks(t, before)
}

// checkOrigins checks the tools of a listing, each of which must have an origin of its own: rights hang on it.
func checkOrigins(t *testing.T, tools []tool.Tool) {
	seen := map[tool.Origin]bool{}
	for _, tl := range tools {
		o := tl.Spec().Origin
		if seen[o] {
			t.Errorf("%s is listed twice", o)
		}
		seen[o] = true
		t.Run(o.String(), func(t *testing.T) { checkSpec(t, tl) })
	}
}

func list(t *testing.T, src tool.Source) []tool.Tool {
	t.Helper()
	tools, err := src.Tools(t.Context())
	if err != nil {
		t.Fatalf("list %s: %v", src.Name(), err)
	}
	return tools
}

// digests are what must not change from one listing to the next.
func digests(tools []tool.Tool) []string {
	out := make([]string, len(tools))
	for i, tl := range tools {
		s := tl.Spec()
		out[i] = s.Origin.String() + " " + string(s.Digest())
	}
	return out
}
