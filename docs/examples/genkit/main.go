// Command genkit is an agent on github.com/firebase/genkit with the tools of helve.
package main

import (
	"context"
	"encoding/json"
	"os"

	"github.com/firebase/genkit/go/ai"
	"github.com/firebase/genkit/go/genkit"
	"github.com/firebase/genkit/go/plugins/compat_oai"

	"helve"
	"helve/docs/examples/terminal"
	"helve/tool"
)

func main() { terminal.Main(run) }

// maxTurns bounds a model that never ends.
const maxTurns = 50

// run has genkit ask the model, and make its calls under the workspace's rules, until it answers without one.
func run(ctx context.Context, ws *helve.Workspace, prompt string) (string, error) {
	openai := &compat_oai.OpenAICompatible{
		Provider: "openai", APIKey: os.Getenv("OPENAI_API_KEY"), BaseURL: os.Getenv("OPENAI_BASE_URL"),
	}
	g := genkit.Init(ctx, genkit.WithPlugins(openai))
	model := openai.DefineModel("openai", "gpt-5", ai.ModelOptions{Supports: &compat_oai.Multimodal})
	answer, err := genkit.Generate(ctx, g,
		ai.WithModel(model),
		ai.WithTools(tools(g, ws)...),
		ai.WithMaxTurns(maxTurns),
		ai.WithPrompt(prompt),
		ai.WithStreaming(func(context.Context, *ai.ModelResponseChunk) error { return nil }))
	if err != nil {
		return "", err
	}
	return answer.Text(), nil
}

// tools are those of the workspace, as genkit's, for one conversation.
func tools(g *genkit.Genkit, ws *helve.Workspace) (out []ai.ToolRef) {
	view, session := ws.Kit().View(), ws.NewSession()
	for _, s := range view.Specs() {
		name := view.Name(s)
		call := func(ctx *ai.ToolContext, in any) (string, error) {
			args, err := json.Marshal(in)
			if err != nil {
				return "", err
			}
			res, err := ws.Kit().Call(ctx, &tool.Call{Name: name, Args: args, Session: session})
			if err != nil {
				return "", err // ctx is done; what goes wrong in a call is in its result, for the model
			}
			return res.Text(), nil
		}
		out = append(out, genkit.DefineToolWithInputSchema(g, name, s.Doc.Full(), s.Input.Map(), call))
	}
	return out
}
