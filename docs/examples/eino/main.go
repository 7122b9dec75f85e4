// Command eino is an agent on github.com/cloudwego/eino with the tools of helve.
package main

import (
	"context"
	"encoding/json"
	"os"

	"github.com/cloudwego/eino-ext/components/model/openai"
	einotool "github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/flow/agent/react"
	"github.com/cloudwego/eino/schema"
	"github.com/eino-contrib/jsonschema"

	"helve"
	"helve/docs/examples/terminal"
	"helve/tool"
)

func main() { terminal.Main(run) }

// run has eino's agent work with the workspace's tools, each call under its rules.
func run(ctx context.Context, ws *helve.Workspace, prompt string) (string, error) {
	model, err := openai.NewChatModel(ctx, &openai.ChatModelConfig{
		Model: "gpt-5", APIKey: os.Getenv("OPENAI_API_KEY"), BaseURL: os.Getenv("OPENAI_BASE_URL"),
	})
	if err != nil {
		return "", err
	}
	agent, err := react.NewAgent(ctx, &react.AgentConfig{
		ToolCallingModel: model, ToolsConfig: compose.ToolsNodeConfig{Tools: tools(ws)}, MaxStep: 100,
	})
	if err != nil {
		return "", err
	}
	stream, err := agent.Stream(ctx, []*schema.Message{schema.UserMessage(prompt)})
	if err != nil {
		return "", err
	}
	said, err := schema.ConcatMessageStream(stream)
	if err != nil {
		return "", err
	}
	return said.Content, nil
}

// tools are those of the workspace, as eino's, for one conversation.
func tools(ws *helve.Workspace) (out []einotool.BaseTool) {
	view, session := ws.Kit().View(), ws.NewSession()
	for _, s := range view.Specs() {
		out = append(out, &oneTool{ws, session, s, view.Name(s)})
	}
	return out
}

type oneTool struct {
	ws      *helve.Workspace
	session *tool.Session
	spec    *tool.Spec
	name    string
}

func (t *oneTool) Info(context.Context) (*schema.ToolInfo, error) {
	in := &jsonschema.Schema{}
	err := json.Unmarshal(t.spec.Input.JSON(), in)
	return &schema.ToolInfo{Name: t.name, Desc: t.spec.Doc.Full(), ParamsOneOf: schema.NewParamsOneOfByJSONSchema(in)}, err
}

func (t *oneTool) InvokableRun(ctx context.Context, args string, _ ...einotool.Option) (string, error) {
	res, err := t.ws.Kit().Call(ctx, &tool.Call{Name: t.name, Args: json.RawMessage(args), Session: t.session})
	if err != nil {
		return "", err // ctx is done; what goes wrong in a call is in its result, for the model
	}
	return res.Text(), nil
}
