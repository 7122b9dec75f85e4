//go:build unix

package command_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"helve/source/command"
	"helve/tool"
)

// everything allows every call: a policy for an example.
type everything struct{}

func (everything) Lists(*tool.Spec) tool.Verdict { return tool.Verdict{Decision: tool.Allow} }
func (everything) Judge(*tool.Job) tool.Verdict  { return tool.Verdict{Decision: tool.Allow} }

// A project tells about its tools by one command and runs them by another.
func Example() {
	project, err := os.MkdirTemp("", "project")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(project)
	declared := `[{"name": "count", "description": "Counts the letters of a word.",
		"parameters": {"type": "object", "properties": {"word": {"type": "string"}}}}]`
	script := "#!/bin/sh\n# $1 is the tool, stdin the arguments\ntr -cd a-z | sed s/word// | wc -c | tr -d ' \\n'\n"
	os.WriteFile(filepath.Join(project, "tools.json"), []byte(declared), 0o600)
	os.WriteFile(filepath.Join(project, "run"), []byte(script), 0o700)

	source := command.New(command.Config{
		Discover: "cat tools.json",
		Call:     "./run",
		Dir:      project,
	}, command.Options{})
	registry := &tool.Registry{}
	defer registry.Close()
	if err := registry.Attach(context.Background(), source); err != nil {
		fmt.Println(err)
		return
	}
	kit := registry.Kit(tool.KitOptions{Policy: everything{}})
	result, err := kit.Call(context.Background(), &tool.Call{
		Name: "count",
		Args: json.RawMessage(`{"word":"hourglass"}`),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Text())
	// Output: 9
}
