package stub_test

import (
	"fmt"

	"helve/engine/schema"
	"helve/engine/stub"
)

func Example() {
	type input struct {
		Title string   `json:"title"`
		Tags  []string `json:"tags,omitempty"`
	}
	type output struct {
		Number int    `json:"number"`
		URL    string `json:"url"`
	}
	in, _ := schema.For[input]()
	out, _ := schema.For[output]()
	functions := stub.Bind([]stub.Tool{
		{Public: "mcp__github__create_issue", Server: "github", Name: "create_issue", Input: in, Output: out},
	})
	fmt.Println(functions[0].String())
	// Output: github.create_issue(title, tags: [str]?) -> {number: int, url}
}
