package main

import (
	"context"
	"fmt"
	"strings"

	"helve/agent"
	"helve/agent/model/anthropic"
	"helve/agent/model/gemini"
	"helve/agent/model/openai"
	"helve/cmd/internal/command"
)

// model makes the model that a run asks for.
func model(_ context.Context, r command.ModelRequest) (agent.Model, error) {
	_, name, _ := strings.Cut(r.Name, "/")
	switch r.Kind {
	case "openai":
		return openai.New(openai.Options{Name: name, Key: r.Key, BaseURL: r.BaseURL, Header: r.Header}), nil
	case "ollama": // its server speaks Chat Completions below /v1
		return openai.New(openai.Options{Name: name, Key: r.Key, BaseURL: r.BaseURL + "/v1", Header: r.Header}), nil
	case "anthropic":
		return anthropic.New(anthropic.Options{Name: name, Key: r.Key, BaseURL: r.BaseURL, Header: r.Header}), nil
	case "gemini":
		return gemini.New(gemini.Options{Name: name, Key: r.Key, BaseURL: r.BaseURL, Header: r.Header})
	}
	return nil, fmt.Errorf("a server of kind %q is not known", r.Kind)
}
