package upstream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"helve/source/upstream"
	"helve/tool"
)

// everything allows every call: a policy for an example.
type everything struct{}

func (everything) Lists(*tool.Spec) tool.Verdict { return tool.Verdict{Decision: tool.Allow} }
func (everything) Judge(*tool.Job) tool.Verdict  { return tool.Verdict{Decision: tool.Allow} }

type wordIn struct {
	Word string `json:"word"`
}

// wordServer is an MCP server of somebody else.
func wordServer() http.Handler {
	s := sdk.NewServer(&sdk.Implementation{Name: "words", Version: "1"}, nil)
	sdk.AddTool(s, &sdk.Tool{Name: "count", Description: "Counts the letters of a word."},
		func(_ context.Context, _ *sdk.CallToolRequest, in wordIn) (*sdk.CallToolResult, any, error) {
			said := fmt.Sprintf("%s has %d letters", in.Word, len(in.Word))
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: said}}}, nil, nil
		})
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil)
}

// The tools of a server on the network, next to whatever else a registry has.
func Example() {
	web := httptest.NewServer(wordServer())
	defer web.Close()

	source, err := upstream.New(upstream.Config{Name: "words", URL: web.URL}, upstream.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	registry := &tool.Registry{}
	defer registry.Close() // the source, too
	if err := registry.Attach(context.Background(), source); err != nil {
		fmt.Println(err)
		return
	}
	kit := registry.Kit(tool.KitOptions{Policy: everything{}})
	for _, s := range kit.View().Specs() {
		fmt.Println(kit.View().Name(s)+":", s.Doc.Short)
	}
	result, err := kit.Call(context.Background(), &tool.Call{
		Name: "mcp__words__count",
		Args: json.RawMessage(`{"word":"hourglass"}`),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Text())
	// Output:
	// mcp__words__count: Counts the letters of a word.
	// hourglass has 9 letters
}
