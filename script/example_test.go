package script_test

import (
	"context"
	"fmt"

	"helve/script"
	"helve/tool"
)

// What a script may call is what the kit offers; run_script itself is added as any tool is.
func Example() {
	type in struct {
		City string `json:"city"`
	}
	weather := tool.New(tool.Spec{Name: "weather", Kind: tool.Read, Doc: tool.Doc{Short: "Tells the weather."}},
		func(_ context.Context, _ *tool.Call, in in) (*tool.Result, error) {
			return tool.Textf("sunny in %s", in.City), nil
		})
	scripts := script.Tool(nil, script.Options{})
	defer scripts.Close()
	var r tool.Registry
	if err := r.Add(weather, scripts); err != nil {
		fmt.Println(err)
	}
	fmt.Print(script.Stubs(r.View()))
	// Output: weather(city) -> str
}
