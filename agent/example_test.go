package agent_test

import (
	"context"
	"fmt"
	"os"

	"helve/agent"
	"helve/agent/model/openai"
	"helve/builtin"
	"helve/policy"
	"helve/tool"
	"helve/wrap"
)

// A coding agent on the working directory, with a model served by Ollama. It may read, and asks before it changes
// anything; here nobody can be asked, so what it would ask is refused.
func Example() {
	ctx := context.Background()
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	ws, err := builtin.Open(builtin.Options{Dirs: []string{dir}})
	if err != nil {
		panic(err)
	}
	defer ws.Close()
	var reg tool.Registry
	defer reg.Close()
	if err := reg.Add(builtin.All(ws)...); err != nil {
		panic(err)
	}
	session := &tool.Session{ID: "me", Roots: []tool.Root{{Name: "work", Path: dir}}}
	defer session.Close()
	a := &agent.Agent{
		Model:   openai.New(openai.Options{Name: "qwen3", BaseURL: "http://localhost:11434/v1", Key: "none"}),
		Kit:     reg.Kit(tool.KitOptions{Policy: policy.AskFirst, Wrap: wrap.Standard(wrap.Options{})}),
		Session: session,
	}
	out, err := a.Run(ctx, "What does this package do?")
	fmt.Println(out.Text, out.Stop, err)
}
