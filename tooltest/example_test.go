package tooltest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"helve/tool"
	"helve/tooltest"
)

// A test of a tool is one line, with a call that must succeed.
func ExampleCheck() {
	type in struct {
		Name string `json:"name" jsonschema:"description=Whom to greet"`
	}
	greet := tool.New(tool.Spec{Name: "greet", Kind: tool.Read, Doc: tool.Doc{Short: "Greets somebody."}},
		func(_ context.Context, _ *tool.Call, a in) (*tool.Result, error) {
			return tool.Textf("Hello, %s!", a.Name), nil
		})
	testGreet := func(t *testing.T) {
		tooltest.Check(t, greet, &tool.Call{Args: json.RawMessage(`{"name":"Ada"}`)})
	}
	fmt.Println("the tool passes:", passes(testGreet))
	// Output: the tool passes: true
}

// A source is checked with all tools that it brings.
func ExampleCheckSource() {
	testList := func(t *testing.T) { tooltest.CheckSource(t, list{good()}) }
	fmt.Println("the source passes:", passes(testList))
	// Output: the source passes: true
}

// passes runs a test inside an example. What go test -v prints of it is not the example's output.
func passes(test func(*testing.T)) bool {
	stdout := os.Stdout
	os.Stdout = os.Stderr
	defer func() { os.Stdout = stdout }()
	every := func(string, string) (bool, error) { return true, nil }
	return testing.RunTests(every, []testing.InternalTest{{Name: "inside an example", F: test}})
}
