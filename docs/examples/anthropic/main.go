// Command anthropic is an agent on github.com/anthropics/anthropic-sdk-go with the tools of helve.
package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/anthropics/anthropic-sdk-go"

	"helve"
	"helve/docs/examples/terminal"
	"helve/tool"
)

func main() { terminal.Main(run) }

// maxTurns bounds a model that never ends.
const maxTurns, maxTokens = 50, 16_000

// run asks the model, and makes its calls under the workspace's rules, until it answers without one.
func run(ctx context.Context, ws *helve.Workspace, prompt string) (text string, err error) {
	client, session := anthropic.NewClient(), ws.NewSession()
	say := anthropic.MessageNewParams{Model: "claude-sonnet-4-5", MaxTokens: maxTokens, Tools: declared(ws)}
	say.Messages = append(say.Messages, anthropic.NewUserMessage(anthropic.NewTextBlock(prompt)))
	for range maxTurns {
		var said anthropic.Message
		stream := client.Messages.NewStreaming(ctx, say)
		for stream.Next() && err == nil {
			err = said.Accumulate(stream.Current())
		}
		if err := errors.Join(err, stream.Err(), stream.Close()); err != nil {
			return "", err
		}
		var results []anthropic.ContentBlockParamUnion
		for _, block := range said.Content {
			switch b := block.AsAny().(type) {
			case anthropic.TextBlock:
				text = b.Text
			case anthropic.ToolUseBlock:
				res, err := ws.Kit().Call(ctx, &tool.Call{ID: b.ID, Name: b.Name, Args: b.Input, Session: session})
				if err != nil {
					return "", err // ctx is done; what goes wrong in a call is in its result, for the model
				}
				results = append(results, anthropic.NewToolResultBlock(b.ID, res.Text(), res.Err != nil))
			}
		}
		if len(results) == 0 {
			return text, nil
		}
		say.Messages = append(say.Messages, said.ToParam(), anthropic.NewUserMessage(results...))
	}
	return "", fmt.Errorf("the model was not done after %d turns", maxTurns)
}

// declared are the workspace's tools in the library's types.
func declared(ws *helve.Workspace) (out []anthropic.ToolUnionParam) {
	view := ws.Kit().View()
	for _, s := range view.Specs() {
		in := s.Input.Map()
		delete(in, "type") // the library writes it
		t := anthropic.ToolUnionParamOfTool(anthropic.ToolInputSchemaParam{ExtraFields: in}, view.Name(s))
		t.OfTool.Description = anthropic.String(s.Doc.Full())
		out = append(out, t)
	}
	return out
}
