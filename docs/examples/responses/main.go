// Command responses is an agent on github.com/openai/openai-go, by Responses, with the tools of helve.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"

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
	say := responses.ResponseNewParams{Model: openai.ChatModelGPT5, Tools: declared(ws)}
	say.Input.OfString = openai.String(prompt)
	for range maxTurns {
		var said responses.Response
		stream := client.Responses.NewStreaming(ctx, say)
		for stream.Next() {
			if e := stream.Current(); e.Type == "response.completed" {
				said = e.Response
			}
		}
		if err := errors.Join(stream.Err(), stream.Close()); err != nil {
			return "", err
		}
		say.PreviousResponseID, say.Input = openai.String(said.ID), responses.ResponseNewParamsInputUnion{}
		for _, item := range said.Output {
			if item.Type != "function_call" {
				continue
			}
			call := tool.Call{ID: item.CallID, Name: item.Name, Args: json.RawMessage(item.Arguments.OfString), Session: session}
			res, err := ws.Kit().Call(ctx, &call)
			if err != nil {
				return "", err // ctx is done; what goes wrong in a call is in its result, for the model
			}
			result := responses.ResponseInputItemParamOfFunctionCallOutput(res.Text())
			result.OfFunctionCallOutput.CallID = openai.String(item.CallID)
			say.Input.OfInputItemList = append(say.Input.OfInputItemList, result)
		}
		if len(say.Input.OfInputItemList) == 0 {
			return said.OutputText(), nil
		}
	}
	return "", fmt.Errorf("the model was not done after %d turns", maxTurns)
}

// declared are the workspace's tools in the library's types.
func declared(ws *helve.Workspace) (out []responses.ToolUnionParam) {
	view := ws.Kit().View()
	for _, s := range view.Specs() {
		t := responses.ToolParamOfFunction(view.Name(s), s.Input.Map(), false)
		t.OfFunction.Description = openai.String(s.Doc.Full())
		out = append(out, t)
	}
	return out
}
