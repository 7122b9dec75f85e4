package main

import (
	"context"
	"fmt"
	"strings"

	"helve/agent"
	"helve/agent/model/anthropic"
	"helve/agent/model/gemini"
	"helve/agent/model/openai"
	"helve/agent/model/responses"
	"helve/cmd/internal/command"
)

// model makes the model that a run asks for.
func model(_ context.Context, r command.ModelRequest) (agent.Model, error) {
	_, name, _ := strings.Cut(r.Name, "/")
	switch r.Kind {
	case "ollama": // its server speaks Chat Completions below /v1
		r.BaseURL += "/v1"
		fallthrough
	case "openai":
		return openai.New(openai.Options{
			Name: name, Key: r.Key, BaseURL: r.BaseURL, Header: r.Header, Thinking: r.Thinking,
		}), nil
	case "openai-responses":
		return responses.New(responses.Options{
			Name: name, Key: r.Key, BaseURL: r.BaseURL, Header: r.Header, Thinking: r.Thinking,
		}), nil
	case "anthropic":
		return anthropic.New(anthropic.Options{
			Name: name, Key: r.Key, BaseURL: r.BaseURL, Header: r.Header, Thinking: r.Thinking,
		}), nil
	case "gemini":
		return gemini.New(gemini.Options{
			Name: name, Key: r.Key, BaseURL: r.BaseURL, Header: r.Header, Thinking: r.Thinking,
		})
	}
	return nil, fmt.Errorf("a server of kind %q is not known", r.Kind)
}
