package source_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"helve/source"
	"helve/tool"
)

// A station is a source of one tool, which says what its weather is. One that is closed brings none.
type station struct {
	name   string
	closed bool
}

func (s station) Name() string { return s.name }

func (s station) Tools(context.Context) ([]tool.Tool, error) {
	if s.closed {
		return nil, errors.New("nobody is there")
	}
	spec := tool.Spec{
		Name:   "weather",
		Kind:   tool.Read,
		Doc:    tool.Doc{Short: "Says what the weather is."},
		Origin: tool.Origin{Kind: tool.MCP, Server: s.name, Name: "weather"},
	}
	weather := tool.New(spec, func(context.Context, *tool.Call, struct{}) (*tool.Result, error) {
		return tool.Textf("windy"), nil
	})
	return []tool.Tool{weather}, nil
}

// All sources are listed at the same time. What one of them cannot bring, the others do.
func ExampleLoader() {
	var reg tool.Registry
	defer reg.Close()
	l := &source.Loader{
		Registry: &reg,
		Patience: func(string) time.Duration { return 10 * time.Second },
	}
	defer l.Close()
	l.Add(station{name: "harbour"}, station{name: "summit", closed: true}, station{name: "village"})

	fmt.Println("error:", l.All(context.Background()))
	v := reg.View()
	for _, s := range v.Specs() {
		fmt.Println(v.Name(s))
	}
	// Output:
	// error: summit: nobody is there
	// mcp__harbour__weather
	// mcp__village__weather
}
