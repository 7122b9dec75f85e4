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
	"helve/cmd/internal/app"
)

// model makes the model that a run asks for. The error names the variable that should hold the provider's key.
func model(ctx context.Context, r app.ModelRequest) (agent.Model, error) {
	provider, name, _ := strings.Cut(r.Name, "/")
	// The variables are those that the providers' own libraries read.
	variables := map[string]string{
		"openai":    "OPENAI_API_KEY",
		"anthropic": "ANTHROPIC_API_KEY",
		"gemini":    "GEMINI_API_KEY",
	}
	variable, ok := variables[provider]
	if !ok {
		return nil, fmt.Errorf("provider %q is not known", provider)
	}
	key := r.Getenv(variable)
	base := r.BaseURL
	switch {
	case key != "":
	case provider == "gemini" && r.Getenv("GOOGLE_API_KEY") != "":
		key = r.Getenv("GOOGLE_API_KEY")
	case base != "": // a local server wants none, the libraries do
		key = "none"
	default:
		return nil, &app.NoKey{Provider: provider, Variable: variable}
	}
	switch provider {
	case "openai":
		url := cmp.Or(base, r.Getenv("OPENAI_BASE_URL"))
		return openai.New(openai.Options{Name: name, Key: key, BaseURL: url}), nil
	case "anthropic":
		url := cmp.Or(base, r.Getenv("ANTHROPIC_BASE_URL"))
		return anthropic.New(anthropic.Options{Name: name, Key: key, BaseURL: url}), nil
	}
	return gemini.New(ctx, gemini.Options{Name: name, Key: key, BaseURL: base})
}
