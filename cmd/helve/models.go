package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"helve/agent"
	"helve/agent/model/anthropic"
	"helve/agent/model/gemini"
	"helve/agent/model/openai"
	"helve/cmd/internal/command"
)

// model makes the model that a run asks for. The error names the variable that should hold the provider's key.
func model(ctx context.Context, r command.ModelRequest) (agent.Model, error) {
	provider, name, _ := strings.Cut(r.Name, "/")
	variables := command.KeyVariables(provider)
	if variables == nil {
		return nil, fmt.Errorf("provider %q is not known", provider)
	}
	key := ""
	for _, v := range variables {
		key = cmp.Or(key, r.Getenv(v))
	}
	base := r.BaseURL
	switch {
	case key != "":
	case base != "": // a local server wants none, the libraries do
		key = "none"
	default:
		return nil, &command.NoKey{Provider: provider, Variable: variables[0]}
	}
	switch provider {
	case "openai":
		url := cmp.Or(base, r.Getenv("OPENAI_BASE_URL"))
		return openai.New(openai.Options{Name: name, Key: key, BaseURL: url}), nil
	case "anthropic":
		url := cmp.Or(base, r.Getenv("ANTHROPIC_BASE_URL"))
		return anthropic.New(anthropic.Options{Name: name, Key: key, BaseURL: url}), nil
	}
	return gemini.New(gemini.Options{Name: name, Key: key, BaseURL: base})
}
