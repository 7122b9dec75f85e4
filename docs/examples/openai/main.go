// Command openai is an agent on github.com/openai/openai-go, by Chat Completions, with the tools of helve.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/openai/openai-go/v3"

	"helve"
	"helve/docs/examples/terminal"
	"helve/tool"
)

func main() { terminal.Main(run) }

// maxTurns bounds a model that never ends.
const maxTurns = 50

// run asks the model, and makes its calls under the workspace's rules, until it answers without one.
func run(ctx context.Context, ws *helve.Workspace, prompt string) (string, error) {
	client, session := openai.NewClient(), ws.NewSession()
	say := openai.ChatCompletionNewParams{Model: openai.ChatModelGPT5, Tools: declared(ws)}
	say.Messages = append(say.Messages, openai.UserMessage(prompt))
	for range maxTurns {
		stream, said := client.Chat.Completions.NewStreaming(ctx, say), openai.ChatCompletionAccumulator{}
		for stream.Next() {
			said.AddChunk(stream.Current())
		}
		if err := errors.Join(stream.Err(), stream.Close()); err != nil {
			return "", err
		}
		message := said.Choices[0].Message
		if len(message.ToolCalls) == 0 {
			return message.Content, nil
		}
		say.Messages = append(say.Messages, message.ToParam())
		for _, c := range message.ToolCalls {
			call := tool.Call{ID: c.ID, Name: c.Function.Name, Args: json.RawMessage(c.Function.Arguments), Session: session}
			res, err := ws.Kit().Call(ctx, &call)
			if err != nil {
				return "", err // ctx is done; what goes wrong in a call is in its result, for the model
			}
			say.Messages = append(say.Messages, openai.ToolMessage(res.Text(), c.ID))
		}
	}
	return "", fmt.Errorf("the model was not done after %d turns", maxTurns)
}

// declared are the workspace's tools in the library's types.
func declared(ws *helve.Workspace) (out []openai.ChatCompletionToolUnionParam) {
	view := ws.Kit().View()
	for _, s := range view.Specs() {
		out = append(out, openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{
			Name: view.Name(s), Description: openai.String(s.Doc.Full()), Parameters: s.Input.Map(),
		}))
	}
	return out
}
